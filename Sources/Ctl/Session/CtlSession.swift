internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// One run of `ctl` with a broker: what is known of the fleet, what is published, and what is printed.
///
/// It waits for one thing after the other, so that each operation is a procedure.
package final class CtlSession {
    typealias Instant = ContinuousClock.Instant

    /// What is printed. Of the cameras of a group, errors are printed at the end, with their names.
    enum Prints {
        case all
        /// What the operation is for, and no errors.
        case results
        case nothing
    }

    var options: CtlOptions
    /// Made once: each message is compared with them.
    let answerTopics: ClientTopics
    let surroundings: any Surroundings
    private(set) var fleet: CtlFleet
    /// Cameras that have answered a request to the group. The broker may have nothing else of them.
    private(set) var answered: Set<CameraAddress> = []
    /// Whether answers are needed that only MQTT 5 can assign to a request.
    private let needsV5: Bool
    /// The messages that the fleet did not take, each with the reason.
    private(set) var leftOut: Set<String> = []
    private static let maxLeftOut = 100
    /// There was a connection.
    private(set) var hasConnected = false
    /// The topics of requests for retained messages. It is no error if the broker refuses them: not every
    /// account may ask.
    private var refreshTopics: Set<String> = []
    private var requests = 0
    var prints = Prints.all
    /// Whether an interrupt is handled; otherwise it ends the run.
    var handlesInterrupts = false
    /// Whether the loss of the connection is handled; otherwise it ends the run.
    var survivesLoss = false
    /// Said too if the run ends as the connection, or a camera, is lost.
    var lossNote: String?
    private var hasSaidThatItWaits = false

    /// How long the broker's answers are waited for.
    static let brokerTimeout = Duration.seconds(5)
    /// How long cameras that were asked may be silent.
    static let askingPeriod = Duration.seconds(1)

    init(_ options: CtlOptions, _ surroundings: any Surroundings, _ needs: FleetNeeds, needsV5: Bool = false)
    {
        (self.options, self.surroundings, self.needsV5) = (options, surroundings, needsV5)
        answerTopics = options.topics
        fleet = CtlFleet(base: options.baseTopic, needs, .person)
        perform(fleet.subscriptions)
    }

    var now: Instant { surroundings.now }

    // MARK: Events

    /// Waits until something happens, and takes it in.
    ///
    /// - Returns: nil: a deadline has passed, this one or one of the session.
    func next(before deadline: Instant? = nil) throws(Ending) -> BusInput? {
        let input = try surroundings.next(before: earliest(deadline, fleet.deadline))
        switch input {
        case .message(let message): take(message)
        case .connection(let event): try take(event)
        case .refused(let topic, _) where refreshTopics.contains(topic): return nil
        case .interrupt where !handlesInterrupts: throw .exit(0)
        case nil: _ = fleet.tick(at: now)
        default: return input
        }
        perform(fleet.takeActions())
        return input
    }

    private func take(_ event: BusEvent) throws(Ending) {
        switch event {
        case .connected(let session):
            if needsV5 && !session.isV5 {
                throw .failed(
                    .unsupported, "This needs MQTT 5, and \(session.host) supports only MQTT 3.1.1.")
            }
            hasConnected = true
            fleet.connected(at: now)
        case .subscribed: fleet.subscribed(at: now)
        case .subscriptionRefused(let filter):
            throw .failed(.unavailable, "The broker refuses the subscription to \(filter).")
        case .disconnected(let reason, _):
            fleet.disconnected()
            if !survivesLoss { throw lost(reason) }
        }
    }

    func lost(_ reason: String) -> Ending {
        .failed(.unavailable, [reason, lossNote].compactMap(\.self).joined(separator: " "))
    }

    private func take(_ message: BusMessage) {
        guard let parts = answerTopics.parts(of: message.topic) else { return }
        guard parts.kind == .answer, parts.node == Topics.refresh else {
            if case .leftOut(let reason) = fleet.take(parts, message.payload, at: now),
                leftOut.count < Self.maxLeftOut
            {
                leftOut.insert("\(parts.placeName)/\(parts.path) (\(reason))")
            }
            return
        }
        guard let reply = JSON.value(Reply.self, from: message.payload) else { return }
        switch parts.place {
        case .agent(let agent): if reply.status == .done { fleet.promised(agent, at: now) }
        case .camera(let address):
            if reply.status == .done { fleet.promised(address, at: now) }
            guard reply.id == groupRequestID else { return }
            answered.insert(address)
            fleet.read(address.agent, at: now)
            if reply.status == .done { fleet.promised(address.agent, at: now) }
        case .group: break
        }
    }

    /// Waits until everything is read of the fleet that is known.
    ///
    /// - Parameters:
    ///   - timeout: how long the broker may take to answer.
    ///   - received: called with each message.
    /// - Throws: an error without a connection.
    func settle(
        within timeout: Duration? = nil, received: (BusMessage) -> Void = { _ in }
    ) throws(Ending) {
        let limit = now + (timeout ?? options.connectLimit)
        var isSubscribed = hasConnected
        while !fleet.isRead {
            switch try next(before: isSubscribed ? nil : limit) {
            case .connection(.subscribed): isSubscribed = true
            case .message(let message): received(message)
            case nil where !isSubscribed && limit <= now: throw .brokerIsSilent
            default: break
            }
        }
    }

    /// Waits so long, or as long as something is true.
    ///
    /// - Parameter received: called with each message.
    func wait(
        until limit: Instant, while isNeeded: () -> Bool = { true },
        received: (BusMessage) -> Void = { _ in }
    ) throws(Ending) {
        while now < limit, isNeeded() {
            if case .message(let message) = try next(before: limit) { received(message) }
        }
    }

    /// Reads other agents, in the place of those that were read before.
    func read(_ needs: FleetNeeds) throws(Ending) {
        fleet.disconnected()
        perform(fleet.takeActions())
        fleet = CtlFleet(base: options.baseTopic, needs, .person)
        perform(fleet.subscriptions)
        fleet.connected(at: now)
        perform(fleet.takeActions())
        try settle()
    }

    /// Reads further states of a camera.
    func follow(_ address: CameraAddress) {
        fleet.follow([address], at: now)
        perform(fleet.takeActions())
    }

    private func perform(_ actions: [FleetAction]) {
        for action in actions {
            switch action {
            case .subscribe, .follow: surroundings.subscribe(action.filters)
            case .unsubscribe: surroundings.unsubscribe(action.filters)
            case .ask(let agent, let camera): ask(agent: agent, camera)
            }
        }
    }

    /// Makes subscriptions anew: the broker delivers what it retains once more.
    func renew(_ filters: [BusFilter]) {
        surroundings.unsubscribe(filters)
        surroundings.subscribe(filters)
    }

    // MARK: Requests

    /// The next request.
    func nextRequest() -> (id: String, correlation: String) {
        requests += 1
        let new = options.requestID(requests)
        return (requests == 1 ? options.commandID ?? new : new, new)
    }

    func publish(
        _ topic: String, _ payload: [UInt8], correlation: String? = nil, isRetained: Bool = false
    ) {
        surroundings.publish(
            SentMessage(topic: topic, payload: payload, correlation: correlation, isRetained: isRetained))
    }

    /// The id of the requests to the group for retained messages.
    private var groupRequestID: String { "\(options.clientID)-\(Topics.refresh)" }

    /// Asks the cameras of a group for their retained messages.
    func ask(group: String) {
        let members = members(of: group)
        let topics = Topics(base: options.baseTopic, agent: Topics.groups).refreshes(
            camera: group, client: options.client,
            isProved: members.isEmpty ? nil : members.contains(where: takesOnlyProvedClients))
        ask(on: topics, id: groupRequestID)
    }

    /// Asks an agent, or one of its cameras, for its retained messages.
    func ask(agent: String, _ camera: String? = nil) {
        ask(on: fleet.topicsToAsk(agent, camera, as: options.client))
    }

    /// Asks for retained messages.
    private func ask(on topics: [String], id: String? = nil) {
        let payload: JSONObject = ["id": id.map(JSON.text), "client": .text(options.client)]
        for topic in topics {
            refreshTopics.insert(topic)
            publish(topic, JSON.bytes(JSON.object(payload)))
        }
    }

    /// Says once how a command that waits for its time can be cancelled.
    func noteThatItWaits(_ id: String) {
        guard options.time != nil, !options.json, !hasSaidThatItWaits else { return }
        hasSaidThatItWaits = true
        printError("The command waits for its time; \"v4l2mqtt ctl cancel \(id)\" cancels it.")
    }

    // MARK: Output

    func output(_ line: PrintableLine) { if prints != .nothing { surroundings.printLine(line) } }

    func printError(_ line: PrintableLine) { if prints == .all { surroundings.printError(line) } }

    func printError(text: String) { printError(PrintableLine(text)) }

    /// Prints why the run ends. With `--json`, an error of `ctl` is printed like a reply too.
    ///
    /// - Returns: the exit code.
    func report(_ ending: Ending) -> Int32 {
        switch ending {
        case .exit(let code): return code
        case .failed(let error):
            if options.json { output(error.line) }
            printError(text: error.message)
        case .refused(let reply):
            if options.json { output(JSON.line(reply)) }
            if let error = reply.error {
                printError(text: error.text)
            } else if !options.json {
                reply.lines(listing: []).forEach(output)
            }
        }
        return 1
    }
}
