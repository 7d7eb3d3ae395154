internal import Contract

/// The pictures that a page wants of a camera.
struct PreviewRequest: Equatable, Sendable {
    static let widths = 16...4096
    static let rates = 0.1...60.0

    let camera: CameraAddress
    /// In pixels.
    let width: Int
    /// Frames per second at the most.
    let rate: Double

    init(camera: CameraAddress, width: Int, rate: Double) {
        (self.camera, self.width, self.rate) = (camera, width, rate)
    }
}
