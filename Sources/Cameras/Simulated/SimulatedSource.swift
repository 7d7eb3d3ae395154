package import Base
package import Settings

/// The source of a camera that is always simulated: nothing is searched for, and no library of devices is
/// needed.
package final class SimulatedSource: CameraSource {
    package var found: (any CameraBackend) -> Void = { _ in }
    /// Never called.
    package var missing: (CameraAbsence) -> Void = { _ in }
    /// Never called.
    package var isInUse: () -> Bool = { false }

    private let settings: SimulationSettings
    private let serial: String
    private let loop: EventLoop
    private var camera: SimulatedCamera?

    /// - Parameter serial: a device's serial number stands here.
    package init(_ settings: SimulationSettings, serial: String, on loop: EventLoop) {
        (self.settings, self.serial, self.loop) = (settings, serial, loop)
    }

    package func search() {
        guard camera == nil else { return }
        let camera = SimulatedCamera(settings, serial: serial, on: loop)
        self.camera = camera
        found(camera)
    }

    package func close() {
        camera?.close()
        camera = nil
    }
}
