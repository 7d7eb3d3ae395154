internal import Contract

/// The pictures that a page wants of a camera.
struct PreviewRequest: Equatable, Sendable {
    let camera: CameraAddress
    /// In pixels.
    let width: Int
    /// Frames per second at the most.
    let rate: Double

    init(camera: CameraAddress, width: Int, rate: Double) {
        (self.camera, self.width, self.rate) = (camera, width, rate)
    }
}
