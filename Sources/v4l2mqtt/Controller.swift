internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
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

    /// So long a broker, an agent or an answer is waited for, before there is a word of it.
    private static let patience = Duration.seconds(5)

    let loop = EventLoop()
    let clientID = "v4l2mqtt-ctl-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    private let options: BusOptions
    private let bus: MQTTBus
    private let responseTopic: String
    private(set) var place: Place?
    private var agents: [String: AgentInfo] = [:]
    private var lastID = 0
    private var waiting: [String: (Reply) -> Void] = [:]
    private var failure: String?
    private var whenFound: (Place) -> Void = { _ in }

    /// Called with every message that isn't an answer.
    var heard: (BusMessage) -> Void = { _ in }
    /// Called when there was a connection and is none any more, and nothing else is waited for.
    var lost: (String) -> Void = { _ in }
    /// Called with a JPEG that answers a capture.
    var photoCame: ([UInt8]) -> Void = { _ in }

    private lazy var search = loop.timer { [weak self] in self?.decide() }
    private lazy var limit = loop.timer { [weak self] in self?.fail("Nobody answered.") }

    /// - Parameter nodes: the nodes and other topics below the camera to listen to.
    init(_ options: BusOptions, listeningTo nodes: [String] = []) throws {
        self.options = options
        responseTopic = "v4l2mqtt-ctl/\(clientID)/reply"
        let agent = options.agent ?? "+"
        let root = "\(options.baseTopic)/\(agent)/\(options.camera ?? "+")"
        var filters = [BusFilter("\(options.baseTopic)/\(agent)/info", .retained)]
        // An agent that speaks 3.1.1 sees no response topic, whatever we speak.
        filters.append(BusFilter("\(root)/+/reply", .news))
        if options.protocol == "5" { filters.append(BusFilter(responseTopic, .news)) }
        filters += nodes.map { BusFilter("\(root)/\($0)", .retained) }
        bus = try MQTTBus(try options.settings(clientID: clientID), filters: filters, on: loop)
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
            complain(failure)
            throw ExitCode.failure
        }
    }

    func finish() { loop.stop() }

    func fail(_ words: String) {
        failure = failure ?? words
        loop.stop()
    }

    /// Waits for as long as it takes.
    func bePatient() { limit.cancel() }

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
        case .subscribed: search.set(after: .milliseconds(options.agent == nil ? 300 : 0))
        case .subscriptionRefused(let filter): fail("The broker doesn't let us subscribe to \(filter).")
        case .disconnected(let reason, _):
            let words = "\(options.host):\(options.port): \(reason)"
            if place == nil || !waiting.isEmpty { fail(words) } else { lost(words) }
        }
    }

    private func received(_ message: BusMessage) {
        if message.topic.hasSuffix("/reply") { return answered(message) }
        guard message.topic.hasSuffix("/info"), let info = JSON.value(AgentInfo.self, from: message.payload)
        else {
            return heard(message)
        }
        agents[info.agent] = info
        if options.agent != nil { decide() }
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
        guard place == nil else { return }
        let names = agents.keys.sorted()
        guard let agent = options.agent ?? (names.count == 1 ? names.first : nil) else {
            return fail(
                names.isEmpty
                    ? "There is no agent below \(options.baseTopic)/ at \(options.host):\(options.port)."
                    : "There is more than one agent: \(names.joined(separator: ", ")). Name one with --agent."
            )
        }
        // A named agent's info may still be on its way; where the camera is named too, it isn't needed.
        guard let cameras = agents[agent]?.cameras ?? options.camera.map({ [$0] }) else { return }
        guard let camera = options.camera ?? (cameras.count == 1 ? cameras.first : nil) else {
            return fail(
                "\(agent) has the cameras \(cameras.joined(separator: ", ")). Name one with --camera.")
        }
        guard cameras.contains(camera) else {
            return fail("\(agent) has no camera \"\(camera)\"; it has \(cameras.joined(separator: ", ")).")
        }
        let found = Place(topics: Topics(base: options.baseTopic, agent: agent), camera: camera)
        place = found
        limit.cancel()
        whenFound(found)
    }
}

extension Controller {
    /// Waits for what the broker keeps of nodes of the camera, and calls `body` with it, by node.
    ///
    /// - Parameter nodes: among those that the controller was made to listen to.
    func read(_ nodes: [String], _ body: @escaping ([String: [UInt8]]) -> Void) throws {
        var payloads: [String: [UInt8]] = [:]
        var isDone = false
        let look = { [self] in
            guard !isDone, let place else { return }
            let root = place.topics.root + "/\(place.camera)/"
            let there = nodes.compactMap { node in payloads[root + node].map { (node, $0) } }
            guard there.count == nodes.count else { return }
            isDone = true
            body(Dictionary(uniqueKeysWithValues: there))
        }
        heard = { message in
            payloads[message.topic] = message.payload
            look()
        }
        try run { [self] _ in
            beImpatient()
            look()
        }
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
        if options.json { print(String(decoding: JSON.bytes(reply), as: UTF8.self)) }
        if let error = reply.error { return fail("\(error.code.rawValue): \(error.message.printable)") }
        if !options.json {
            var words = [reply.status.rawValue]
            if let factor = reply.factor { words.append("factor \(factor)") }
            if let target = reply.target, target != reply.factor { words.append("target \(target)") }
            if reply.clamped == true { words.append("clamped") }
            if let rev = reply.rev { words.append("rev \(rev)") }
            print(words.joined(separator: ", "))
            for photo in reply.photos ?? [] { print("\(photo.path) \(photo.width)x\(photo.height)") }
            if let recording = reply.recording { print(recording.line) }
            for (name, value) in (reply.values ?? [:]).sorted(by: { $0.key < $1.key }) {
                if asked?.contains(name) ?? false { print("\(name.printable) \(value.words)") }
            }
        }
        finish()
    }
}
