internal import Bus
internal import Contract

/// The commands of pages, of downloads and of the console itself on their way to the cameras, and the answers
/// on their way back. It decides who may send what.
final class PageCommands {
    private let settings: ConsoleSettings
    private let topics: CameraTopics
    private let cameras: CameraList
    private unowned let bus: any ConsoleBus
    /// The topic of the answers. Each message that comes is compared with it.
    let responseTopic: String
    /// Below it are the answers of agents without MQTT 5 that take only proved clients; nil: none comes.
    let answerPlace: String?
    private var requests = Requests()
    private var requestCount = 0
    /// Whether there is a connection to the broker.
    private(set) var isConnected = false

    /// Commands that end what pages have begun, while there is no connection.
    private var ends: [(time: ContinuousClock.Instant, node: String, send: () -> Void)] = []
    private static let maxEnds = 1000

    /// How long the end of an input waits for a connection. Later the agent has ended the input itself:
    /// `schemas/reference.md` has the longest time of a `move`, `schemas/limits.md` that of a held button.
    private static func lifetime(ofEndOf node: String) -> Duration { .seconds(node == "zoom" ? 10 : 600) }

    /// - Parameter bus: outlives this object.
    init(_ settings: ConsoleSettings, _ topics: CameraTopics, _ cameras: CameraList, _ bus: any ConsoleBus) {
        (self.settings, self.topics, self.cameras, self.bus) = (settings, topics, cameras, bus)
        responseTopic = Topics.answerPrefix(of: settings.account ?? settings.name) + settings.clientID
        answerPlace = settings.account.map { String(Topics.answerPrefix(of: $0).dropLast()) }
    }

    /// There is a connection to the broker: what pages held is ended.
    func connected(at time: ContinuousClock.Instant) {
        isConnected = true
        for end in ends where time - end.time <= Self.lifetime(ofEndOf: end.node) { end.send() }
        ends = []
    }

    /// The connection to the broker has ended: what is not answered never will be.
    func disconnected() {
        isConnected = false
        for handle in requests.removeAll() { handle(.lost) }
    }

    /// Answers what has waited for too long.
    func expire(at time: ContinuousClock.Instant) {
        for handle in requests.expire(at: time) { handle(.expired) }
    }

    /// The answers for a page, or to a request of the server, are not expected any more.
    func forget(owner: String) { requests.remove(owner: owner) }

    /// Takes a message that came as an answer. The handler of the request may send the next command.
    ///
    /// - Parameter camera: whose topic it has; nil: the common topic of answers.
    func takeAnswer(_ message: BusMessage, of camera: CameraAddress? = nil) {
        requests.take(message, of: camera)?()
    }

    // MARK: Commands

    /// Why a command of a viewer is not sent; nil: it may be sent.
    private func refusal(
        of camera: CameraAddress, _ node: String, _ payload: JSONObject, from viewer: Viewer
    ) -> CommandError? {
        // A camera outside the patterns does not exist for the viewer.
        guard viewer.sees(camera), cameras.summary(of: camera) != nil else {
            return CommandError(.badTopic, "there is no camera \(camera)")
        }
        guard let contract = Node(name: node)?.contract else {
            return CommandError(.badTopic, "there is no node \(node)")
        }
        guard let needed = contract.role(for: payload), viewer.role >= needed else {
            return CommandError(.forbidden, "the role \(viewer.role.rawValue) does not permit this")
        }
        guard isConnected else {
            return CommandError(.unavailable, "the console has no connection to the broker")
        }
        return nil
    }

