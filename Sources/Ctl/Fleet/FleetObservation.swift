package import Bus
package import Contract

/// Observes all agents and the selected cameras of a broker. It publishes nothing but requests for retained
/// messages, where that is wanted.
///
/// A broker sends its retained messages with the answers to the subscriptions, and no message marks their
/// end. They are taken as complete after a period without messages.
///
/// Cameras of a group of which the broker has nothing can't be found in what it sends: only their answers to
/// a request to the group show them.
package struct FleetObservation {
    package typealias Instant = ContinuousClock.Instant

    package enum Action {
        case connected
        /// The connection was lost; the bus connects again.
        case disconnected(reason: String)
        /// The fleet was updated with this message.
        case received(BusMessage)
        /// All retained messages of the present connection have been received.
        case settled
        /// Asks an agent, or the cameras of a group, for their retained messages by this topic. The broker
        /// may refuse it: ``FleetObservation/isRequest(_:)``.
        case ask(topic: String, payload: [UInt8])
        /// There is no connection or no subscription. The observation has ended.
        case failed(CommandError)
    }

    private enum State {
        /// There was no connection yet. The broker has to answer the first subscriptions until then.
        case connecting(until: Instant)
        /// Connected; the subscriptions are not answered yet. No limit after a reconnect.
        case subscribing(until: Instant?)
        /// Retained messages arrive. They are complete when nothing was received until `quiet`, at the latest
        /// at `latest`.
        case settling(quiet: Instant, latest: Instant)
        /// The same after agents or a group were asked for what is missing.
        case asking(Request)
        case settled
        /// The connection was lost.
        case disconnected(until: Instant?)
        case failed
    }

    /// What was asked for, and how long it is waited for.
    private struct Request {
        /// Whether the cameras of a group were asked. Then agents that have answered and of which messages
        /// are still missing are asked next.
        var isToGroup: Bool
        /// All cameras of a group have until then for their answers.
        var least: Instant
        var quiet: Instant
        var latest: Instant
        /// Whether an agent has promised to publish what is missing.
        var promised = false
    }

    /// When the cameras of a group are asked for their retained messages.
    package enum GroupRequest: Sendable {
        /// When messages of any agent are missing, or no camera of the group is known.
        case whenIncomplete
        /// On each connection. Each camera of the group publishes all its retained messages then.
        case always
    }

    static let quietPeriod = Duration.milliseconds(300)
    static let longestSettling = Duration.seconds(5)
    /// How long an agent that was asked may be silent.
    static let askingPeriod = Duration.seconds(1)
    /// How long an agent that has answered may be silent: it publishes its messages once in ten seconds.
    static let promisePeriod = Duration.seconds(11)

    package private(set) var fleet: Fleet
    private let options: CtlOptions
    /// Whether agents of which messages are missing are asked for them, once for each connection.
    private let asks: Bool
    /// The nodes of cameras whose retained messages are needed.
    private let nodes: [String]
    /// Whether an agent is also asked when the `info` of one of its cameras is missing.
    private let needsCameraInfo: Bool
    /// The group whose cameras are asked; nil: none.
    private let group: (name: String, request: GroupRequest)?
    /// The topics of all requests.
    private var requestTopics: Set<String> = []
    /// The agents that were asked on the present connection.
    private var askedAgents: Set<String> = []
    /// While messages are asked for: the agents of which some are missing.
    private var lacking: Set<String> = []
    /// Those of them that were not asked, as there are too many.
    private var unasked: Set<String> = []
    private var state: State
    /// The fleet as the present connection reports it. It replaces `fleet` when it is complete, so that
    /// cameras that the broker has no longer disappear. Nil on the first connection and when settled.
    private var incoming: Fleet?

    /// - Parameters:
    ///   - timeout: until when the broker has to answer the first subscriptions; nil: as in other commands.
    ///   - asks: whether agents of which messages are missing are asked for them.
    ///   - needsCameraInfo: whether the `info` of a camera is one of them.
    ///   - nodes: those of cameras without whose retained messages the fleet is incomplete
    ///     (``incompleteNote``).
    ///   - group: the group whose cameras are asked, too; nil: none.
    package init(
        _ options: CtlOptions, timeout: Duration? = nil, asks: Bool = false, needsCameraInfo: Bool = false,
        nodes: [String] = [], group: (name: String, request: GroupRequest)? = nil, at now: Instant
    ) {
        (self.options, self.asks, self.needsCameraInfo) = (options, asks, needsCameraInfo)
        self.nodes = nodes
        self.group = group
        fleet = Fleet(options)
        state = .connecting(until: now + (timeout ?? options.connectLimit))
    }

    package var deadline: Instant? {
        switch state {
        case .connecting(let until): until
        case .subscribing(let until), .disconnected(let until): until
        case .settling(let quiet, let latest): min(quiet, latest)
        case .asking(let request) where request.promised && !request.isToGroup && !lacking.isEmpty:
            request.latest
        case .asking(let request): max(request.least, min(request.quiet, request.latest))
        case .settled, .failed: nil
        }
    }

    /// What the present connection has brought.
    private var present: Fleet { incoming ?? fleet }

    /// Whether a topic is that of a request for retained messages. It is no error if the broker refuses it:
    /// not every account may ask, and whether an agent takes requests of proved clients only may not be
    /// known.
    func isRequest(_ topic: String) -> Bool { requestTopics.contains(topic) }

    /// What may be missing after ``Action/settled``, as a line for the user; nil: nothing.
    var missingNote: String? {
        guard !lacking.isEmpty else { return nil }
        return
            "Retained messages of \(lacking.sorted().listed(atMost: 8)) have not come: cameras may be left out."
    }

    /// Why ``fleet`` is not what the agents have retained, as a line for the user; nil: as far as is known it
    /// is. Nothing is expected of an agent that was asked, does not answer and has no availability: the
    /// broker forgets that of one which is gone without a will.
    package var incompleteNote: String? {
        incompleteNote(except: lacking.subtracting(unasked).filter { !fleet.isThere($0) })
    }

    /// ``incompleteNote`` without the agents that were asked.
    package var unaskedNote: String? { incompleteNote(except: lacking.subtracting(unasked)) }

    private func incompleteNote(except silent: Set<String>) -> String? {
        let cameras = fleet.incompleteCameras(needing: nodes, except: silent)
        let agents = lacking.subtracting(silent).count { fleet.agents[$0]?.info == nil }
        if cameras + agents == 0 { return nil }
        let counts = [Self.count(cameras, "camera"), Self.count(agents, "agent")].compactMap { $0 }
        return
            "Incomplete: not all retained messages of \(counts.joined(separator: " and ")) have come. The broker may drop what it can't send at once."
    }

    private static func count(_ number: Int, _ name: String) -> String? {
        number == 0 ? nil : "\(number) \(name)\(number == 1 ? "" : "s")"
    }

    /// The id of the requests to the group.
    private var groupRequestID: String { "\(options.clientID)-\(Topics.refresh)" }

    /// - Parameter input: nil: ``deadline`` has passed.
    package mutating func handle(_ input: BusInput?, at now: Instant) -> [Action] {
        if case .failed = state { return [] }
        switch input {
        case .connection(let event): return connectionChanged(event, at: now)
        case .message(let message): return received(message, at: now)
        case .drained, .refused, .interrupt: return []
        case nil: return deadlinePassed(at: now)
        }
    }

    private mutating func connectionChanged(_ event: BusEvent, at now: Instant) -> [Action] {
        switch event {
        case .connected:
            switch state {
            case .connecting(let until): state = .subscribing(until: until)
            case .disconnected(let until):
                incoming = Fleet(options)
                state = .subscribing(until: until)
            case .subscribing, .settling, .asking, .settled, .failed: break
            }
            return [.connected]
        case .subscribed:
            (askedAgents, lacking, unasked) = ([], [], [])
            state = .settling(quiet: now + Self.quietPeriod, latest: now + Self.longestSettling)
            return []
        case .subscriptionRefused(let filter):
            return fail(CommandError(.unavailable, refusal(of: filter)))
        case .disconnected(let reason, _):
            switch state {
            case .connecting: return fail(CommandError(.unavailable, reason))
            case .subscribing(let until), .disconnected(let until): state = .disconnected(until: until)
            case .settling, .asking, .settled, .failed: state = .disconnected(until: nil)
            }
            return [.disconnected(reason: reason)]
        }
    }

    private mutating func received(_ message: BusMessage, at now: Instant) -> [Action] {
        fleet.update(with: message, at: now)
        incoming?.update(with: message, at: now)
        noteAnswer(message)
        switch state {
        case .settling(_, let latest):
            state = .settling(quiet: now + Self.quietPeriod, latest: latest)
        case .asking(var request):
            request.quiet = now + Self.quietPeriod
            if options.isRefreshPromise(message), !request.promised {
                (request.promised, request.latest) = (true, now + Self.promisePeriod)
            }
            state = .asking(request)
            followSender(of: message)
        case .connecting, .subscribing, .settled, .disconnected, .failed: break
        }
        return [.received(message)]
    }

    private mutating func deadlinePassed(at now: Instant) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch state {
        case .settling: if let actions = askForMissing(at: now) { return actions }
        case .asking(let request):
            if let actions = askFurther(after: request, at: now) { return actions }
        case .connecting, .subscribing, .settled, .disconnected, .failed: return fail(.brokerTimedOut)
        }
        if var complete = incoming {
            complete.keepRefusals(of: fleet)
            fleet = complete
        }
        incoming = nil
        state = .settled
        return [.settled]
    }

    // MARK: Requests

    /// The first requests of a connection; nil: there is nothing to ask for.
    private mutating func askForMissing(at now: Instant) -> [Action]? {
        guard asks else { return nil }
        lacking = Set(present.agentsLacking(cameraInfo: needsCameraInfo))
        var actions: [Action] = []
        if let group, group.request == .always || !lacking.isEmpty || present.members(of: group.name).isEmpty
        {
            // It is the first one: a camera that was asked by another request lately publishes only later.
            actions = ask(present.requests(toGroup: group.name, client: options.client, id: groupRequestID))
        }
        let isToGroup = !actions.isEmpty
        actions += askLacking()
        if actions.isEmpty { return nil }
        state = .asking(
            Request(
                isToGroup: isToGroup, least: isToGroup ? now + Self.askingPeriod : now,
                quiet: now + Self.askingPeriod, latest: now + Self.longestSettling))
        return actions
    }

    /// Asks the agents of cameras that have answered for their group, and of which messages are missing: at
    /// once, while the answer to the group waits for `mqtt.spread_s`.
    ///
    /// - Returns: nil: nothing is missing, or it was asked for.
    private mutating func askFurther(after request: Request, at now: Instant) -> [Action]? {
        guard request.isToGroup, !lacking.isEmpty else { return nil }
        let actions = askLacking()
        var next = request
        next.isToGroup = false
        if !actions.isEmpty {
            let period = request.promised ? Self.promisePeriod : Self.longestSettling
            (next.quiet, next.latest) = (now + Self.askingPeriod, now + period)
        }
        state = .asking(next)
        return actions
    }

    private mutating func askLacking() -> [Action] {
        let agents = lacking.subtracting(askedAgents).sorted()
        unasked.formUnion(agents.dropFirst(Fleet.maxAsked))
        let requests = present.requests(to: agents, client: options.client)
        if !requests.isEmpty { askedAgents.formUnion(agents) }
        return ask(requests)
    }

    private mutating func ask(_ requests: [(topic: String, payload: [UInt8])]) -> [Action] {
        requestTopics.formUnion(requests.map(\.topic))
        return requests.map { .ask(topic: $0.topic, payload: $0.payload) }
    }

    /// Takes the answer of a camera to a request to the group. It may be the first message of the camera.
    private mutating func noteAnswer(_ message: BusMessage) {
        guard let group, let address = options.groupMember(answering: groupRequestID, message) else { return }
        fleet.noteAnswer(of: address, for: group.name)
        incoming?.noteAnswer(of: address, for: group.name)
    }

    /// Follows whether messages of the sender are missing.
    private mutating func followSender(of message: BusMessage) {
        let agent: String
        switch present.subject(of: message.topic) {
        case .agent(let sender, _): agent = sender
        case .camera(let address, _): agent = address.agent
        case nil:
            guard let source = options.answerSource(of: message.topic) else { return }
            agent = source.address.agent
        }
        // An agent sends its own `info` at once, and all else up to ten seconds later.
        if present.isLacking(agent, cameraInfo: needsCameraInfo)
            || lacking.contains(agent) && present.hasIncompleteCamera(agent, needing: nodes)
        {
            lacking.insert(agent)
        } else {
            lacking.remove(agent)
        }
    }

    // MARK: The end

    private mutating func fail(_ error: CommandError) -> [Action] {
        state = .failed
        return [.failed(error)]
    }
}

func refusal(of filter: String) -> String { "The broker refuses the subscription to \(filter)." }

extension CommandError {
    static let brokerTimedOut = CommandError(.unavailable, "The broker doesn't answer.")
}
