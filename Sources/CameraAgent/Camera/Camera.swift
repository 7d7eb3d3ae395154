internal import Cameras
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import ZoomModel

/// One camera on the bus: takes commands, asks the model what to do, drives the backend, and publishes what it did.
final class Camera {
    let settings: CameraSettings
    var id: String { settings.id }
    unowned let agent: Agent
    let source: any CameraSource
    /// The camera itself, while it is there; see Camera+presence.swift.
    var backend: any CameraBackend = AbsentCamera()
    var presence = Presence.unknown
    var model: ZoomModel
    var revisions: Revisions
    /// The controls that somebody set, as they were read back.
    var setControls: [String: ControlValue]
    var counter: Int
    /// Whether the zoom is as an earlier run or a command wanted it; a restore that failed is no reason to forget where it was.
    var isZoomOurs = false
    /// The values of the controls as they were said last.
    var saidValues: [String: ControlValue] = [:]
    var isReasserting = false
    /// Where the camera was when it was last there.
    var lastSeen: SavedCamera

    // The zoom; see Camera+zoom.swift.
    var waiting: [Ticket: Waiter] = [:]
    var lastTicket = 0
    var actions: [ZoomAction] = []
    var isPerforming = false
    /// What the backend last said against a request.
    var lensError = CameraError.device("no reason given")

    /// The states of the gestures' nodes as they were last said: whether there is one; nil: nothing was said yet.
    var isPinchSaid: Bool?
    var isTouchSaid: Bool?
    /// Between two words of what may change with each frame.
    static let pace = Duration.milliseconds(100)
    var saidViewport: ViewportField?
    var saidInfo: CameraInfo?
    var lastControls: ContinuousClock.Instant?
    var lastViewport: ContinuousClock.Instant?
    /// When the zoom was said last.
    var lastZoom: ContinuousClock.Instant?

    // Who may, and who wants; see Camera+lease.swift and Camera+desired.swift.
    var lease = Lease()
    private var recent = RecentCommands()
    var desired: SavedDesired?
    var applying: Applying?

    // Photos; see Camera+capture.swift.
    var queue: [CaptureJob] = []
    /// The capture that is being worked at.
    var capture: CaptureJob?
    var lastPhoto: PhotoFields?
    var lastCapture = 0
    /// Frames that came since the agent's start, and those that the driver lost.
    var streamed = (frames: 0, lost: 0)

    // Nodes with a state of their own.
    private(set) lazy var shutter = ShutterNode(self)
    private(set) lazy var recording = RecordingNode(self)
    private(set) lazy var preview = PreviewNode(self)
    private(set) lazy var session = SessionNode(self, saved: lastSeen.session)
    private(set) lazy var homeAssistant = HomeAssistantNode(self)
    private(set) lazy var presets = PresetsNode(self, saved: lastSeen.presets)
    /// Recordings begun.
    private var recordings: Int

    var whenKnown: () -> Void = {}
    lazy var wakeTimer = agent.loop.timer { [weak self] in self?.advance() }
    lazy var restoreTimer = agent.loop.timer { [weak self] in self?.restoreTimerFired() }
    lazy var leaseTimer = agent.loop.timer { [weak self] in self?.leaseTimerFired() }
    lazy var controlsTimer = agent.loop.timer { [weak self] in self?.controlsTimerFired() }
    lazy var viewportTimer = agent.loop.timer { [weak self] in self?.publishViewport() }
    lazy var captureTimer = agent.loop.timer { [weak self] in self?.captureTimerFired() }

    init(_ settings: CameraSettings, agent: Agent, saved: SavedCamera) {
        self.settings = settings
        self.agent = agent
        source = settings.source(agent.loop)
        model = Self.model(settings, agent.settings, of: backend.description)
        revisions = Revisions(after: saved.revReserve)
        setControls = saved.controls
        (counter, recordings) = (saved.captures, saved.recordings)
        desired = saved.desired
        lastSeen = saved
    }

    static func model(
        _ settings: CameraSettings, _ agent: AgentSettings, of camera: CameraDescription
    ) -> ZoomModel {
        ZoomModel(
            .init(
                range: ZoomRange(min: settings.zoom.lowerBound, max: settings.zoom.upperBound),
                opticalMax: camera.opticalMax, gestureTimeout: agent.gestureTimeout, liveRate: agent.liveRate),
            optical: camera.optical)
    }

    /// The number of the last change.
    var rev: Int { revisions.current }

    /// What the state file is to say of this camera.
    var saved: SavedCamera {
        // Until the camera is back, where it was is what counts, should this run be killed too.
        var saved = lastSeen
        if presence == .ready && isZoomOurs {
            saved.factor = model.factor
            (saved.centerX, saved.centerY) = (model.center.x, model.center.y)
        }
        saved.controls = setControls
        saved.revReserve = revisions.reserve
        saved.captures = counter
        saved.recordings = recordings
        saved.session = session.saved
        saved.presets = presets.presets
        saved.desired = desired
        return saved
    }

    /// The same at a clean stop, when no number was used that isn't in here.
    var savedAtStop: SavedCamera {
        var saved = saved
        saved.revReserve = revisions.current
        return saved
    }

