internal import Cameras
package import Logging
package import LoopThread
package import MQTTBus
internal import Messages
internal import StateStore

/// Puts cameras on a bus: takes each message to the camera that it is for, and keeps what has to be kept.
///
/// Everything here happens on one loop. Where something blocks (the disk, a codec, a name server) a thread of its own does it and
/// reports back.
package final class Agent {
    /// From a change to its way to the disk.
    private static let saveDelay = Duration.milliseconds(100)

    let settings: AgentSettings
    let loop: EventLoop
    let bus: MQTTBus
    let topics: Topics
    let darkroom: Darkroom
    let album: Album
    let recordings: RecordingFolder
    let logger: Logger
    let boot: Int

    private var saved: SavedState
    private let writer: StateWriter<SavedState>
    private let writes: Inbox<Result<Void, StateStoreError>>
    private var isSaving = true
    private(set) var cameras: [String: Camera] = [:]
    /// Which nodes a topic is for: one camera's, or, with a group's topic, those of several.
    private(set) var routes: [String: [Route]] = [:]
    /// Which shutter buttons a topic is, whoever it belongs to.
    private(set) var bindings: [String: [BoundButton]] = [:]
    var limits: RateLimits
    private var isOnline = false
    /// Nothing is begun any more.
    private(set) var isStopping = false
    /// Cameras of which it isn't known yet whether they are there.
    private lazy var camerasToBeKnown = cameras.count
    /// Called when the connection to the broker comes or goes.
    package var connectionChanged: (BusEvent) -> Void = { _ in }
    private var whenOnline: () -> Void = {}
    private static let onlineAtLast = Duration.seconds(6)
    private lazy var onlineTimer = loop.timer { [weak self] in self?.becomeOnline() }
    /// So long a stop waits for the files of recordings to be complete; what isn't then plays all the same.
    private static let recordingsAtMost = Duration.seconds(10)
    private var whenRecordingsAreLate: () -> Void = {}
    /// So long lenses that move may take to stop, at the end.
    private static let restAtMost = Duration.milliseconds(200)
    private var whenAtRest: (() -> Void)?
    private lazy var rest = loop.timer { [weak self] in self?.endOfWait() }
    private lazy var endOfRecordings = loop.timer { [weak self] in self?.whenRecordingsAreLate() }
    /// There while somebody looks.
    private var previewer: Previewer?
    /// What Home Assistant is told.
    private(set) lazy var link = HomeAssistantLink(self, known: saved.discovered)
    private(set) lazy var leftovers = Leftovers(self, served: saved.served)
    private lazy var diagnostics = Diagnostics(self)
    /// Where the broker's access rules don't let us publish.
    private var refusedTopics: Set<String> = []
    private static let refusalsAtMost = 100
    private lazy var saveTimer = loop.timer { [weak self] in self?.save() }

    /// What kept an agent from starting.
    package enum Problem {
        /// The settings can't be used.
        case configuration
        /// The state can't be kept.
        case storage
        /// The system refused what every program needs.
        case other

        package init(_ error: any Error) {
            switch error {
            case is BusError: self = .configuration
            case is StateStoreError: self = .storage
            default: self = .other
            }
        }
    }

    struct Route {
        let camera: Camera
        let node: Node
    }

    /// Loads the state, and takes the cameras to where they were.
    ///
    /// - Throws: `StateStoreError` when the state can't be kept; `BusError` when the bus settings can't be used; `LoopError` when
    ///   the process is out of threads or descriptors.
    package init(_ settings: AgentSettings, on loop: EventLoop, logger: Logger) throws {
        self.settings = settings
        self.loop = loop
        self.logger = logger
        topics = Topics(base: settings.baseTopic, agent: settings.agent)
        limits = RateLimits(rate: Double(settings.commandRate))

        let (file, found) = try StateFile<SavedState>.open(settings.stateFile)
        for damaged in found.damaged { logger.error("\(damaged)") }
        var saved = found.document ?? SavedState()
        saved.boot += 1
        boot = saved.boot

        var busSettings = settings.bus
        busSettings.will = (
            topics.agentAvailability, JSON.bytes(Availability(.offline, boot: saved.boot))
        )
        let groups = Set(settings.cameras.flatMap(\.groups))
        let commands = (topics.commandFilters + groups.sorted().map(topics.commandFilter(forGroup:))).map {
            BusFilter($0, .commands)
        }
        // On 3.1.1 what is retained comes by every filter; a second one would only bring it twice.
        let desired = settings.bus.version == .v5 ? [BusFilter(topics.desiredFilter, .includingRetained)] : []
        let buttons = Set(settings.cameras.flatMap(\.shutter.bindings).map(\.topic)).sorted()
            .map { BusFilter($0, .newOnly) }
        bus = try MQTTBus(
            busSettings,
            filters: commands + desired + buttons + HomeAssistantLink.filters(settings)
                + Leftovers.filters(saved.served, besides: topics), on: loop)
        darkroom = try Darkroom(on: loop)
        recordings = RecordingFolder(
            settings.recordings.folder, cameras: settings.cameras.map(\.id))
        album = try Album(
            settings.captures.folder, cameras: settings.cameras.map(\.id), recordings: recordings, on: loop)
        let writes = try Inbox<Result<Void, StateStoreError>>()
        self.writes = writes

        for camera in settings.cameras where saved.cameras[camera.id] == nil {
            var unknown = SavedCamera()
            // What was lost with a damaged file may have been any number: controllers would take all that follows for old.
            if found.document == nil && !found.damaged.isEmpty { unknown.revReserve = Revisions.beyondAll }
            saved.cameras[camera.id] = unknown
        }
        let before = saved.cameras
        // Under this name, these may be at the broker from now on.
        saved.served[topics.root] = Set(saved.served[topics.root] ?? []).union(settings.cameras.map(\.id))
            .sorted()
        // What this run reserves has to be on the disk before any of it is used.
        for id in saved.cameras.keys { saved.cameras[id]?.revReserve += Revisions.block }
        // Twice, so that the generation before has it too, should the newest be damaged.
        try file.write(saved)
        try file.write(saved)
        writer = try StateWriter(file: file, debounce: .milliseconds(50)) { writes.send($0) }
        self.saved = saved

        for camera in settings.cameras {
            cameras[camera.id] = Camera(
                camera, agent: self, saved: before[camera.id] ?? SavedCamera())
        }
    }

    /// Begins: connects, restores the cameras, and says `online` once they are where they were.
    ///
    /// - Parameter online: called when the agent serves its cameras, whether or not there is a broker yet.
    package func start(online: @escaping () -> Void) {
        whenOnline = online
        writes.attach(to: loop) { [weak self] in self?.wasSaved($0) }
        bus.received = { [weak self] in self?.received($0) }
        bus.connectionChanged = { [weak self] in self?.noteConnection($0) }
        bus.publicationRefused = { [weak self] topic, reason in self?.noteRefusal(topic, reason) }
        bus.retain(
            topics.agentInfo,
            JSON.bytes(
                AgentInfo(
                    agent: settings.agent, version: settings.version, protocol: AgentSettings.protocolLevel,
                    host: settings.host, cameras: settings.cameras.map(\.id), started: Timestamp.text())))
        for (id, camera) in cameras {
            for node in Node.allCases {
                let route = Route(camera: camera, node: node)
                routes[topics.command(for: node, camera: id)] = [route]
                for group in camera.settings.groups {
                    routes[topics.command(for: node, group: group), default: []].append(route)
                }
            }
            for binding in camera.settings.shutter.bindings {
                bindings[binding.topic, default: []].append(BoundButton(camera: camera, binding: binding))
            }
        }
        link.start()
        leftovers.start()
        diagnostics.look()
        onlineTimer.set(after: Self.onlineAtLast)
        for camera in settings.cameras {
            cameras[camera.id]?.start { [weak self] in self?.cameraIsKnown() }
        }
        bus.start()
    }

    /// Ends cleanly: recordings are complete, everybody is told, the state is on the disk. Calls back with whether it is.
    package func stop(then: @escaping (_ saved: Bool) -> Void) {
        isStopping = true
        for camera in cameras.values { camera.halt() }
        let recording = cameras.values.filter(\.recording.isActive)
        guard !recording.isEmpty else { return goOffline(then: then) }
        var open = recording.count
        let goOn = { [weak self] in
            open = 0
            self?.endOfRecordings.cancel()
            self?.goOffline(then: then)
        }
        whenRecordingsAreLate = goOn
        endOfRecordings.set(after: Self.recordingsAtMost)
        for camera in recording {
            camera.recording.end(.agentStopped) { _ in
                open -= 1
                if open == 0 { goOn() }
            }
        }
    }

    /// Called when a recording has ended.
    package var recordingEnded: () -> Void = {}

    /// Whether somebody would lose frames by a stop.
    package var isRecording: Bool { cameras.values.contains(where: \.recording.isActive) }

    private func goOffline(then: @escaping (_ saved: Bool) -> Void) {
        // A lens takes its time to stop; where it did is said before anybody is sent away.
        whenAtRest = { [weak self] in self?.sayGoodbye(then: then) }
        rest.set(after: Self.restAtMost)
        cameraCameToRest()
    }

    /// A camera's zoom came to rest, perhaps the last one that is waited for.
    func cameraCameToRest() {
        guard whenAtRest != nil, !cameras.values.contains(where: \.isUnderWay) else { return }
        endOfWait()
    }

    private func endOfWait() {
        let goOn = whenAtRest
        whenAtRest = nil
        rest.cancel()
        goOn?()
    }

    private func sayGoodbye(then: @escaping (_ saved: Bool) -> Void) {
        leftovers.settle()
        for camera in cameras.values {
            camera.prepareToStop()
            camera.say(Availability(.offline, reason: "stopped"))
        }
        bus.retain(topics.agentAvailability, JSON.bytes(Availability(.stopped, boot: boot)))
        // Nobody could be answered any more: nothing is obeyed either.
        bus.received = { _ in }
        // What is kept is what everybody saw last.
        saveTimer.cancel()
        for (id, camera) in cameras { saved.cameras[id] = camera.savedAtStop }
        (saved.discovered, saved.served) = (link.known, leftovers.served)
        bus.stop { [self] in
            saveTimer.cancel()
            writer.submit(saved)
            do {
                try writer.stop(within: .milliseconds(400))
                then(true)
            } catch {
                logger.error("the state isn't saved: \(error)")
                then(false)
            }
        }
    }

    private func cameraIsKnown() {
        camerasToBeKnown -= 1
        if camerasToBeKnown == 0 { becomeOnline() }
    }

    /// Also when a camera that hangs keeps its secret: the others are served.
    private func becomeOnline() {
        onlineTimer.cancel()
        guard !isOnline else { return }
        for camera in cameras.values { camera.sayThatItIsAwaited() }
        isOnline = true
        bus.retain(topics.agentAvailability, JSON.bytes(Availability(.online, boot: boot)))
        whenOnline()
    }

    private func noteConnection(_ event: BusEvent) {
        connectionChanged(event)
        switch event {
        case .subscriptionRefused(let filter)
        where HomeAssistantLink.filters(settings).contains { $0.filter == filter }:
            logger.notice(
                "the broker doesn't let us subscribe to \(filter): Home Assistant isn't heard there")
        case .subscriptionRefused(let filter) where leftovers.awaits(filter):
            logger.notice(
                "the broker doesn't let us subscribe to \(filter): what is kept of an earlier name stays")
        case .subscriptionRefused(let filter):
            logger.error("the broker doesn't let us subscribe to \(filter): no command can come from there")
        case .subscribed: leftovers.subscribed()
        case .connected:
            leftovers.connected()
            logger.info("connected to \(settings.bus.host):\(settings.bus.port)")
        case .disconnected(let reason, let wait):
            leftovers.disconnected()
            let seconds = (wait / .seconds(1) * 10).rounded() / 10
            logger.warning(
                "no connection to \(settings.bus.host):\(settings.bus.port): \(reason); next try in \(seconds) s"
            )
        }
    }

    /// Once for each topic: it is the same with each message.
    private func noteRefusal(_ topic: String, _ reason: String) {
        guard refusedTopics.count < Self.refusalsAtMost, refusedTopics.insert(topic).inserted else { return }
        logger.error("the broker doesn't take what is published on \(topic): \(reason)")
    }

    /// Where previews are made.
    ///
    /// - Throws: ``LoopError`` when there can be no further thread.
    func needPreviewer() throws(LoopError) -> Previewer {
        if let previewer { return previewer }
        let made = try Previewer(on: loop)
        previewer = made
        return made
    }

    /// A camera is looked at by nobody any more.
    func previewEnded() {
        if !cameras.values.contains(where: \.preview.isWanted) { previewer = nil }
    }

    // MARK: State

    /// Has the state saved a short while from now.
    func saveSoon() {
        if !saveTimer.isSet { saveTimer.set(after: Self.saveDelay) }
    }

    private func save() {
        for (id, camera) in cameras { saved.cameras[id] = camera.saved }
        (saved.discovered, saved.served) = (link.known, leftovers.served)
        writer.submit(saved)
    }

    private func wasSaved(_ result: Result<Void, StateStoreError>) {
        switch result {
        case .success:
            if !isSaving { logger.notice("the state is saved again") }
            isSaving = true
        case .failure(let error):
            if isSaving { logger.error("the state isn't saved, and is tried again: \(error)") }
            isSaving = false
        }
    }
}
