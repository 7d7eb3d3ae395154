internal import ArgumentParser
internal import FoundationEssentials
internal import LoopThread
internal import MQTTBus
internal import Messages

/// A controller for one run of the program: finds the camera, sends commands, and hears the answers.
final class Controller {
    /// Where a camera is on the bus.
    struct Place {
        let topics: Topics
        let camera: String
    }

    /// So long a broker or an answer is waited for, before there is a word of it.
    private static let patience = Duration.seconds(5)
    /// So long what the broker keeps is waited for: it comes with the answers to the subscriptions.
    private static let silence = Duration.milliseconds(300)

    let loop = EventLoop()
    let clientID = BusOptions.newClientID()
    private let options: BusOptions
    private let nodes: [String]
    private let bus: MQTTBus
    private let responseTopic: String
    private(set) var place: Place?
    private var fleet: Fleet
    private var lastID = 0
    /// The number of the agent's start.
    private var boot: Int?
    private var waiting: [String: (Reply) -> Void] = [:]
    private var failure: (() -> Void)?
    /// It has ended; what comes after that belongs to nobody.
    private var isOver = false
    private var whenFound: (Place) -> Void = { _ in }

    /// Called with every message that isn't an answer.
    var heard: (BusMessage) -> Void = { _ in }
    /// Called when there was a connection and is none any more, or when the agent has gone, and no answer is waited for.
    var lost: (String) -> Void = { _ in }
    /// Called with a JPEG that answers a capture.
    var photoCame: ([UInt8]) -> Void = { _ in }

    private lazy var search = loop.timer { [weak self] in self?.decide() }
    private lazy var absence = loop.timer { [weak self] in
        if let agent = self?.place?.topics.agent { self?.isGone("\(agent) is offline.") }
    }
    private lazy var limit = loop.timer { [weak self] in
        guard let self else { return }
        fail(.unavailable, place == nil ? "The broker doesn't answer." : "Nobody answered.")
    }

    /// - Parameter nodes: the nodes and other topics below the camera to listen to.
    init(_ options: BusOptions, listeningTo nodes: [String] = []) throws {
        (self.options, self.nodes) = (options, nodes)
        fleet = Fleet(options)
        responseTopic = "v4l2mqtt-ctl/\(clientID)/reply"
        let root = "\(options.baseTopic)/\(options.agent ?? "+")/\(options.camera ?? "+")"
        let topics = options.agentTopics + (["availability"] + nodes).map { "\(root)/\($0)" }
        // An agent that speaks 3.1.1 sees no response topic, whatever we speak.
        let answers = ["\(root)/+/reply"] + (options.protocol == "5" ? [responseTopic] : [])
        bus = try options.bus(listeningTo: topics, answers: answers, clientID: clientID, on: loop)
    }

    /// Connects, finds the camera, and calls `body` with its place; returns when ``finish()`` was called.
    ///
    /// - Throws: the exit code 1, after saying what went wrong.
    func run(_ body: @escaping (Place) -> Void) throws {
        whenFound = body
        bus.received = { [weak self] in self?.received($0) }
        bus.connectionChanged = { [weak self] in self?.connectionChanged($0) }
        bus.start()
        limit.set(after: Self.patience)
        loop.run()
        bus.stop {}
        if let failure {
            failure()
            throw ExitCode.failure
        }
    }

    func finish() {
        isOver = true
        loop.stop()
    }

    /// Ends with an error of our own.
    func fail(_ error: CommandError) {
        end { [options] in options.report(error) }
    }

    func fail(_ code: CommandError.Code, _ words: String) { fail(CommandError(code, words)) }

    /// Ends with words on an error that was printed already, where JSON is wanted.
    func fail(saying words: String) {
        end { complain(words) }
    }

    /// What goes wrong first is said.
    private func end(_ failure: @escaping () -> Void) {
        self.failure = self.failure ?? failure
        finish()
    }

    /// Waits for as long as it takes, or so long.
    func bePatient(atMost longest: Duration? = nil) {
        if let longest { limit.set(after: longest) } else { limit.cancel() }
    }

    /// Waits for something that is to come soon, and then gives up.
    func beImpatient() { limit.set(after: Self.patience) }

    /// Sends a command and calls back with each answer: perhaps `accepted`, then the last.
    ///
    /// - Returns: the command's id, which also is in the events and states that come of it.
    @discardableResult
    func send(_ node: Node, _ fields: some ControllerCommand, then: @escaping (Reply) -> Void) -> String {
        lastID += 1
        // A camera remembers what it did by client and id: both differ from run to run.
        let id = "\(clientID)-\(lastID)"
        guard let place else { return id }
        var fields = fields
        (fields.id, fields.client) = (id, "ctl")
        waiting[id] = then
        bus.publish(
            place.topics.command(for: node, camera: place.camera), JSON.bytes(fields), qos: .atLeastOnce,
            BusProperties(responseTopic: responseTopic, correlation: Array(id.utf8)))
        limit.set(after: Self.patience)
        return id
    }

