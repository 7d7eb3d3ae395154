internal import Base
internal import Cameras

/// The last requests to a device before it is closed: its lens is stopped, then its own privacy control is
/// set. A device that doesn't answer in time is closed all the same.
final class DeviceClosing {
    /// What is requested of the device.
    struct Steps {
        /// The lens is on its way.
        var stopsLens: Bool
        /// The camera's own privacy control.
        var control: (name: String, value: Control.Value)?
    }

    private enum Progress { case stoppingLens, settingControl, ended }

    /// Maximum duration of all steps together.
    private static let timeout = Duration.seconds(1)

    private let camera: any CameraBackend
    private let steps: Steps
    private let context: CameraContext
    private let ended: (CameraError?) -> Void
    private var progress = Progress.stoppingLens
    private lazy var timer = context.timer { [weak self] in
        self?.end(.device("no answer within \(Self.timeout / .seconds(1)) s"))
    }

    /// - Parameters:
    ///   - camera: no other part requests anything of it any more.
    ///   - ended: called once, perhaps during ``begin()``: with the reason if the control couldn't be set.
    init(
        _ camera: any CameraBackend, _ steps: Steps, _ context: CameraContext,
        ended: @escaping (CameraError?) -> Void
    ) {
        (self.camera, self.steps, self.context, self.ended) = (camera, steps, context, ended)
    }

    func begin() {
        timer.set(after: Self.timeout)
        guard steps.stopsLens else { return setControl() }
        camera.callbacks.lensReported = { [weak self] report in
            switch report {
            // A lens that can't be stopped isn't waited for.
            case .stopped, .failed: self?.setControl()
            case .written, .moved, .taken: break
            }
        }
        camera.stopLens()
    }

    private func setControl() {
        guard progress == .stoppingLens else { return }
        progress = .settingControl
        guard let control = steps.control else { return end(nil) }
        camera.setControls([control.name: control.value]) { [weak self] result in
            switch result {
            case .success: self?.end(nil)
            case .failure(let error): self?.end(error)
            }
        }
    }

    /// Ends the steps, whatever is still to be done.
    func end(_ error: CameraError?) {
        guard progress != .ended else { return }
        progress = .ended
        timer.cancel()
        camera.callbacks.lensReported = { _ in }
        ended(error)
    }
}
