/// One picture of a stream of H.264 as the camera encoded it: an access unit.
package struct H264AccessUnit: Sendable {
    /// In Annex B. The access unit of a key frame contains its parameter sets.
    package let bytes: [UInt8]
    /// Counts the access units of the stream: each follows the one before without a loss, unless it is a key
    /// frame.
    package let ordinal: Int
    /// The number that the camera counts, with gaps for lost frames.
    package let number: Int
    package let exposedAt: ContinuousClock.Instant
    /// Whether it can be decoded without those before (an IDR picture).
    package let isKey: Bool

    package init(
        bytes: [UInt8], ordinal: Int, number: Int, exposedAt: ContinuousClock.Instant, isKey: Bool
    ) {
        (self.bytes, self.ordinal, self.number) = (bytes, ordinal, number)
        (self.exposedAt, self.isKey) = (exposedAt, isKey)
    }
}
