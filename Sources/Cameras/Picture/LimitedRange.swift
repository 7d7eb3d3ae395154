/// How samples of 0 to 255 become those of videos (ITU-R BT.601): luma 16 to 235, chroma 16 to 240.
///
/// A sample becomes `(sample · factor + offset) >> 8`, in 16 bits, so that loops become vector instructions.
/// That is the rounded exact value at 0, 128 and 255, and nowhere more than one off. `CPacking` has the same
/// numbers in C.
package struct LimitedRange: Sendable {
    package let factor: UInt16
    package let offset: UInt16

    /// x · 219 / 255 + 16.
    package static let luma = LimitedRange(factor: 220, offset: 16 * 256 + 128)
    /// x · 224 / 255 + 128 · (1 - 224 / 255).
    package static let chroma = LimitedRange(factor: 225, offset: 4096)

    /// A sample of 0 to 255 in this range.
    func sample(_ full: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt16(full) &* factor &+ offset) >> 8)
    }
}