    /// Lets go of who still waits; the bus is there until they are answered.
    func prepareToStop() {
        if let applying { agent.refuse(Agent.stopping, applying.asker) }
        applying = nil
        dismissAll(Agent.stopping)
        // Whoever only looks is told at a pace; this is the last.
        if presence == .ready { publishViewport() }
        preview.end()
        publishCapture()
    }

    /// Whether the zoom is on its way.
    var isUnderWay: Bool { presence == .ready && !model.isSettled }

    /// Ends a ramp where it is: nobody is going to carry it on, or to say where the zoom is.
    func halt() {
        guard isUnderWay else { return }
        for ticket in waiting.keys where model.awaits(ticket) {
            // What others wait for is ended with them.
            if case .asker(let asker)? = waiting.removeValue(forKey: ticket) {
                agent.refuse(Agent.stopping, asker)
            }
        }
        lastTicket += 1
        perform(
            model.apply(.stop, ticket: lastTicket, origin: model.snapshot.origin, at: agent.loop.now))
    }

    /// Refuses everybody who waits, but for what is desired.
    func dismissAll(_ error: CommandError) {
        for waiter in waiting.values {
            if case .asker(let asker) = waiter { agent.refuse(error, asker) }
        }
        shutter.letGo(error)
        session.letGo(error)
        // A photo that is made needs no camera any more.
        let isKept = capture?.step == .keeping && !agent.isStopping
        if let capture, !isKept, !capture.isAnswered { agent.refuse(error, capture.asker) }
        for job in queue { agent.refuse(error, job.asker) }
        waiting = [:]
        queue = []
        if !isKept { capture = nil }
    }

    /// Does a command, whatever its node.
    func handle(_ body: Command.Body, _ asker: Asker) {
        if let expiry = asker.envelope.expiry, expiry < Timestamp.now {
            return agent.refuse(
                CommandError(.stale, "The command was good until \(Timestamp.text(expiry))."), asker)
        }
        if let wanted = asker.envelope.ifRev, wanted != rev {
            return agent.refuse(
                CommandError(.conflict, "The camera is at rev \(rev), not \(wanted).", field: "if_rev"),
                asker,
                state: currentZoomState)
        }
        if let absence = presence.problem, body.needsCamera { return agent.refuse(absence, asker) }
        if let problem = leaseProblem(for: body, client: asker.envelope.client) {
            return agent.refuse(problem, asker)
        }
        if let id = asker.envelope.id, body.isOnce,
            recent.isRepeated(.init(client: asker.envelope.client, id: id), at: agent.loop.now)
        {
            return agent.refuse(
                CommandError(
                    .duplicate, "\(id) was carried out before; a new command needs a new id.", field: "id"),
                asker)
        }
        if body.movesZoom { isZoomOurs = true }
        switch body {
        case .zoom(let command): handle(command, asker)
        case .pinch(let command): handle(command, asker)
        case .touch(let command): handle(command, asker)
        case .viewport(let command): handle(command, asker)
        case .capture(let command): takePhotos(command, asker)
        case .press(let command): shutter.handle(command, asker)
        case .recording(let command): recording.handle(command, asker)
        case .session(let command): session.handle(command, asker)
        case .controls(let command): handle(command, asker)
        case .presets(let command): presets.handle(command, asker)
        case .preview(let command): preview.handle(command, asker)
        case .lease(let command): handle(command, asker)
        case .desired(let command): handle(command, asker)
        }
    }

    /// A command was refused: it may come again under the same id.
    func forget(_ envelope: Envelope) {
        if let id = envelope.id { recent.forget(.init(client: envelope.client, id: id)) }
    }

    /// The number of a new recording.
    func nextRecording() -> Int {
        recordings += 1
        agent.saveSoon()
        return recordings
    }

    private func advance() {
        perform(model.advance(to: agent.loop.now))
    }

    /// Notes what the model wants next, after each event.
    func afterEvent() {
        wakeTimer.set(at: model.wake)
        guard model.isSettled else { return }
        agent.cameraCameToRest()
        if presence == .restoring { becomeReady() }
        captureIfSettled()
    }
}

extension Command.Body {
    /// Whether a repetition does harm. Samples are levels and have numbers of their own, a lease is renewed, what is desired has a version.
    fileprivate var isOnce: Bool {
        switch self {
        case .zoom, .viewport, .capture, .press, .recording, .session, .controls, .presets: true
        case .pinch, .touch, .lease, .desired, .preview: false
        }
    }

    /// Whether there is nothing to be done without the camera. Who leads it is the agent's affair, and what is desired waits for it.
    fileprivate var needsCamera: Bool {
        switch self {
        case .zoom, .pinch, .touch, .viewport, .capture, .press, .session, .controls: true
        case .preview(let command): command != .stop
        case .recording(let command): command != .off
        case .presets(let command): !command.isForgetting
        case .lease, .desired: false
        }
    }
}

extension PresetsSet {
    /// Whether it only forgets a preset.
    fileprivate var isForgetting: Bool {
        if case .delete = self { true } else { false }
    }
}
