internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// The commands of pages, of downloads and of the console itself on their way to the cameras, and the answers
/// on their way back. It decides who may send what.
final class PageCommands {
    typealias Handler = (CommandResult) -> Void

    /// Commands of one page that are not answered.
    private static let maxOfOwner = 64
    /// The random bytes of the correlation data of a request: all agents answer at one topic, and one of them
    /// could otherwise answer in the place of another.
    private static let correlationBytes = 12
    /// The longest type of a file that answers a command: it becomes a part of the header of a binary
    /// message.
    private static let maxTypeBytes = 255
    /// The time for the first answer: a camera answers at once, and with `accepted` if the rest takes long.
    private static let acceptanceTime = Duration.seconds(30)
    /// The time for the final answer: a recording, or a series of photos, may take long.
    private static let lifetime = Duration.seconds(3_600)

    private let settings: ConsoleSettings
    let topics: ClientTopics
    private let cameras: CameraList
    private unowned let bus: any ConsoleBus
    private let commands: CameraCommands
    private var requestCount = 0
    /// Whether there is a connection to the broker.
    private(set) var isConnected = false

    /// Commands that end what pages have begun, while there is no connection.
    private var ends: [(time: ContinuousClock.Instant, node: Node, send: () -> Void)] = []
    private static let maxEnds = 1000

    /// How long the end of an input waits for a connection. Later the agent has ended the input itself:
    /// `schemas/reference.md` has the longest time of a `move`, `schemas/limits.md` that of a held button.
    private static func lifetime(ofEndOf node: Node) -> Duration { .seconds(node == .zoom ? 10 : 600) }

    /// - Parameter bus: outlives this object.
    init(_ settings: ConsoleSettings, _ cameras: CameraList, _ bus: any ConsoleBus) {
        (self.settings, self.cameras, self.bus) = (settings, cameras, bus)
        topics = ClientTopics(
            base: settings.baseTopic, client: settings.account ?? settings.name, clientID: settings.clientID)
        commands = CameraCommands(topics)
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
        commands.lost("the connection to the broker ended before an answer came")
    }

    /// The broker refuses a message.
    func refused(_ topic: String, _ reason: String) { commands.refused(topic, reason) }

    /// An agent has come, has gone or has started again.
    func follow(_ agent: String, at time: ContinuousClock.Instant) {
        commands.follow(agent, in: cameras.fleet, at: time)
    }

    /// Answers what has waited for too long.
    func pass(at time: ContinuousClock.Instant) { commands.pass(at: time, in: cameras.fleet) }

    /// The answers for a page, or to a request of the server, are not expected any more.
    func forget(owner: String) { commands.forget(owner: owner) }

    /// Takes a message that may be an answer. The handler of the request may send the next command.
    func take(_ message: BusMessage) {
        if (message.contentType?.utf8.count ?? 0) <= Self.maxTypeBytes { commands.take(message) }
    }

    // MARK: Commands

    /// - Throws: why a command of a viewer is not sent.
    private func check(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, from viewer: Viewer,
        at time: ContinuousClock.Instant
    ) throws(CommandError) -> Node {
        // A camera outside the patterns does not exist for the viewer.
        guard viewer.sees(camera), cameras.summary(of: camera) != nil else {
            throw CommandError(.badTopic, "there is no camera \(camera)")
        }
        guard let known = Node(name: node) else {
            throw CommandError(.badTopic, "there is no node \(node)")
        }
        guard let needed = known.contract.role(for: payload), viewer.role >= needed else {
            throw CommandError(.forbidden, "the role \(viewer.role.rawValue) does not permit this")
        }
        guard isConnected else {
            throw CommandError(.unavailable, "the console has no connection to the broker")
        }
        // A silent agent may be there: the broker may have forgotten its availability.
        let presence = cameras.fleet.presence(of: camera.agent, at: time)
        if case .agentAway = presence { throw .notSent(presence) }
        return known
    }

