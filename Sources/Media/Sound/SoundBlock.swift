/// A little sound.
package struct SoundBlock: Sendable {
    /// Of all channels in turn.
    package let samples: [Int16]
    /// When the first of them was recorded.
    package let time: ContinuousClock.Instant

    package init(samples: [Int16], time: ContinuousClock.Instant) {
        self.samples = samples
        self.time = time
    }
}
