internal import Base
package import Bus
internal import Contract

/// The conversation of one run of `ctl` with a camera: chooses the camera, sends requests, waits for their
/// answers, and ends with exactly one exit code.
///
/// It has no clock and does no I/O. Messages that arrive late or twice, and everything after the end,
/// change nothing.
package struct Conversation: CtlMachine {
    package typealias Instant = ContinuousClock.Instant
    package typealias Action = CtlAction

    enum State {
        /// The broker has to accept the connection until then, and afterwards to answer the subscriptions.
        case connecting(until: Instant)
        /// Retained messages arrive; the camera is chosen then, or before if everything about the named agent
        /// is known.
        case choosing(at: Instant)
        case exchanging(Exchange)
        /// The local file of a copy is being read or written.
        case copying(MediaCopy, Exchange)
        case ended
    }

    static let brokerTimeout = Duration.seconds(5)
    /// The broker sends retained messages together with the answers to the subscriptions.
    static let quietPeriod = Duration.milliseconds(300)
    static let longestReading = Duration.seconds(5)
    /// A transferred photo has no `accepted` before it, and the zoom may have to move first.
    static let photoTimeout = Duration.seconds(120)

    let options: CtlOptions
    let operation: CtlOperation
    var state: State
    private(set) var fleet: Fleet
    /// Whether agents were asked for what is missing.
    private var hasAsked = false
    /// The payloads of the states that the operation requires, by topic.
    private(set) var states: [String: [UInt8]] = [:]
    /// The files at the agent that are still to be copied; the first one is being copied.
    var remaining: [String] = []
    /// The copies that are complete.
    var written: [WrittenCopy] = []
    /// What came of the operation; nil: it has not ended.
    private(set) var result: MemberResult?

    package init(_ operation: CtlOperation, _ options: CtlOptions, at now: Instant) {
        (self.operation, self.options) = (operation, options)
        fleet = Fleet(options)
        state = .connecting(until: now + options.connectLimit)
    }

    package static func filters(_ operation: CtlOperation, _ options: CtlOptions) -> [BusFilter] {
        options.filters(cameraNodes: ["availability"] + operation.nodes) + options.answerFilters
    }

    package var deadline: Instant? {
        switch state {
        case .connecting(let time), .choosing(let time): time
        case .exchanging(let exchange): exchange.deadline
        case .copying, .ended: nil
        }
    }

    package mutating func handle(_ input: BusInput, at now: Instant) -> [Action] {
        switch state {
        case .copying, .ended: return []
        case .connecting, .choosing, .exchanging: break
        }
        switch input {
        case .connection(let event): return connectionChanged(event, at: now)
        case .message(let message):
            if options.isRefreshPromise(message) { waitForPromise(at: now) }
            return isAnswer(message.topic) ? answered(message, at: now) : observed(message, at: now)
        case .refused(let topic, let reason):
            guard case .exchanging(let exchange) = state, exchange.requestTopics.contains(topic) else {
                return []
            }
            return fail(.refusedByBroker(topic, reason))
        case .drained: return []
        case .deadline: return deadlinePassed(at: now)
        }
    }

    /// The agent has answered that it publishes its messages again.
    private mutating func waitForPromise(at now: Instant) {
        let end = now + FleetObservation.promisePeriod
        switch state {
        case .choosing: if hasAsked { state = .choosing(at: end) }
        case .exchanging(let exchange):
            guard exchange.hasAsked, case .states = exchange.step else { return }
            exchange.step = .states(quiet: end, latest: end)
        case .connecting, .copying, .ended: break
        }
    }

    private func isAnswer(_ topic: String) -> Bool {
        topic.hasSuffix("/reply") || topic.hasPrefix(options.answerPrefix)
    }

    /// The user interrupts the operation: a recording is stopped, everything else ends immediately.
    package mutating func interrupt(at now: Instant) -> [Action] {
        switch state {
        case .ended: return []
        case .exchanging(let exchange):
            switch exchange.step {
            case .timedStart, .timedEnd: return [exchange.send(.recording, ["on": .flag(false)], at: now)]
            default: return end(0)
            }
        case .connecting, .choosing, .copying: return end(0)
        }
    }

    private mutating func connectionChanged(_ event: BusEvent, at now: Instant) -> [Action] {
        switch event {
        case .connected(let session):
            if operation.needsV5 && !session.isV5 {
                return fail(.unsupported, "This needs MQTT 5, and \(session.host) supports only MQTT 3.1.1.")
            }
            if case .connecting = state { state = .connecting(until: now + Self.brokerTimeout) }
            return []
        case .subscribed:
            if case .connecting = state { state = .choosing(at: now + Self.quietPeriod) }
            return []
        case .subscriptionRefused(let filter): return fail(.unavailable, refusal(of: filter))
        case .disconnected(let reason, _):
            guard case .exchanging(let exchange) = state else { return fail(.unavailable, reason) }
            return connectionLost(reason, exchange)
        }
    }

    /// A message that isn't an answer.
    private mutating func observed(_ message: BusMessage, at now: Instant) -> [Action] {
        fleet.update(with: message, at: now)
        if case .camera(_, let node) = fleet.subject(of: message.topic),
            operation.requiredStates.contains(node)
        {
            states[message.topic] = message.payload
        }
        guard case .exchanging(let exchange) = state else {
            let isOnlyOne = hasAsked && fleet.agents.count == 1
            guard let agent = options.agent ?? (isOnlyOne ? fleet.agents.keys.first : nil),
                fleet.agents[agent]?.isKnown ?? false
            else { return [] }
            return choose(at: now)
        }
        let actions = advance(exchange, by: message, at: now)
        guard case .exchanging = state, message.topic == exchange.topics.agentAvailability else {
            return actions
        }
        let reason = exchange.agentChanged(fleet.agents[exchange.address.agent]?.availability, at: now)
        return actions + (reason.map { connectionLost($0, exchange) } ?? [])
    }

    /// Asks once, if the `info` of the agent is missing, which says which cameras it has and on which topics
    /// it takes commands: the agent may have published it at another node of the broker.
    private mutating func askForMissing(at now: Instant) -> [Action]? {
        // Of several agents, one has to be named.
        let isOfOne = options.agent != nil || fleet.agents.count == 1
        let lacksInfo = fleet.incompleteAgents.contains { fleet.agents[$0]?.info == nil }
        guard !hasAsked, isOfOne, lacksInfo else { return nil }
        let requests = fleet.requests(to: fleet.incompleteAgents, client: options.client)
        guard !requests.isEmpty else { return nil }
        hasAsked = true
        state = .choosing(at: now + FleetObservation.askingPeriod)
        return requests.map { .publish(topic: $0.topic, payload: $0.payload, id: Topics.refresh) }
    }

    private mutating func choose(at now: Instant) -> [Action] {
        do throws(CommandError) {
            return start(try fleet.choice(options), at: now)
        } catch {
            return fail(error)
        }
    }

    private mutating func deadlinePassed(at now: Instant) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch state {
        case .connecting: return fail(.brokerTimedOut)
        case .choosing: return askForMissing(at: now) ?? choose(at: now)
        case .exchanging(let exchange):
            if let limit = exchange.answerDeadline, limit <= now {
                return fail(.unavailable, exchange.missingAnswer)
            }
            if let reason = exchange.offlineError(at: now) { return connectionLost(reason, exchange) }
            return stepTimeout(exchange, at: now)
        case .copying, .ended: return []
        }
    }

    /// The connection or the agent is lost. That ends a conversation that waits for an answer, or for the end
    /// of a recording. Otherwise the connection may come back in time.
    private mutating func connectionLost(_ reason: String, _ exchange: Exchange) -> [Action] {
        if !exchange.pending.isEmpty { return fail(.unavailable, reason) }
        if case .timedEnd = exchange.step {
            return fail(
                .unavailable, "\(reason) If the agent still runs, the recording goes on until its end.")
        }
        return []
    }
}

// MARK: The end

extension Conversation {
    mutating func end(_ code: Int32, _ actions: [Action] = []) -> [Action] {
        state = .ended
        result = result ?? (code == 0 ? .done : .refused(reason: "failed", message: nil))
        return actions + [.exit(code: code)]
    }

    /// Ends with an error of `ctl` itself.
    mutating func fail(_ error: CommandError) -> [Action] {
        state = .ended
        result = error.code == .unavailable ? .silent(reason: error.message) : .refused(error)
        return error.ending(options)
    }

    mutating func fail(_ code: CommandError.Code, _ message: String) -> [Action] {
        fail(CommandError(code, message))
    }

    /// Ends with a final answer.
    ///
    /// - Parameter controls: the controls whose values are printed.
    mutating func conclude(_ reply: Reply, listing controls: Set<String> = []) -> [Action] {
        result = MemberResult(reply)
        var actions: [Action] = options.json ? [.printLine(JSON.line(reply))] : []
        if let error = reply.error { return end(1, actions + [.printError(PrintableLine(error.text))]) }
        if !options.json { actions += reply.lines(listing: controls).map { .printLine($0) } }
        return end(reply.status == .done ? 0 : 1, actions)
    }
}
