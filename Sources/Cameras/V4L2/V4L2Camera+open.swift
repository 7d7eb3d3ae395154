internal import Base
internal import Settings

extension V4L2Camera {
    /// How long the stream goes on after the last request for a frame. While it is off, other programs can
    /// stream.
    private static let linger = Duration.seconds(5)

    /// Opens a device, and calls back with the camera when everything is known of it, or with the reason why
    /// it cannot be used.
    ///
    /// - Parameter devices: those of the other cameras of the agent; nil: there are none.
    static func open(
        _ found: FoundDevice, of camera: CameraSettings, among devices: (any DeviceList)?, on loop: EventLoop,
        then: @escaping (Result<V4L2Camera, CameraError>) -> Void
    ) {
        do {
            // The thread stays while the device is open: a stop of the lens doesn't wait for a new one.
            let control = try SerialWorker(name: "controls", priority: .process, on: loop, idleTime: nil) {
                ControlThread(found, of: camera)
            }
            try control.run({ $0.perform(.open) }) { report in
                guard case .opened(let result) = report else { return }
                do {
                    let reports = try Inbox<V4L2Camera.Report>()
                    let opened = try result.get()
                    let capture = try capture(
                        opened, linger: camera.device.stream == .always ? nil : linger, reports)
                    let threads = Threads(control: control, capture: capture, reports: reports)
                    then(
                        .success(
                            V4L2Camera(
                                found, opened, camera.device, threads, among: devices, on: loop)))
                } catch {
                    control.close()
                    then(.failure((error as? CameraError) ?? .device("\(error)")))
                }
            }
        } catch {
            then(.failure(.device("\(error)")))
        }
    }

    /// Starts the capture thread; it takes its jobs from the inbox that is returned.
    private static func capture(
        _ opened: ControlThread.OpenedDevice, linger: Duration?, _ reports: Inbox<V4L2Camera.Report>
    ) throws(LoopError) -> Inbox<CaptureThread.Job> {
        let jobs = try Inbox<CaptureThread.Job>()
        let thread = try Thread(name: "frames") {
            let capture = CaptureThread(opened.device, opened.setup, linger: linger, jobs: jobs) {
                reports.send(.capture($0))
            }
            // The thread's own timers refer to it weakly.
            withExtendedLifetime(capture) { capture.run() }
        }
        thread.detach()
        return jobs
    }
}
