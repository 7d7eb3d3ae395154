/// The pictures that a page wants of a camera.
struct PreviewRequest: Equatable, Sendable {
    static let widths = 16...4096
    static let rates = 0.1...60.0

    let camera: CameraName
    /// In pixels.
    let width: Int
    /// Frames per second at the most.
    let rate: Double

    init(camera: CameraName, width: Int, rate: Double) {
        (self.camera, self.width, self.rate) = (camera, width, rate)
    }
}
