internal import Cameras
internal import LoopThread

extension V4L2Camera {
    /// Opens a device, and calls back with the camera when everything is known of it, or with the reason why
    /// it cannot be used.
    static func open(
        _ found: FoundDevice, _ settings: Settings, on loop: EventLoop,
        then: @escaping (Result<V4L2Camera, CameraError>) -> Void
    ) {
        do {
            let reports = try Inbox<Report>()
            let control = try Worker<ControlThread.Job>(name: "controls", priority: .process) { jobs in
                var thread = ControlThread(path: found.path, settings: settings)
                while let job = jobs.next() { reports.send(.control(thread.perform(job))) }
            }
            reports.attach(to: loop) { report in
                reports.detach(from: loop)
                guard case .control(.opened(let result)) = report else { return }
                do {
                    let opened = try result.get()
                    let capture = try capture(opened, linger: settings.linger, reports)
                    let threads = Threads(reports: reports, control: control, capture: capture)
                    then(.success(V4L2Camera(found, opened, settings, threads, on: loop)))
                } catch {
                    control.abandon()
                    then(.failure((error as? CameraError) ?? .device("\(error)")))
                }
            }
            control.submit(.open)
        } catch {
            then(.failure(.device("\(error)")))
        }
    }

    /// Starts the capture thread; it takes its jobs from the inbox that is returned.
    private static func capture(
        _ opened: ControlThread.OpenedDevice, linger: Duration?, _ reports: Inbox<Report>
    ) throws(LoopError) -> Inbox<CaptureThread.Job> {
        let jobs = try Inbox<CaptureThread.Job>()
        let thread = try Thread(name: "frames") {
            let capture = CaptureThread(opened, linger: linger, jobs: jobs) { reports.send(.capture($0)) }
            // The thread's own timers refer to it weakly.
            withExtendedLifetime(capture) { capture.run() }
        }
        thread.detach()
        return jobs
    }
}
