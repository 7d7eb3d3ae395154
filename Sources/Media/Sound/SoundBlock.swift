/// A little sound.
struct SoundBlock: Sendable {
    /// Of all channels in turn.
    let samples: [Int16]
    /// When the first of them was recorded.
    let time: ContinuousClock.Instant
}
