internal import Contract

/// The pictures that a page wants of a camera.
struct PreviewRequest: Equatable, Sendable {
    let camera: CameraAddress
    /// In pixels.
    let width: Int
    /// Frames per second at the most.
    let rate: Double
}
