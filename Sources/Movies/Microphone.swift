/// Sound from an ALSA device.
package final class Microphone {
    package struct Block: Sendable {
        package let samples: [Int16]
        package let time: ContinuousClock.Instant
    }

    package init(
        device: String, format: SoundFormat, deliver: @escaping @Sendable (Block) -> Void
    ) throws(MovieError) {
        throw .missing("no microphone yet")
    }
}
