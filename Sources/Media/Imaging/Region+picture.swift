internal import Cameras

extension Region {
    /// The region with what lies outside the picture cut off.
    ///
    /// - Throws: ``ImagingError/badRequest(_:)`` when nothing is left, or a number is not finite.
    func insidePicture() throws(ImagingError) -> Region {
        let left = max(x, 0)
        let top = max(y, 0)
        let right = min(x + width, 1)
        let bottom = min(y + height, 1)
        guard x.isFinite, y.isFinite, width.isFinite, height.isFinite, right > left, bottom > top else {
            throw .badRequest("there is nothing of the picture in \(self)")
        }
        return Region(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// Whether its edges are those of a picture of this size, each to half a pixel.
    func isWhole(width: Int, height: Int) -> Bool {
        let half = (0.5 / Double(width), 0.5 / Double(height))
        return x < half.0 && y < half.1 && x + self.width > 1 - half.0 && y + self.height > 1 - half.1
    }
}
