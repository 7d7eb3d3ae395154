/// A part of a picture, in fractions of its width and height: origin at the top left, `x` to the right, `y`
/// down.
package struct Region: Sendable, Equatable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole picture.
    package static let whole = Region(x: 0, y: 0, width: 1, height: 1)

    /// The part of the picture that `inner` names, when `inner` is in fractions of this region.
    package func part(_ inner: Region) -> Region {
        Region(
            x: x + inner.x * width, y: y + inner.y * height,
            width: inner.width * width, height: inner.height * height)
    }
}
