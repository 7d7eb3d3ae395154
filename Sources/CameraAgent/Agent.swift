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
    let logger: Logger
    let boot: Int

    private var saved: SavedState
    private let writer: StateWriter<SavedState>
    private let writes: Inbox<Result<Void, StateStoreError>>
    private var isSaving = true
    private(set) var cameras: [String: Camera] = [:]
    private var routes: [String: Route] = [:]
    private var isOnline = false
    /// Called when the connection to the broker comes or goes.
    package var connectionChanged: (BusEvent) -> Void = { _ in }
    private var whenOnline: () -> Void = {}
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

        let (file, found) = try StateFile<SavedState>.open(settings.stateFile)
        for damaged in found.damaged { logger.error("\(damaged)") }
        var saved = found.document ?? SavedState()
        saved.boot += 1
        boot = saved.boot

        var busSettings = settings.bus
        busSettings.will = (
            topics.agentAvailability, JSON.bytes(Availability(.offline, boot: saved.boot))
        )
        bus = try MQTTBus(busSettings, filters: topics.commandFilters.map { ($0, false) }, on: loop)
        darkroom = try Darkroom(settings.captures, on: loop)
        let writes = try Inbox<Result<Void, StateStoreError>>()
        self.writes = writes

        for camera in settings.cameras where saved.cameras[camera.id] == nil {
            saved.cameras[camera.id] = SavedCamera()
        }
        let before = saved.cameras
        // What this run reserves has to be on the disk before any of it is used.
        for id in saved.cameras.keys { saved.cameras[id]?.revReserve += Revisions.block }
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
        bus.retain(
            topics.agentInfo,
            JSON.bytes(
                AgentInfo(
                    agent: settings.agent, version: settings.version, protocol: AgentSettings.protocolLevel,
                    host: settings.host, cameras: settings.cameras.map(\.id), started: Timestamp.text())))
        for (id, camera) in cameras {
            for node in Node.served {
                routes[topics.command(for: node, camera: id)] = Route(camera: camera, node: node)
            }
        }
        for camera in settings.cameras {
            cameras[camera.id]?.restore { [weak self] in self?.cameraIsReady() }
        }
        bus.start()
    }

    /// Ends cleanly: everybody is told, the state is on the disk. Calls back with whether it is.
    package func stop(then: @escaping (_ saved: Bool) -> Void) {
        for (id, camera) in cameras {
            camera.prepareToStop()
            bus.retain(
                topics.availability(of: id), JSON.bytes(Availability(.offline, reason: "stopped")))
        }
        bus.retain(topics.agentAvailability, JSON.bytes(Availability(.stopped, boot: boot)))
        bus.stop { [self] in
            saveTimer.cancel()
            for (id, camera) in cameras { saved.cameras[id] = camera.savedAtStop }
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

    private func cameraIsReady() {
        guard !isOnline, cameras.values.allSatisfy(\.isReady) else { return }
        isOnline = true
        bus.retain(topics.agentAvailability, JSON.bytes(Availability(.online, boot: boot)))
        whenOnline()
    }

    private func noteConnection(_ event: BusEvent) {
        connectionChanged(event)
        switch event {
        case .connected:
            logger.info("connected to \(settings.bus.host):\(settings.bus.port)")
        case .disconnected(let reason, let wait):
            let seconds = (wait / .seconds(1) * 10).rounded() / 10
            logger.warning(
                "no connection to \(settings.bus.host):\(settings.bus.port): \(reason); next try in \(seconds) s"
            )
        }
    }

    // MARK: State

    /// Has the state saved a short while from now.
    func saveSoon() {
        if !saveTimer.isSet { saveTimer.set(after: Self.saveDelay) }
    }

    private func save() {
        for (id, camera) in cameras { saved.cameras[id] = camera.saved }
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

// MARK: Messages

extension Agent {
    private func received(_ message: BusMessage) {
        var asker = Asker(message)
        if let route = routes[message.topic] {
            asker.camera = route.camera.id
            asker.node = route.node.rawValue
            let command = Command(for: route.node, payload: message.payload)
            asker.envelope = command.envelope
            if let problem = problem(with: message) { return refuse(problem, asker) }
            switch command.body {
            case .success(let body): route.camera.handle(body, asker)
            case .failure(let error): refuse(error, asker)
            }
            return
        }
        asker.envelope = Envelope(sentIn: message.payload)
        switch topics.addressee(of: message.topic) {
        case .nobody: return
        case .short: refuse(problem(with: message) ?? tooShort(message.topic), asker)
        case .node(let camera, let node):
            asker.camera = camera
            asker.node = node
            refuse(problem(with: message) ?? notServed(camera, node, message.payload), asker)
        }
    }

    /// Why a message can't be a command, whatever it says.
    private func problem(with message: BusMessage) -> CommandError? {
        if let topic = message.responseTopic, !topics.isResponseTopic(topic) {
            return CommandError(
                .badTopic,
                "The response topic \(topic) is among the agent's own; there, one has to end in /reply.")
        }
        guard message.isRetained else { return nil }
        return CommandError(
            .stale,
            "Commands are never retained: this one would be carried out again at each start. Send it without."
        )
    }

    private func tooShort(_ topic: String) -> CommandError {
        let example = topics.command(for: .zoom, camera: cameras.keys.min() ?? "camera")
        return CommandError(.badTopic, "\(topic): a command needs a camera and a node, as in \(example).")
    }

    /// Why a camera's node isn't served.
    private func notServed(_ camera: String, _ node: String, _ payload: [UInt8]) -> CommandError {
        guard cameras[camera] != nil else {
            return CommandError(
                .badTopic,
                "There is no camera \"\(camera)\" here; there is \(cameras.keys.sorted().joined(separator: ", "))."
            )
        }
        guard let known = Node(rawValue: node) else {
            return CommandError(
                .badTopic,
                "There is no node \"\(node)\"; there is \(Node.served.map(\.rawValue).joined(separator: ", "))."
            )
        }
        switch Command(for: known, payload: payload).body {
        case .failure(let error): return error
        case .success: return CommandError(.internal, "\(node) has no route; this is a defect.")
        }
    }

    /// Answers that a command isn't carried out, and lets the others know.
    func refuse(_ error: CommandError, _ asker: Asker, state: ZoomState? = nil) {
        logger.debug("refused: \(asker.topic): \(error.code.rawValue): \(error.message)")
        var reply = asker.reply(.error, boot: boot)
        reply.error = error
        reply.state = state
        reply.rev = asker.camera.flatMap { cameras[$0] }?.rev
        answer(reply, asker)
        guard let camera = asker.camera, cameras[camera] != nil else { return }
        var event = Event(.refused, boot: boot, ts: reply.ts)
        (event.node, event.error) = (asker.node, error)
        (event.client, event.id) = (asker.envelope.client, asker.envelope.id)
        bus.tell(topics.event(camera: camera), JSON.bytes(event))
    }

    /// Sends an answer to where the asker wants it.
    func answer(_ reply: Reply, _ asker: Asker) {
        // A response topic that isn't to be used is refused, and the refusal goes beside the command.
        guard let topic = asker.responseTopic, topics.isResponseTopic(topic) else {
            return bus.tell(topics.reply(toCommandOn: asker.topic), JSON.bytes(reply), qos: asker.qos)
        }
        bus.tell(
            topic, JSON.bytes(reply), qos: asker.qos,
            BusProperties(contentType: "application/json", correlation: asker.correlation))
    }
}
