/// The backend while no camera is present: every call completes with `.unplugged`.
package final class AbsentCamera: CameraBackend {
    package let description = CameraDescription(
        model: "", bus: "", serial: "", opticalMax: 1, optical: 1, formats: [], actuators: [])
    package var callbacks = CameraCallbacks()
    package var controls: [Control] { [] }
    package let mode = CameraMode(pixelFormat: "", width: 0, height: 0, rate: 0)

    package init() {}

    package func driveLens(to optical: Double) { callbacks.lensReported(.failed(.unplugged)) }

    package func stopLens() { callbacks.lensReported(.failed(.unplugged)) }

    package func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        then(.failure(.unplugged))
    }

    package func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        then(.failure(.unplugged))
    }

    package func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        then(.failure(.unplugged))
    }

    package func close() {
        callbacks = CameraCallbacks()
    }
}