    private func connectionChanged(_ event: BusEvent) {
        switch event {
        case .connected: break
        case .subscribed: search.set(after: Self.silence)
        case .subscriptionRefused(let filter):
            fail(.unavailable, "The broker doesn't let us subscribe to \(filter).")
        case .disconnected(let reason, _):
            let words = "\(options.host):\(options.port): \(reason)"
            if place == nil || !waiting.isEmpty { fail(.unavailable, words) } else { lost(words) }
        }
    }

    private func received(_ message: BusMessage) {
        guard !isOver else { return }
        if message.topic.hasSuffix("/reply") { return answered(message) }
        fleet.take(message)
        heard(message)
        if let agent = place?.topics.agent, message.topic == place?.topics.agentAvailability {
            heard(of: agent, fleet.agents[agent]?.availability)
        }
        // Others needn't be waited for.
        if let agent = options.agent, fleet.agents[agent]?.isKnown ?? false { decide() }
    }

    /// An agent whose connection was lost comes back and answers; one that was started anew knows nothing of us.
    private func heard(of agent: String, _ there: Availability?) {
        guard let there, !isOver else { return }
        switch there.state {
        case .online where boot == nil || there.boot == boot:
            boot = there.boot
            absence.cancel()
        case .online: isGone("\(agent) has started anew.")
        case .offline: absence.set(after: Self.patience)
        case .stopped: isGone("\(agent) is stopped.")
        }
    }

    private func isGone(_ words: String) {
        if waiting.isEmpty { lost(words) } else { fail(.unavailable, words) }
    }

    private func answered(_ message: BusMessage) {
        if message.contentType == "image/jpeg" { return photoCame(message.payload) }
        guard let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id,
            let then = waiting[id]
        else { return }
        // Something under way takes as long as it takes.
        if reply.status == .accepted { limit.cancel() } else { waiting[id] = nil }
        then(reply)
    }

    /// Which camera it is to be, from what is there.
    private func decide() {
        guard place == nil, failure == nil else { return }
        do {
            let name = try fleet.choice(options)
            let found = Place(
                topics: Topics(base: options.baseTopic, agent: name.agent), camera: name.camera)
            place = found
            boot = fleet.agents[name.agent]?.availability?.boot
            limit.cancel()
            whenFound(found)
        } catch {
            fail(error)
        }
    }
}

extension Controller {
    /// Waits for what the broker keeps of the nodes that it listens to, and calls `body` with it, by node.
    func read(_ body: @escaping ([String: [UInt8]]) -> Void) throws {
        var payloads: [String: [UInt8]] = [:]
        var isDone = false
        let missing = loop.timer { [weak self] in
            if !isDone { self?.failForMissing() }
        }
        let look = { [self] in
            guard !isDone, let place else { return }
            let root = place.topics.root + "/\(place.camera)/"
            let there = nodes.compactMap { node in payloads[root + node].map { (node, $0) } }
            guard there.count == nodes.count else { return missing.set(after: Self.silence) }
            isDone = true
            body(Dictionary(uniqueKeysWithValues: there))
        }
        heard = { message in
            payloads[message.topic] = message.payload
            look()
        }
        try run { _ in look() }
    }

    /// Why the broker keeps nothing of the nodes.
    private func failForMissing() {
        guard let place else { return }
        let name = Fleet.Name(agent: place.topics.agent, camera: place.camera)
        let there = fleet.availability(of: name)
        let reason = there.reason.map { ": \($0)" } ?? ""
        let state = there.state.map { $0 == .online ? "silent" : $0.rawValue } ?? "silent"
        fail(.unavailable, "\(name.agent)/\(name.camera) is \(state)\(reason).")
    }

    /// Sends a command, prints how it went, and ends.
    func ask(_ node: Node, _ fields: some ControllerCommand) throws {
        try run { [self] _ in
            send(node, fields) { [self] reply in
                if reply.status != .accepted { conclude(reply) }
            }
        }
    }

    /// Prints the last answer, and ends.
    ///
    /// - Parameter asked: the controls that it was about, of all those that the answer has.
    func conclude(_ reply: Reply, aboutControls asked: Set<String>? = nil) {
        if options.json { say(json: reply) }
        if let error = reply.error { return fail(saying: error.words) }
        if !options.json {
            var words = [reply.status.rawValue]
            if let factor = reply.factor { words.append("factor \(factor)") }
            if let target = reply.target, target != reply.factor { words.append("target \(target)") }
            if reply.clamped == true { words.append("clamped") }
            if let rev = reply.rev { words.append("rev \(rev)") }
            say(words.joined(separator: ", "))
            for photo in reply.photos ?? [] { say("\(photo.path) \(photo.width)x\(photo.height)") }
            if let recording = reply.recording { say(recording.line) }
            for (name, value) in (reply.values ?? [:]).sorted(by: { $0.key < $1.key }) {
                if asked?.contains(name) ?? false { say("\(name.printable) \(value.words)") }
            }
        }
        // Somebody else has moved the camera: it didn't do this.
        if reply.status == .superseded { return end {} }
        finish()
    }
}
