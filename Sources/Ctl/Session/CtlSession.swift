internal import Base
internal import Bus
internal import Contract

/// One run of `ctl` with a broker: what is known of the fleet, what is published, and what is printed.
///
/// It waits for one thing after the other, so that each operation is a procedure.
package final class CtlSession {
    typealias Instant = ContinuousClock.Instant

    /// Something that has happened, and that the session knows already.
    enum Event {
        case connected
        /// The broker has answered the subscriptions.
        case subscribed
        case disconnected(reason: String)
        case message(BusMessage)
        /// All retained messages of the present connection have come.
        case settled
        case drained
        case refused(topic: String, reason: String)
        case interrupt
    }

    /// What is printed. Of the cameras of a group, errors are printed at the end, with their names.
    enum Prints {
        case all
        /// What the operation is for, and no errors.
        case results
        case nothing
    }

    let options: CtlOptions
    private let surroundings: any Surroundings
    private var observation: FleetObservation
    /// Whether the observation settles, asks for what is missing, and ends with the first connection.
    private let observes: Bool
    /// Whether answers are needed that only MQTT 5 can assign to a request.
    private let needsV5: Bool
    /// The nodes whose retained states are kept.
    private let stateNodes: [String]
    /// Their payloads, by topic.
    private(set) var states: [String: [UInt8]] = [:]
    private var requests = 0
    var prints = Prints.all
    /// Whether ``Event/interrupt`` is handled; otherwise it ends the run.
    var handlesInterrupts = false
    private var hasSaidThatItWaits = false

    init(
        _ options: CtlOptions, _ surroundings: any Surroundings, _ observation: FleetObservation,
        observes: Bool, needsV5: Bool = false, stateNodes: [String] = []
    ) {
        (self.options, self.surroundings, self.observation) = (options, surroundings, observation)
        (self.observes, self.needsV5, self.stateNodes) = (observes, needsV5, stateNodes)
    }

    var now: Instant { surroundings.now }
    var fleet: Fleet { observation.fleet }
    var missingNote: String? { observation.missingNote }
    var incompleteNote: String? { observation.incompleteNote }
    var unaskedNote: String? { observation.unaskedNote }

    // MARK: Events

    /// Waits until something happens.
    ///
    /// - Returns: nil: a deadline has passed, this one or one of the session.
    func next(before deadline: Instant? = nil) throws(Ending) -> Event? {
        let own = observes ? observation.deadline : nil
        let input = try surroundings.next(before: earliest(deadline, own))
        switch input {
        case .message(let message): keep(message)
        case .connection(.connected(let session)) where needsV5 && !session.isV5:
            throw .failed(
                .unsupported, "This needs MQTT 5, and \(session.host) supports only MQTT 3.1.1.")
        case .connection(.subscriptionRefused(let filter)): throw .failed(.unavailable, refusal(of: filter))
        case .refused(let topic, _) where observation.isRequest(topic): return nil
        case .interrupt where !handlesInterrupts: throw .exit(0)
        default: break
        }
        let isSettled = try observe(input)
        switch input {
        case nil: return isSettled ? .settled : nil
        case .connection(.connected): return .connected
        case .connection(.subscribed): return .subscribed
        case .connection(.disconnected(let reason, _)): return .disconnected(reason: reason)
        case .connection(.subscriptionRefused): return nil
        case .message(let message): return .message(message)
        case .drained: return .drained
        case .refused(let topic, let reason): return .refused(topic: topic, reason: reason)
        case .interrupt: return .interrupt
        }
    }

    /// Feeds the observation.
    ///
    /// - Returns: whether all retained messages have come.
    private func observe(_ input: BusInput?) throws(Ending) -> Bool {
        let now = now
        if !observes {
            if case .message = input { _ = observation.handle(input, at: now) }
            return false
        }
        var isSettled = false
        for action in observation.handle(input, at: now) {
            switch action {
            case .ask(let topic, let payload): publish(topic, payload)
            case .failed(let error): throw .failed(error)
            case .settled: isSettled = true
            case .connected, .disconnected, .received: break
            }
        }
        return isSettled
    }

    private func keep(_ message: BusMessage) {
        if !stateNodes.isEmpty, case .camera(_, let node) = fleet.subject(of: message.topic),
            stateNodes.contains(node)
        {
            states[message.topic] = message.payload
        }
    }

    /// Waits until all retained messages of the first connection have come.
    ///
    /// - Parameter received: called with each message.
    func settle(received: (BusMessage) -> Void = { _ in }) throws(Ending) {
        while true {
            switch try next() {
            case .settled: return
            case .message(let message): received(message)
            default: break
            }
        }
    }

    // MARK: Requests

    /// The id of the next request.
    func nextID() -> String {
        requests += 1
        return options.requestID(requests)
    }

    func publish(_ topic: String, _ payload: [UInt8], id: String? = nil, isRetained: Bool = false) {
        surroundings.publish(SentMessage(topic: topic, payload: payload, id: id, isRetained: isRetained))
    }

    /// Says once how a command that waits for its time can be cancelled.
    func noteThatItWaits(_ id: String) {
        guard options.time != nil, !options.json, !hasSaidThatItWaits else { return }
        hasSaidThatItWaits = true
        printError(options.waitingNote(of: id))
    }

    // MARK: Output

    func output(_ line: PrintableLine) { if prints != .nothing { surroundings.printLine(line) } }

    func printError(_ line: PrintableLine) { if prints == .all { surroundings.printError(line) } }

    func printError(text: String) { printError(PrintableLine(text)) }

    /// Writes a photo to standard output.
    func output(photo: [UInt8]) { surroundings.printPhoto(photo) }

    func write(_ photo: [UInt8], to path: String) throws(Ending) { try surroundings.write(photo, to: path) }

    func openCopy(_ path: String, replaces: Bool, bytes: Int) throws(Ending) -> any CopyFile {
        try surroundings.openCopy(path, replaces: replaces, bytes: bytes)
    }

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
