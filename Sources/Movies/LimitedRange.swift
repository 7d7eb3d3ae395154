internal import Picture

/// From the samples of JPEGs, 0 to 255, to those of videos: luma from 16 to 235, chroma from 16 to 240.
/// Players expect this range, some of them even if the file declares another one.
enum LimitedRange {
    /// Copies a plane.
    ///
    /// - Parameter step: bytes from one sample of a row to the next in `target`.
    static func copy(
        _ plane: Planes.Plane, to target: UnsafeMutablePointer<UInt8>, stride: Int, step: Int, isChroma: Bool
    ) {
        // x · 219 / 255 + 16 and x · 224 / 255 + 128 · (1 - 224 / 255) in 16 bits, right to half a step.
        let (factor, offset): (UInt16, UInt16) = isChroma ? (225, 4096) : (220, 16 * 256 + 128)
        for row in 0..<plane.height {
            let from = plane.base + row * plane.stride
            let to = target + row * stride
            if step == 1 {
                for column in 0..<plane.width {
                    to[column] = UInt8(truncatingIfNeeded: (UInt16(from[column]) &* factor &+ offset) >> 8)
                }
            } else {
                for column in 0..<plane.width {
                    to[column &* step] = UInt8(
                        truncatingIfNeeded: (UInt16(from[column]) &* factor &+ offset) >> 8)
                }
            }
        }
    }
}
