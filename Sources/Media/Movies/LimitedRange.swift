internal import Cameras

/// How samples of 0 to 255 become those of videos (ITU-R BT.601): luma 16 to 235, chroma 16 to 240.
///
/// A sample becomes `(sample · factor + offset) >> 8`, in 16 bits, so that loops become vector instructions.
/// That is the rounded exact value at 0, 128 and 255, and nowhere more than one off. `CPacking` has the same
/// numbers in C.
struct LimitedRange: Sendable {
    let factor: UInt16
    let offset: UInt16

    /// x · 219 / 255 + 16.
    static let luma = LimitedRange(factor: 220, offset: 16 * 256 + 128)
    /// x · 224 / 255 + 128 · (1 - 224 / 255).
    static let chroma = LimitedRange(factor: 225, offset: 4096)

    /// A sample of 0 to 255 in this range.
    func sample(_ full: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (UInt16(full) &* factor &+ offset) >> 8)
    }
}

/// Planes of samples between the range of JPEGs and that of videos. Players expect the latter, some of them
/// even if the file declares another one.
extension LimitedRange {
    /// Copies a plane to the range of videos.
    ///
    /// - Parameter step: bytes from one sample of a row to the next in `target`.
    static func copy(
        _ plane: Planes.Plane, to target: UnsafeMutablePointer<UInt8>, stride: Int, step: Int, isChroma: Bool
    ) {
        let range = isChroma ? Self.chroma : .luma
        for row in 0..<plane.height {
            let from = plane.base + row * plane.stride
            let to = target + row * stride
            if step == 1 {
                for column in 0..<plane.width { to[column] = range.sample(from[column]) }
            } else {
                for column in 0..<plane.width { to[column &* step] = range.sample(from[column]) }
            }
        }
    }

    /// Copies samples of a video to those of JPEGs. Values outside of the range of videos are clipped.
    static func expand(
        _ from: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int, isChroma: Bool
    ) {
        // (x - 16) · 255 / 219 and (x - 128) · 255 / 224 + 128 in 16.16 bits.
        let factor: Int32 = isChroma ? 74_606 : 76_309
        let offset: Int32 = isChroma ? 128 * 65_536 + 32_768 - 128 * 74_606 : 32_768 - 16 * 76_309
        for index in 0..<count {
            let value = (Int32(from[index]) &* factor &+ offset) >> 16
            target[index] = UInt8(truncatingIfNeeded: min(max(value, 0), 255))
        }
    }
}
