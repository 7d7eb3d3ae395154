/// A camera whose picture is turned or mirrored. Sizes, regions, and the directions of pan and tilt are those
/// of the picture that users see; the camera behind it keeps those of its sensor and of its driver.
///
/// Pixels are not turned here: a frame says how it is to be turned, which happens when a photo, a preview or
/// a recording is made of a part of it.
final class OrientedCamera: CameraBackend {
    private let camera: any CameraBackend
    private let orientation: DeviceOrientation
    private let panTilt: PanTilt

    init(_ camera: any CameraBackend, _ orientation: DeviceOrientation) {
        (self.camera, self.orientation) = (camera, orientation)
        panTilt = PanTilt(turnedBy: orientation.total)
    }

    var description: CameraDescription {
        var description = camera.description
        description.orientation = orientation
        if orientation.remaining.swapsSides { description.swapSides() }
        return description
    }

    var remarks: [String] { camera.remarks }

    var callbacks: CameraCallbacks {
        get { camera.callbacks }
        set { camera.callbacks = newValue }
    }

    func driveLens(to optical: Double) { camera.driveLens(to: optical) }

    func stopLens() { camera.stopLens() }

    var controls: [Control] { camera.controls.map(panTilt.forUser) }

    func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        camera.setControls(panTilt.forDevice(values)) { [panTilt] result in
            then(result.map { $0.map(panTilt.forUser) }.mapError(panTilt.forUser))
        }
    }

    var mode: CameraMode { swapped(camera.mode) }

    func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        camera.setMode(swapped(mode)) { [self] result in then(result.map(swapped)) }
    }

    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        let orientation = orientation.remaining
        camera.frame(exposedAfter: time) { result in
            then(
                result.map { frame in
                    Frame(
                        picture: frame.picture.oriented(orientation), field: orientation.region(frame.field),
                        number: frame.number, exposedAt: frame.exposedAt)
                })
        }
    }

    func requestKeyFrame() { camera.requestKeyFrame() }

    /// Only where nothing is left to turn: see ``CameraDescription/video(for:)``.
    func openVideo(
        _ mode: CameraMode, then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) {
        camera.openVideo(mode, then: then)
    }

    func close() { camera.close() }

    private func swapped(_ mode: CameraMode) -> CameraMode {
        var mode = mode
        (mode.width, mode.height) = orientation.remaining.size(mode.width, mode.height)
        return mode
    }
}

extension CameraBackend {
    /// The camera with its picture turned; itself if there is nothing to turn.
    ///
    /// - Parameter orientation: nil: none is configured.
    package func oriented(_ orientation: DeviceOrientation?) -> any CameraBackend {
        orientation.map { OrientedCamera(self, $0) } ?? self
    }
}
