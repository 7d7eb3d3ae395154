package import Base
package import Bus
internal import Contract
internal import Glibc

/// The output of `ctl watch` where standard output is no terminal: a line for each change.
package struct WatchLines {
    /// All JSON states and events of a camera, without replies.
    private static let allNodes = ReadOnlyState.namesWithNodes + ["zoom/live", "event"]

    /// Bytes of a payload that is no JSON, of which more are of no use.
    private static let longestText = 1_000

    private let options: CtlOptions
    /// The text of the last line, by topic.
    private var printed: [String: String] = [:]

    package init(_ options: CtlOptions) { self.options = options }

    /// The nodes to subscribe to.
    package var nodes: [String] {
        // The groups of a camera are in its `info`.
        let ofGroups = options.group == nil ? [] : ["info"]
        return ofGroups
            + (options.json ? Self.allNodes.filter { !ofGroups.contains($0) } : ["zoom", "availability"])
    }

    /// The line for a message; nil if nothing is to be printed.
    ///
    /// - Parameter fleet: the fleet, updated with the message.
    package mutating func line(for message: BusMessage, _ fleet: Fleet) -> PrintableLine? {
        guard let subject = fleet.subject(of: message.topic) else { return nil }
        if case .agent(let agent, let node) = subject {
            guard node == "availability", agent == options.agent ?? agent else { return nil }
            // An agent without the selected camera is left out.
            let hasCamera = fleet.addresses.contains { $0.agent == agent }
            guard options.camera == nil && options.group == nil || hasCamera else { return nil }
        }
        if options.group != nil, case .camera(let address, _) = subject,
            !fleet.addresses.contains(address)
        {
            return nil
        }
        if options.json { return Self.json(message) }
        let name: String
        let text: String?
        switch subject {
        case .agent(let agent, _): (name, text) = (agent, Self.availability(message))
        case .camera(let address, let node):
            name = address.description
            text =
                switch node {
                case "zoom": fleet.cameras[address]?.zoom?.line
                case "availability": Self.availability(message)
                default: nil
                }
        }
        // The first `online` is no change.
        guard let text, text != printed.updateValue(text, forKey: message.topic) ?? "online" else {
            return nil
        }
        return "\(name) \(text)"
    }

    /// A message as a line of JSON; nil if its payload is empty, which removes a retained message.
    ///
    /// An object, or `null` (the state of a gesture or a lease that has ended), is decoded and encoded anew:
    /// any client can publish line feeds between the parts of JSON, and what looks like further lines. The
    /// beginning of any other payload becomes a text.
    private static func json(_ message: BusMessage) -> PrintableLine? {
        guard !message.payload.isEmpty else { return nil }
        let payload =
            JSON.objectOrNull(message.payload)
            ?? .text(String(decoding: message.payload.prefix(longestText), as: UTF8.self))
        return JSON.line(JSON.object(["topic": .text(message.topic), "payload": payload]))
    }

    private static func availability(_ message: BusMessage) -> String? {
        guard let state = JSON.value(Availability.self, from: message.payload) else { return nil }
        return state.state.rawValue + (state.reason.map { ": \($0)" } ?? "")
    }
}

extension WatchLines {
    /// Prints a line for each change until a signal, or until the reader of a pipe is gone.
    ///
    /// - Returns: the exit code.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package static func run(_ options: CtlOptions) throws -> Int32 {
        var lines = WatchLines(options)
        let observer = try BusObserver(options, nodes: lines.nodes)
        let loop = observer.loop
        let signals = try Signals([SIGTERM, SIGINT], on: loop) { [loop] _ in loop.stop() }
        // Without a message there is no write that fails: the end of a pipe's reader is observed.
        loop.watch(STDOUT_FILENO, for: { [] }) { _ in endByBrokenPipe() }
        var failure: CommandError?
        observer.perform = { [weak observer] action in
            switch action {
            case .received(let message):
                if let observer, let line = lines.line(for: message, observer.observation.fleet) {
                    printLine(line)
                }
            case .disconnected(let reason): printError(PrintableLine(reason))
            case .failed(let error):
                failure = error
                loop.stop()
            case .connected, .settled, .ask: break
            }
        }
        observer.run()
        return withExtendedLifetime(signals) {
            guard let failure else { return 0 }
            printFailure(failure, options)
            return 1
        }
    }
}
