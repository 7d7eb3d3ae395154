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

    /// How often a motor that is on its way is asked where it is, and how often it may say the same before it is taken to have stopped.
    private static let lookEvery = Duration.milliseconds(33)
    private static let sameAtMost = 30
    /// Settings of controls that wait; one more is refused.
    private static let settingsAtMost = 16

    package private(set) var description: CameraDescription
    package private(set) var mode: CameraMode
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
    private let stream: Inbox<StreamSide.Job>
    let lens: V4L2Lens
    private var map: ControlMap
    private var isLost = false

    // The control thread has one job at a time, so that a stop is behind one other at the most.
    private var isControlBusy = false
    var wantedLens: ControlSide.Job?
    private var settings: [Setting] = []
    private var setting: Setting?
    private var lastWasLens = false
    private var wantsRefresh = false
    /// What events said: a driver that keeps values may go on reading the one from before.
    private var told: [UInt32: Int64] = [:]

    private var place: LensPlace
    var isMoving = false
    private var timesTheSame = 0
    /// What the lens was told last, and nobody has disturbed since.
    private var lastGoal: V4L2Lens.Goal?
    private var wantedGoal: V4L2Lens.Goal?
    /// A drive is under way and wasn't reported yet.
    var isDriving = false
    var isStopping = false
    /// Of a lens without a position; see V4L2Camera+drift.swift.
    var reckoned: SteadyLens?
    var driftGoal = 1.0
    var speed: Int64 = 0
    lazy var driftTimer = loop.timer { [weak self] in self?.driftTicked() }
    private lazy var lookTimer = loop.timer { [weak self] in self?.lookAgain() }

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
        mode = CameraMode(
            pixelFormat: V4L2Format.letters(opened.format.pixelFormat), width: opened.format.width,
            height: opened.format.height, rate: V4L2Format.rounded(opened.rate))
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
        switch report {
        case .control(let report):
            isControlBusy = false
            received(report)
            nextJob()
        case .stream(.frame(let number, let result)): frames.removeValue(forKey: number)?(result)
        case .stream(.events(let events)): take(events)
        case .stream(.streamed(let frames, let lost)): streamed(frames, lost)
        case .stream(.lost): lose()
        }
    }

    func nextJob() {
        guard !isControlBusy, !isLost else { return }
        // A lens that is always on its way doesn't keep the controls waiting; a stop waits for nobody.
        if let job = wantedLens, job.isStop || !lastWasLens || settings.isEmpty {
            wantedLens = nil
            lastWasLens = true
            submit(job)
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
        case .refreshed(let result):
            guard case .success(let now) = result else { return }
            let before = map.entries
            note(now)
            if map.entries != before { controlsChanged() }
        }
    }

    private func note(_ now: ControlMap) {
        map = now
        for (id, value) in told { _ = map.note(value, of: id) }
    }

    /// The device is gone: whoever waits is told, then the owner.
    func lose() {
        guard !isLost else { return }
        isLost = true
        lookTimer.cancel()
        driftTimer.cancel()
        reports.detach(from: loop)
        let waiting = frames.sorted { $0.key < $1.key }.map(\.value)
        frames = [:]
        for then in waiting { then(.failure(.unplugged)) }
        let refused = [setting].compactMap { $0 } + settings
        (setting, settings) = (nil, [])
        for asked in refused { asked.then(.failure(.unplugged)) }
        if isDriving || isStopping { lensReported(.failed(.unplugged)) }
        wasLost()
    }
}

// MARK: The lens

extension V4L2Camera {
    package func driveLens(to optical: Double) {
        guard !isLost else { return lensReported(.failed(.unplugged)) }
        if lens.drift != nil { return drift(to: optical) }
        let goal = lens.goal(at: optical)
        // Between two steps of a lens there is nothing to be done.
        if goal == lastGoal {
            return lensReported(.written(optical: place.factor, moving: isMoving))
        }
        isDriving = true
        lastGoal = nil
        wantedGoal = goal
        lookTimer.cancel()
        if let motor = lens.motor { told[motor.control] = nil }
        wantedLens = .drive(goal)
        nextJob()
    }