    /// Sends a command of a page, or answers why it is not sent.
    func carryOut(
        _ command: PageCommand, of page: Page, _ viewer: Viewer, at time: ContinuousClock.Instant
    ) {
        let id = command.id.map { "\(page.name)-\($0)" }
        let node: Node
        do throws(CommandError) {
            node = try check(command.camera, command.node, command.payload, from: viewer, at: time)
            if let id, commands.contains(id) {
                throw CommandError(.busy, "an earlier command with this id is not answered yet")
            }
            guard id == nil || commands.count(of: page.name) < Self.maxOfOwner else {
                throw CommandError(.busy, "\(Self.maxOfOwner) commands of this page are not answered yet")
            }
        } catch {
            if let id = command.id { page.send(PageText.refusal(id, error)) }
            return
        }
        var payload = command.payload
        if let gesture = payload["gesture"]?.text { payload["gesture"] = .text("\(page.name)-\(gesture)") }
        let outcome = page.held.note(
            command.camera, command.node, payload, isAnswered: command.id != nil)
        guard let id, let pageID = command.id else {
            return send(command.camera, node, payload, client: viewer.name, qos: .atMostOnce)
        }
        request(node, of: command.camera, payload, id: id, viewer, owner: page.name, at: time) {
            [weak page] result in
            // Without an answer, what the command should end may go on.
            if case .reply(let reply, _) = result {
                page?.held.answered(outcome, isRefused: reply.status == .error)
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
        at time: ContinuousClock.Instant, then handle: @escaping Handler
    ) throws(CommandError) -> String {
        let node = try check(camera, node, payload, from: viewer, at: time)
        requestCount += 1
        // No page has this name.
        let name = "\(PageName.make(requestCount)).request"
        request(node, of: camera, payload, id: name, viewer, owner: name, at: time, then: handle)
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
    func sendOwn(_ camera: CameraAddress, _ node: Node, _ payload: JSONObject) {
        guard isConnected else { return }
        send(camera, node, payload, client: settings.name, qos: .atLeastOnce)
    }

    /// Asks an agent, or one of its cameras, for the retained messages.
    func refresh(_ agent: String, _ camera: String?) {
        guard isConnected else { return }
        let payload = JSON.bytes(JSON.object(["client": .text(settings.name)]))
        for topic in cameras.fleet.topicsToAsk(agent, camera, as: settings.account ?? "") {
            bus.publish(topic, payload, qos: .atLeastOnce, BusProperties())
        }
    }

    private func request(
        _ node: Node, of camera: CameraAddress, _ payload: JSONObject, id: String, _ viewer: Viewer,
        owner: String, at time: ContinuousClock.Instant, then handle: @escaping Handler
    ) {
        let files: Int = if case .integer(let count) = payload["count"] { count } else { 1 }
        let correlation = Base64URL.text(of: SecretBytes.random(count: Self.correlationBytes))
        let (topic, command) = topics.command(
            node, payload, id: id, to: camera, for: viewer.name, in: cameras.fleet)
        commands.add(
            id, ClientRequest(node, of: camera, correlation: correlation), on: topic, owner: owner,
            files: files, in: cameras.fleet, until: time + Self.acceptanceTime, limit: time + Self.lifetime,
            then: handle)
        let properties = BusProperties(
            responseTopic: topics.responseTopic, correlation: Array(correlation.utf8))
        bus.publish(topic, command, qos: .atLeastOnce, properties)
    }

    /// Sends a command that is not answered.
    ///
    /// - Parameter client: for which it is sent.
    private func send(
        _ camera: CameraAddress, _ node: Node, _ payload: JSONObject, client: String, qos: QualityOfService
    ) {
        let (topic, command) = topics.command(node, payload, to: camera, for: client, in: cameras.fleet)
        bus.publish(topic, command, qos: qos, BusProperties())
    }
}
