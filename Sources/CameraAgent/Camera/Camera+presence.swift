internal import Cameras
internal import Logging
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import ZoomModel

/// Whether a camera is there.
enum Presence: Equatable {
    /// Nobody has looked yet.
    case unknown
    case absent(CameraAbsence)
    /// It was found, and gets back the controls that it had.
    case arriving
    /// It goes back to the zoom that it had; whoever wants another may have it already.
    case restoring
    case ready

    /// Why nothing can be asked of the camera; nil: it can.
    var problem: CommandError? {
        switch self {
        case .restoring, .ready: nil
        case .unknown, .arriving: CommandError(.unavailable, "The camera isn't ready yet.")
        case .absent(let absence): CommandError(.unavailable, "The camera \(absence.words).")
        }
    }
}

/// Cameras come and go: each time that one is found it is taken to where it was, before it is said to be there.
extension Camera {
    /// So long a camera may take to get back to where it was, before it is said to be there all the same.
    private static let restoreAtMost = Duration.seconds(5)

    /// Looks for the camera; calls back when it is there, or is known not to be.
    func start(then: @escaping () -> Void) {
        whenKnown = then
        source.found = { [weak self] in self?.found($0) }
        source.missing = { [weak self] in self?.missing($0) }
        source.look()
    }

    private func found(_ camera: any CameraBackend) {
        presence = .arriving
        backend = camera
        backend.lensReported = { [weak self] in self?.lensReported($0) }
        backend.controlsChanged = { [weak self] in self?.controlsChanged() }
        backend.streamed = { [weak self] frames, lost in
            self?.streamed.frames += frames
            self?.streamed.lost += lost
            self?.agent.logger.debug("\(self?.id ?? ""): \(frames) frames came, \(lost) were lost")
        }
        model = Self.model(settings, agent.settings, of: camera.description)
        for remark in camera.remarks { agent.logger.warning("\(id): \(remark)") }
        publishInfo()
        restoreTimer.set(after: Self.restoreAtMost)
        session.restore { [weak self] in
            guard let self, backend === camera, presence == .arriving else { return }
            restoreControls(setControls) { [weak self] in
                guard let self, backend === camera, presence == .arriving else { return }
                restoreZoom()
            }
        }
    }

    /// Frames come in another mode: with some drivers the lens has another range then.
    func modeChanged() {
        publishInfo()
        guard backend.description.opticalMax != model.settings.opticalMax else { return }
        // Before it is taken to where it was, nothing is known of the zoom.
        if presence == .arriving {
            return model = Self.model(settings, agent.settings, of: backend.description)
        }
        perform(model.lensReaches(backend.description.opticalMax, at: agent.loop.now))
    }

    private func restoreZoom() {
        presence = .restoring
        isZoomOurs = true
        restoreTimer.set(after: Self.restoreAtMost)
        publishControls(origin: Origin(kind: .restore))
        // A control that was restored may have enabled others.
        publishInfo()
        session.publish()
        publishWhatNeedsNoCamera()
        perform(
            model.restore(
                factor: lastSeen.factor, center: Point(x: lastSeen.centerX, y: lastSeen.centerY),
                at: agent.loop.now))
    }

    /// A camera that hangs has had its time.
    func restoreTimerFired() {
        if presence == .arriving { return restoreZoom() }
        // Half-way isn't where it was.
        isZoomOurs = false
        becomeReady()
    }

    /// The camera is where it was, or can't get there.
    func becomeReady() {
        restoreTimer.cancel()
        guard presence == .restoring else { return }
        presence = .ready
        say(Availability(.online))
        isKnown()
        preview.begin()
        applyWhatWaited()
    }

    /// Says that nothing is known of the camera yet: what an earlier run said of it isn't true any more.
    func sayThatItIsAwaited() {
        guard presence == .unknown else { return }
        say(Availability(.offline, reason: "not_ready"))
    }

    private func missing(_ absence: CameraAbsence) {
        if presence == .ready { lastSeen = saved }
        let wasThere = presence != .unknown
        presence = .absent(absence)
        agent.logger.warning("\(id): the camera \(absence.words)")
        say(Availability(.offline, reason: absence.reason))
        if wasThere {
            letGo()
        } else {
            // What an earlier run said isn't true any more.
            publishWhatNeedsNoCamera()
        }
        isKnown()
    }

    private func publishWhatNeedsNoCamera() {
        publishGesture()
        publishCapture()
        publishLease()
        publishDesired()
        recording.publish()
        presets.publish()
        preview.publish()
    }

    /// Ends all that went on with a camera that is gone.
    private func letGo() {
        backend.lensReported = { _ in }
        backend.controlsChanged = {}
        backend = AbsentCamera()
        // What is desired waits until it is there again.
        applying?.waits = true
        recording.end(.unplugged)
        preview.pause()
        dismissAll(presence.problem ?? CommandError(.unavailable, "The camera is gone."))
        for timer in [wakeTimer, restoreTimer, viewportTimer, captureTimer, controlsTimer] { timer.cancel() }
        actions = []
        model = Self.model(settings, agent.settings, of: backend.description)
        publishGesture()
        publishCapture()
        publishDesired()
        presets.publish()
        agent.saveSoon()
    }

    func say(_ availability: Availability) {
        agent.bus.retain(agent.topics.availability(of: id), JSON.bytes(availability))
    }

    private func isKnown() {
        let then = whenKnown
        whenKnown = {}
        then()
    }
}

extension CameraAbsence {
    /// What the camera's availability says.
    var reason: String {
        switch self {
        case .notFound: "not_found"
        case .unplugged: "unplugged"
        case .unusable: "unusable"
        case .replaced: "replaced"
        }
    }

    /// Completes "The camera …".
    var words: String {
        switch self {
        case .notFound: "isn't there"
        case .unplugged: "was unplugged"
        case .unusable(let words): "can't be used: \(words)"
        case .replaced: "gives way to one that stands before it in the list"
        }
    }
}
