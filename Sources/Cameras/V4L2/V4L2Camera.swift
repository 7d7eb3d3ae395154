internal import Base
internal import CV4L2
internal import Settings

/// A V4L2 device as a camera.
///
/// It lives on the agent's loop and never waits. Calls that can block are made by two threads: the control
/// thread, which a camera that hangs holds up for seconds, and the capture thread for frames and events. So a
/// stop of the lens does not wait for a photo, and no camera waits for another.
final class V4L2Camera: PluggableCamera {
    /// What the threads report. All of it comes by one inbox: an event that follows the end of a write
    /// arrives after it.
    enum Report: Sendable {
        case control(ControlThread.Report)
        case capture(CaptureThread.Report)
    }

    /// The two threads of a device.
    struct Threads {
        let control: SerialWorker<ControlThread>
        let capture: Inbox<CaptureThread.Job>
        let reports: Inbox<Report>

        /// Lets both end after what they are doing, without waiting.
        func end(on loop: EventLoop) {
            control.close()
            capture.send(.quit)
            reports.detach(from: loop)
        }
    }

    var description: CameraDescription
    var mode: CameraMode
    let remarks: [String]
    let orientation: DeviceOrientation?
    var callbacks = CameraCallbacks()
    var wasLost: () -> Void = {}
    let loop: EventLoop
    let threads: Threads
    /// Whether the device was closed or has gone.
    private(set) var isClosed = false
    var lens: any LensDriver
    var calls = CameraCalls()
    var readings: ControlReadings
    /// The path of the node that has H.264 beside the frames.
    let videoNode: String?
    /// The stream of that node; nil: it wasn't opened.
    var video: V4L2VideoStream?
    /// Keeps that node from the other cameras of the agent while it is used.
    weak var devices: (any DeviceList)?
    lazy var lensTimer = loop.timer { [weak self] in self?.wakeLens() }

    init(
        _ found: FoundDevice, _ opened: ControlThread.OpenedDevice, _ settings: DeviceSettings,
        _ threads: Threads,
        among devices: (any DeviceList)?, on loop: EventLoop
    ) {
        (self.loop, self.threads, self.devices) = (loop, threads, devices)
        videoNode = opened.videoNode?.path
        (readings, remarks) = (ControlReadings(opened.controls), opened.remarks)
        orientation = opened.orientation
        lens =
            if let speedControl = opened.lens.speedControl {
                SpeedLens(opened.lens, speedControl, at: loop.now)
            } else {
                PositionedLens(opened.lens, at: opened.place)
            }
        description = CameraDescription(
            model: opened.device.identity.card, bus: opened.device.identity.bus, serial: found.serial,
            opticalMax: opened.lens.max, optical: opened.place.factor, formats: opened.formats,
            actuators: opened.lens.actuators, limits: settings)
        (description.position, description.kind) = (found.position, found.kind)
        description.videoFormats = opened.videoNode?.formats ?? []
        mode = opened.setup.mode
        threads.reports.attach(to: loop) { [weak self] in self?.received($0) }
    }

    deinit {
        threads.end(on: loop)
        video?.close()
    }

    var isLensMoving: Bool { lens.isMoving || lens.awaitsReport }

    // MARK: Reports of the threads

    private func received(_ report: Report) {
        // Reports of the same batch arrive even after the threads were released.
        if isClosed { return }
        switch report {
        case .control(let report): received(report)
        case .capture(let report): received(report)
        }
    }

    private func received(_ report: CaptureThread.Report) {
        switch report {
        case .frame(let number, let result): calls.takeFrame(number)?(result)
        case .events(let events): received(events)
        case .changed(let result): modeChanged(result)
        case .streamed(let frames, let lost): callbacks.streamed(frames, lost)
        case .needsKeyFrame: requestKeyFrame()
        case .deviceGone: deviceGone()
        }
    }

    private func received(_ report: ControlThread.Report) {
        calls.jobFinished()
        switch report {
        case .opened, .keyFrameForced: break
        case .lens(let report): perform(lens.finished(report, at: loop.now))
        case .set(let result): controlsSet(result)
        case .refreshed(let result): refreshed(result)
        case .adopted(let result):
            refreshed(result)
            endModeChange()
        }
        runNext()
    }

    private func received(_ events: [cv4l2_event]) {
        var isChanged = false
        for event in events {
            if event.value_changed {
                isChanged = readings.event(event.value, of: event.control) || isChanged
                if event.control == lens.lens.motor?.control {
                    perform(lens.motorMoved(to: event.value, at: loop.now))
                }
            }
            if event.nature_changed { calls.addRefresh() }
        }
        if isChanged { callbacks.controlsChanged() }
        runNext()
    }

    /// Gives the control thread its next job, and begins the next change of the mode.
    func runNext() {
        while !isClosed, let step = calls.next(with: lens.lens) {
            switch step {
            case .run(let job): run(job)
            case .change(let mode, let frames):
                threads.capture.send(.change(mode))
                for frame in frames { threads.capture.send(.frame(number: frame.number, after: frame.after)) }
            }
        }
    }

    /// The control thread is there while the device is open: none has to be started, which could fail.
    private func run(_ job: ControlThread.Job) {
        let reports = threads.reports
        try? threads.control.submit { reports.send(.control($0.perform(job))) }
    }

    // MARK: Controls

    var controls: [Control] { readings.list }

    func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        guard !isClosed else { return then(.failure(.unplugged)) }
        guard calls.add((values, then)) else {
            let count = CameraCalls.maxWaiting
            return then(
                .failure(.device("the camera is slow: \(count) changes of its controls wait already")))
        }
        runNext()
    }

    private func controlsSet(_ result: Result<ControlMap, CameraError>) {
        let done = calls.takeSetting()
        if case .success(let now) = result { readings.wereSet((done?.values ?? [:]).keys, now) }
        done?.then(result.map { _ in readings.list })
        if case .failure(.unplugged) = result { deviceGone() }
    }

    private func refreshed(_ result: Result<ControlMap, CameraError>) {
        if case .success(let now) = result, readings.read(now) { callbacks.controlsChanged() }
    }

    // MARK: The end

    /// The device is gone.
    func deviceGone() {
        let wasLost = wasLost
        if lens.awaitsReport { callbacks.lensReported(.failed(.unplugged)) }
        close()
        wasLost()
    }

    func close() {
        callbacks = CameraCallbacks()
        wasLost = {}
        if isClosed { return }
        isClosed = true
        lensTimer.cancel()
        threads.end(on: loop)
        video?.close()
    }
}
