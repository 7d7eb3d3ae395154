package import Base
package import Bus
package import Contract

/// The broker, as a ``FleetClient`` uses it: `MQTTBus`, or the double of a test.
package protocol ClientBus: AnyObject {
    var received: (BusMessage) -> Void { get set }
    var publicationRefused: (_ topic: String, _ reason: String) -> Void { get set }
    var connectionChanged: (BusEvent) -> Void { get set }

    func start(after wait: Duration)
    func subscribe(_ filters: [BusFilter])
    func unsubscribe(_ filters: [BusFilter])
    func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties?,
        group: String?)
    func withdraw(group: String)
    func stop(then: @escaping () -> Void)
}

extension MQTTBus: ClientBus {}

/// A client of a broker that knows all cameras and sends commands to them. For the thread of its loop only.
package final class FleetClient {
    /// The payloads of states, by node.
    package struct Payloads: Facts {
        package private(set) var nodes: [String: [UInt8]] = [:]

        package init() {}

        package mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
            nodes[node] = payload.isEmpty ? nil : payload
        }
    }

    package let loop: EventLoop
    package private(set) var fleet: Fleet<Payloads, Payloads>
    /// Why there is no connection; nil: there is one.
    package private(set) var loss: String? = "There is no connection."
    private var isClosed = false
    /// Of all commands: those that the broker has not taken when the connection ends are not sent later, as
    /// their callers were told that they failed.
    private static let group = "commands"
    private var readers: [String: (_ isEnd: Bool) -> Void] = [:]
    private let bus: any ClientBus
    private let topics: ClientTopics
    private let commands: CameraCommands
    private var started: ((CommandError?) -> Void)?
    private var lastTick = ContinuousClock.now
    private lazy var timer = loop.timer { [weak self] in self?.tick() }

    package init(_ topics: ClientTopics, _ bus: any ClientBus, on loop: EventLoop) {
        (self.topics, self.bus, self.loop) = (topics, bus, loop)
        let required = ["availability", "info", "zoom"]
        let needs = FleetNeeds(
            required: required,
            optional: ReadOnlyState.namesWithNodes.filter { !required.contains($0) }, live: ["zoom/live"])
        fleet = Fleet(base: topics.base, needs, .person)
        commands = CameraCommands(topics)
    }

    /// Connects, and reconnects until it is closed.
    ///
    /// - Parameter then: called when all is read that the broker has, or with an error.
    package func start(then started: @escaping (CommandError?) -> Void) {
        self.started = started
        if isClosed { return end("The client is closed.") }
        bus.received = { [weak self] in self?.take($0) }
        bus.connectionChanged = { [weak self] in self?.take($0) }
        bus.publicationRefused = { [weak self] in self?.commands.refused($0, $1) }
        bus.subscribe(fleet.subscriptions.flatMap(\.filters) + topics.answers)
        bus.start(after: .zero)
        tick()
    }

    private func end(_ reason: String) {
        loss = reason
        fleet.disconnected()
        bus.withdraw(group: Self.group)
        started?(CommandError(.unavailable, reason))
        started = nil
        commands.lost(reason)
        changed()
    }

    /// Disconnects. What waits for an answer fails.
    package func close(then done: @escaping () -> Void) {
        if isClosed { return done() }
        isClosed = true
        end("The client is closed.")
        for reader in readers.values { reader(true) }
        readers = [:]
        bus.stop(then: done)
    }

    /// - Parameter reader: is called now, after each change of a camera or of the connection, and at the end.
    package func follow(_ id: String, _ reader: @escaping (_ isEnd: Bool) -> Void) {
        reader(isClosed)
        if !isClosed { readers[id] = reader }
    }

    package func unfollow(_ id: String) { readers[id] = nil }

    private func changed() { for reader in readers.values { reader(false) } }

    // MARK: The broker

    private func take(_ event: BusEvent) {
        switch event {
        case .connected:
            loss = nil
            fleet.connected(at: loop.now)
            changed()
        case .subscribed: fleet.subscribed(at: loop.now)
        case .subscriptionRefused(let filter):
            started?(CommandError(.forbidden, "The broker refuses the subscription to \(filter)."))
            started = nil
        case .disconnected(let reason, _): if !isClosed { end(reason) }
        }
        goOn()
    }

    private func take(_ message: BusMessage) {
        defer { goOn() }
        guard !commands.take(message), let parts = topics.parts(of: message.topic) else { return }
        if parts.kind == .answer {
            // Of an agent that was asked for its states.
            guard case .agent(let agent) = parts.place,
                JSON.value(Reply.self, from: message.payload)?.status == .done
            else { return }
            fleet.promised(agent, at: loop.now)
        } else if case .change(let change) = fleet.take(parts, message.payload, at: loop.now) {
            take(change)
        }
    }

    private func tick() {
        for change in fleet.tick(at: loop.now) { take(change) }
        commands.pass(at: loop.now, in: fleet)
        lastTick = loop.now
        goOn()
    }

    private func goOn() {
        for action in fleet.takeActions() {
            switch action {
            case .subscribe, .follow: bus.subscribe(action.filters)
            case .unsubscribe: bus.unsubscribe(action.filters)
            case .ask(let agent, let camera):
                for topic in fleet.topicsToAsk(agent, camera, as: topics.client) {
                    let request = JSON.object(["client": .text(topics.client)])
                    bus.publishQueued(
                        topic, JSON.bytes(request), qos: .atLeastOnce, nil, group: Self.group)
                }
            }
        }
        if loss == nil, fleet.isRead {
            started?(nil)
            started = nil
        }
        if isClosed { return timer.cancel() }
        timer.set(at: earliest(fleet.deadline, commands.deadline, lastTick + .seconds(1)))
    }

    private func take(_ change: FleetChange) {
        if case .agent(let agent, _, _) = change { commands.follow(agent, in: fleet, at: loop.now) }
        changed()
    }

    // MARK: Commands

    /// - Parameters:
    ///   - id: a new one (``ClientRequest/newID()``), which is the correlation data too; nil: the command is
    ///     a sample of a gesture, which needs no answer.
    ///   - timeout: of the first answer.
    ///   - handle: is called with each answer, of which the last one is final.
    package func send(
        _ id: String?, _ node: String, _ fields: JSONObject, to camera: String,
        within timeout: Duration = .zero,
        then handle: @escaping (CommandResult) -> Void = { _ in }
    ) {
        do throws(CommandError) {
            if let loss { throw CommandError(.unavailable, loss) }
            guard let node = Node(name: node) else {
                throw CommandError(.badTopic, "There is no node \"\(node)\" that takes commands.")
            }
            guard let address = CameraAddress(camera), fleet[address] != nil else {
                throw CommandError(.badTopic, "There is no camera \"\(camera)\".")
            }
            let presence = fleet.presence(of: address.agent, at: loop.now)
            guard case .online = presence else { throw .notSent(presence) }
            let (topic, payload) = topics.command(node, fields, id: id, to: address, in: fleet)
            if let id {
                commands.add(
                    id, ClientRequest(node, of: address, correlation: id), on: topic, in: fleet,
                    until: loop.now + timeout, then: handle)
            }
            bus.publishQueued(
                topic, payload, qos: id == nil ? .atMostOnce : .atLeastOnce,
                id.map { BusProperties(responseTopic: topics.responseTopic, correlation: Array($0.utf8)) },
                group: Self.group)
        } catch {
            handle(.failed(error))
        }
        goOn()
    }

    /// The caller waits no longer.
    package func cancel(_ id: String) {
        commands.fail(id, CommandError(.unavailable, "The caller waits no longer."))
    }
}