    /// Sends a command of a page, or answers why it is not sent.
    func carryOut(
        _ command: PageCommand, of page: Page, _ viewer: Viewer, at time: ContinuousClock.Instant
    ) {
        let id = command.id.map { "\(page.name)-\($0)" }
        let error =
            refusal(of: command.camera, command.node, command.payload, from: viewer)
            ?? id.flatMap { requests.refusal(of: $0, owner: page.name) }
        if let error {
            if let id = command.id { page.send(PageText.refusal(id, error)) }
            return
        }
        var payload = command.payload
        if let gesture = payload["gesture"]?.text { payload["gesture"] = .text("\(page.name)-\(gesture)") }
        let outcome = page.held.note(
            command.camera, command.node, payload, isAnswered: command.id != nil)
        guard let id, let pageID = command.id else {
            return send(command.camera, command.node, payload, client: viewer.name, qos: .atMostOnce)
        }
        request(command.camera, command.node, payload, id: id, viewer, owner: page.name, at: time) {
            [weak page] result in
            // Without an answer, what the command should end may go on.
            if case .answer(_, let status) = result {
                page?.held.answered(outcome, isRefused: status == .error)
            }
            page?.send(result, of: pageID, command.camera)
        }
    }

    /// Sends a command of the server.
    ///
    /// - Returns: the owner for ``forget(owner:)``.
    /// - Throws: why it was not sent; then `handle` is not called.
    func request(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, _ viewer: Viewer,
        at time: ContinuousClock.Instant, handle: @escaping (RequestResult) -> Void
    ) throws(CommandError) -> String {
        if let error = refusal(of: camera, node, payload, from: viewer) { throw error }
        requestCount += 1
        // No page has this name.
        let name = "\(PageName.make(requestCount)).request"
        request(camera, node, payload, id: name, viewer, owner: name, at: time, handle: handle)
        return name
    }

    /// Sends a command that ends what a page has begun. Without a connection it waits for the next one, but
    /// not for ever: `stop` might end what another client has begun.
    func send(_ command: HeldInputs.Command, for viewer: Viewer, at time: ContinuousClock.Instant) {
        let send = { [unowned self] in
            self.send(
                command.camera, command.node, command.payload, client: viewer.name, qos: .atLeastOnce)
        }
        if isConnected { return send() }
        ends.removeAll { time - $0.time > Self.lifetime(ofEndOf: $0.node) }
        if ends.count < Self.maxEnds { ends.append((time, command.node, send)) }
    }

    /// Sends a command of the console itself. Without a connection it is left out.
    func sendOwn(_ camera: CameraAddress, _ node: String, _ payload: JSONObject) {
        guard isConnected else { return }
        send(camera, node, payload, client: settings.name, qos: .atLeastOnce)
    }

    /// Asks an agent, whose `info` is missing, for its retained messages. Without it, it is not known whether
    /// the agent takes only commands whose topic names the account: it gets both kinds, and refuses one.
    func refresh(_ agent: String) {
        let topics = Topics(base: settings.baseTopic, agent: agent)
        for account in Set([nil, settings.account]) {
            let payload: JSONObject = settings.name == account ? [:] : ["client": .text(settings.name)]
            bus.publish(
                topics.refresh(client: account), JSON.bytes(JSON.object(payload)), qos: .atLeastOnce,
                BusProperties())
        }
    }

    private func request(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, id: String, _ viewer: Viewer,
        owner: String, at time: ContinuousClock.Instant, handle: @escaping (RequestResult) -> Void
    ) {
        let files: Int = if case .integer(let count) = payload["count"] { count } else { 1 }
        let correlation = requests.add(id, of: camera, owner: owner, files: files, at: time, handle)
        var payload = payload
        payload["id"] = .text(id)
        let properties = BusProperties(responseTopic: responseTopic, correlation: Array(correlation.utf8))
        send(camera, node, payload, client: viewer.name, qos: .atLeastOnce, properties)
    }

    /// Sends a command as a message of the contract (`schemas/README.md`).
    ///
    /// - Parameter client: for which the command is sent.
    private func send(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, client: String, qos: QualityOfService,
        _ properties: BusProperties = BusProperties()
    ) {
        // The topic names the account only for an agent that takes no other commands: for others an ACL may
        // not permit this topic.
        let account = cameras.takesOnlyProvedClients(camera.agent) ? settings.account : nil
        var payload = payload
        if client != account { payload["client"] = .text(client) }
        bus.publish(
            topics.command(camera, node, account: account), JSON.bytes(JSON.object(payload)), qos: qos,
            properties)
    }
}
