package import Cameras
internal import LoopThread

/// A V4L2 device as a camera.
///
/// It lives on the agent's loop and never waits: what may block is done by a thread for the controls (which a camera that hangs holds up
/// for seconds) and one for frames and events. So a stop waits for no photo, and no camera for another.
package final class V4L2Camera: CameraBackend {
    private enum Report: Sendable {
        case control(ControlSide.Report)
        case stream(StreamSide.Report)
    }

    private typealias Setting = (
        values: [String: Control.Value], then: (Result<[Control], CameraError>) -> Void
    )

    /// Settings of controls, or changes of the mode, that wait; one more is refused.
    static let waitingAtMost = 16

    package var description: CameraDescription
    package var mode: CameraMode
    package var lensReported: (LensReport) -> Void = { _ in }
    package var controlsChanged: () -> Void = {}
    package var streamed: (_ frames: Int, _ lost: Int) -> Void = { _, _ in }
    /// Called when the device is gone, once; every request that waited has been answered by then.
    var wasLost: () -> Void = {}
    /// What a person should know of the device.
    package let remarks: [String]

    let loop: EventLoop
    private let reports: Inbox<Report>
    private let control: Worker<ControlSide.Job>
    let stream: Inbox<StreamSide.Job>
    var lens: V4L2Lens
    var map: ControlMap
    var isLost = false

    // The control thread has one job at a time, so that a stop is behind one other at the most.
    var isControlBusy = false
    var wantedLens: ControlSide.Job?
    private var settings: [Setting] = []
    private var setting: Setting?
    private var lastWasLens = false
    private var wantsRefresh = false
    /// What events said: a driver that keeps values may go on reading the one from before.
    var told: [UInt32: Int64] = [:]

    var place: LensPlace
    var isMoving = false
    var timesTheSame = 0
    /// What the lens was told last, and nobody has disturbed since.
    var lastGoal: V4L2Lens.Goal?
    /// What the lens is to be told, and the factor that it is for.
    var wantedGoal: V4L2Lens.Goal?
    var wantedFactor = 1.0
    /// A drive is under way and wasn't reported yet.
    var isDriving = false
    var isStopping = false
    /// Of a lens without a position; see V4L2Camera+drift.swift.
    var reckoned: SteadyLens?
    var driftGoal = 1.0
    var speed: Int64 = 0
    lazy var driftTimer = loop.timer { [weak self] in self?.driftTicked() }
    lazy var lookTimer = loop.timer { [weak self] in self?.lookAgain() }

    // Changes of the mode; see V4L2Camera+mode.swift.
    var changes: [Change] = []
    var change: Change?
    /// As it is in the new mode; the thread for the controls doesn't know it yet.
    var lensToAdopt: V4L2Lens?

    /// Frames that are to come in a mode whose change hasn't begun.
    var framesHeld: [(number: Int, after: ContinuousClock.Instant)] = []
    private var frames: [Int: (Result<Frame, CameraError>) -> Void] = [:]
    private var lastFrame = 0

    /// Takes up a device; calls back with the camera once all is known of it, or with why it can't be used.
    static func open(
        _ found: FoundDevice, _ settings: Settings, on loop: EventLoop,
        then: @escaping (Result<V4L2Camera, CameraError>) -> Void
    ) {
        do {
            let reports = try Inbox<Report>()
            let control = try Worker<ControlSide.Job>(name: "controls") { jobs in
                var side = ControlSide(path: found.path, settings: settings)
                while let job = jobs.next() { reports.send(.control(side.perform(job))) }
            }
            reports.attach(to: loop) { report in
                reports.detach(from: loop)
                guard case .control(.opened(let result)) = report else { return }
                do {
                    let opened = try result.get()
                    then(.success(try V4L2Camera(found, opened, settings, control, reports, on: loop)))
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

    private init(
        _ found: FoundDevice, _ opened: ControlSide.Opened, _ settings: Settings,
        _ control: Worker<ControlSide.Job>, _ reports: Inbox<Report>, on loop: EventLoop
    ) throws(LoopError) {
        (self.loop, self.control, self.reports) = (loop, control, reports)
        (lens, map, place, remarks) = (opened.lens, opened.controls, opened.place, opened.remarks)
        let stream = try Inbox<StreamSide.Job>()
        self.stream = stream
        description = CameraDescription(
            model: opened.device.identity.card, bus: opened.device.identity.bus, serial: found.serial,
            opticalMax: opened.lens.max, optical: opened.place.factor, formats: opened.formats,
            actuators: opened.lens.actuators, limits: settings.limits)
        mode = opened.setup.mode
        if let drift = opened.lens.drift { reckoned = SteadyLens(speed: drift.rate, at: 1, now: loop.now) }
        let linger = settings.linger
        let frames = try Thread(name: "frames") {
            let side = StreamSide(opened, linger: linger, jobs: stream) { reports.send(.stream($0)) }
            side.run()
        }
        frames.detach()
        reports.attach(to: loop) { [weak self] in self?.received($0) }
    }

    deinit {
        control.abandon()
        stream.send(.quit)
        reports.detach(from: loop)
    }

    private func received(_ report: Report) {
        // Reports of the same batch arrive even after the camera has let go of its threads.
        if isLost { return }
        switch report {
        case .control(let report):
            isControlBusy = false
            received(report)
            nextJob()
        case .stream(.frame(let number, let result)): frames.removeValue(forKey: number)?(result)
        case .stream(.events(let events)): take(events)
        case .stream(.changed(let result)): changed(result)
        case .stream(.streamed(let frames, let lost)): streamed(frames, lost)
        case .stream(.lost): lose()
        }
    }

    func nextJob() {
        guard !isControlBusy, !isLost, !isCropChanging else { return }
        // A lens that is always on its way doesn't keep the others waiting; a stop waits for nobody, but for a crop that is another one.
        let isAlone = settings.isEmpty && (changes.isEmpty || change != nil)
        if let lens = lensToAdopt, lens.crop != nil || wantedLens?.isStop != true {
            lensToAdopt = nil
            submit(.adopt(lens))
        } else if let job = wantedLens, job.isStop || !lastWasLens || isAlone {
            wantedLens = nil
            lastWasLens = true
            submit(job)
        } else if change == nil && !changes.isEmpty {
            lastWasLens = false
            beginChange()
            // Where the one doesn't touch the other, both go on.
            nextJob()
        } else if !settings.isEmpty {
            let next = settings.removeFirst()
            lastWasLens = false
            setting = next
            submit(.set(next.values))
        } else if wantsRefresh {
            wantsRefresh = false
            submit(.refresh)
        }
    }

    private func submit(_ job: ControlSide.Job) {
        isControlBusy = true
        control.submit(job)
    }

    private func received(_ report: ControlSide.Report) {
        switch report {
        case .opened: return
        case .driven(let result): driven(result)
        case .halted(let result): halted(result)
        case .looked(let result): looked(result)
        case .turned(let speed, let error): turned(speed, error)
        case .set(let result):
            let asked = setting
            setting = nil
            if case .success(let now) = result {
                for name in (asked?.values ?? [:]).keys {
                    if let entry = now[name] { told[entry.control.id] = nil }
                }
                note(now)
            }
            asked?.then(result.map { _ in map.list })
            if case .failure(.unplugged) = result { lose() }
        case .refreshed(let result): refreshed(result)
        case .adopted(let result):
            refreshed(result)
            endChange()
        }
    }

    private func refreshed(_ result: Result<ControlMap, CameraError>) {
        guard case .success(let now) = result else { return }
        let before = map.entries
        note(now)
        if map.entries != before { controlsChanged() }
    }

    private func note(_ now: ControlMap) {
        map = now
        for (id, value) in told { _ = map.note(value, of: id) }
    }

    /// The device is gone: every pending request is answered with `.unplugged`, then the owner is called.
    func lose() {
        guard !isLost else { return }
        failPending()
        if isDriving || isStopping { lensReported(.failed(.unplugged)) }
        let wasLost = wasLost
        close()
        wasLost()
    }

    package func close() {
        failPending()
        lensReported = { _ in }
        controlsChanged = {}
        streamed = { _, _ in }
        wasLost = {}
    }

    /// Lets go of the threads and answers all pending requests with `.unplugged`. A completion may call it again: then that
    /// call answers the rest.
    private func failPending() {
        isLost = true
        lookTimer.cancel()
        driftTimer.cancel()
        reports.detach(from: loop)
        control.abandon()
        stream.send(.quit)
        while let number = frames.keys.min() {
            frames.removeValue(forKey: number)?(.failure(.unplugged))
        }
        settings = [setting].compactMap { $0 } + settings
        setting = nil
        while !settings.isEmpty { settings.removeFirst().then(.failure(.unplugged)) }
        dropChanges()
    }
}

// MARK: Controls and frames

extension V4L2Camera {
    package var controls: [Control] { map.list }

    package func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        guard !isLost else { return then(.failure(.unplugged)) }
        guard settings.count < Self.waitingAtMost else {
            return then(
                .failure(.device("it is slow, and \(settings.count) changes of its controls wait already")))
        }
        settings.append((values, then))
        nextJob()
    }

    package func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        guard !isLost else { return then(.failure(.unplugged)) }
        lastFrame += 1
        frames[lastFrame] = then
        // A change of the mode that hasn't begun comes before it.
        if changes.isEmpty {
            stream.send(.frame(number: lastFrame, after: time))
        } else {
            framesHeld.append((lastFrame, time))
        }
    }

    private func take(_ events: [V4L2Event]) {
        var isChanged = false
        for event in events {
            if event.valueChanged {
                told[event.control] = event.value
                isChanged = map.note(event.value, of: event.control) || isChanged
                if event.control == lens.motor?.control { motorMoved(to: event.value) }
            }
            if event.natureChanged { wantsRefresh = true }
        }
        if isChanged { controlsChanged() }
        nextJob()
    }
}
