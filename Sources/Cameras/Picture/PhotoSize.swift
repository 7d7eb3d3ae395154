/// The box that a photo has to fit in, in pixels. A side that is nil does not limit the photo.
///
/// The photo fills the box: a smaller picture is scaled up, a larger one is scaled down.
package struct PhotoSize: Sendable, Equatable {
    package var width: Int?
    package var height: Int?

    package init(width: Int? = nil, height: Int? = nil) {
        self.width = width
        self.height = height
    }

    /// The size with each side limited to the picture's own side.
    package func within(width limitWidth: Int, height limitHeight: Int) -> PhotoSize {
        PhotoSize(width: width.map { min($0, limitWidth) }, height: height.map { min($0, limitHeight) })
    }
}