    package func stopLens() {
        guard !isLost else { return lensReported(.failed(.unplugged)) }
        if lens.drift != nil { return stopDrift() }
        lookTimer.cancel()
        isStopping = true
        isDriving = false
        lastGoal = nil
        wantedLens = .halt(
            isMoving: isMoving || isControlBusy, known: lens.motor.flatMap { told[$0.control] })
        nextJob()
    }

    private func driven(_ result: Result<LensPlace, CameraError>) {
        guard isDriving else { return }
        isDriving = false
        switch result {
        case .success(let now):
            note(now)
            isMoving = now.isShort
            lastGoal = wantedGoal
            // An event on the way is of no more use.
            if let motor = lens.motor { told[motor.control] = nil }
            timesTheSame = 0
            if isMoving { lookTimer.set(after: Self.lookEvery) }
            lensReported(.written(optical: place.factor, moving: isMoving))
        case .failure(.unplugged): lose()
        case .failure(let error):
            isMoving = false
            lensReported(.failed(error))
        }
    }

    private func halted(_ result: Result<LensPlace, CameraError>) {
        guard isStopping else { return }
        isStopping = false
        isMoving = false
        switch result {
        case .success(let now):
            note(now)
            lensReported(.stopped(optical: place.factor))
        case .failure(.unplugged): lose()
        case .failure(let error): lensReported(.failed(error))
        }
    }

    private func lookAgain() {
        guard wantedLens == nil else { return }
        wantedLens = .look
        nextJob()
    }

    private func looked(_ result: Result<LensPlace, CameraError>) {
        guard isMoving, !isDriving, !isStopping else { return }
        switch result {
        case .success(let now):
            timesTheSame = now.raw == place.raw ? timesTheSame + 1 : 0
            isMoving = timesTheSame < Self.sameAtMost && now.raw != lastGoal?.raw
            note(now)
            if isMoving {
                lookTimer.set(after: Self.lookEvery)
            } else if now.raw != lastGoal?.raw {
                // It won't get there: the next wish is a new one, even if it is the same.
                lastGoal = nil
            }
            lensReported(.moved(optical: place.factor, moving: isMoving))
        case .failure(.unplugged): lose()
        case .failure(let error):
            isMoving = false
            lastGoal = nil
            lensReported(.failed(error))
        }
    }

    private func note(_ now: LensPlace) {
        place = now
        description.optical = now.factor
        if let motor = lens.motor, let raw = now.raw { _ = map.note(raw, of: motor.control) }
    }

    /// The motor is elsewhere by somebody else's hand, or it tells of its own way.
    private func motorMoved(to raw: Int64) {
        guard let motor = lens.motor, raw != place.raw else { return }
        // On its way it is between where it was and where it was sent.
        let way = [place.raw, lastGoal?.raw ?? wantedGoal?.raw].compactMap { $0 }
        let isOnItsWay = (way.min() ?? raw) <= raw && raw <= (way.max() ?? raw)
        let isOurs = (isDriving || isMoving) && isOnItsWay
        let crop = place.factor / motor.calibration.factor(at: place.raw ?? motor.range.lowerBound)
        lastGoal = nil
        place.raw = raw
        place.factor = motor.calibration.factor(at: raw) * crop
        description.optical = place.factor
        // While we drive it ourselves, the reports of that say where it is.
        if !isOurs && !isStopping { lensReported(.taken(optical: place.factor)) }
    }
}

// MARK: Controls and frames

extension V4L2Camera {
    package var controls: [Control] { map.list }

    package func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        guard !isLost else { return then(.failure(.unplugged)) }
        guard settings.count < Self.settingsAtMost else {
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
        stream.send(.frame(number: lastFrame, after: time))
    }

    package func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        then(.failure(.device("the mode can't be changed yet")))
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
