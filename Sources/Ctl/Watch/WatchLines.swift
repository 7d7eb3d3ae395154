package import Base
package import Bus
internal import Contract
package import Fleet
internal import Glibc

/// The output of `ctl watch` where standard output is no terminal: a line for each change.
package struct WatchLines {
    /// Bytes of a payload that is no JSON, of which more are of no use.
    private static let longestText = 1_000

    private let options: CtlOptions
    /// The text of the last line, by topic.
    private var printed: [String: String] = [:]

    package init(_ options: CtlOptions) { self.options = options }

    /// What is read.
    package var needs: FleetNeeds {
        // The groups of a camera are in its `info`.
        var required = options.group == nil ? ["availability"] : ["availability", "info"]
        if !options.json { required.append("zoom") }
        let others = options.json ? ReadOnlyState.namesWithNodes.filter { !required.contains($0) } : []
        return FleetNeeds(
            agent: options.agent, camera: options.camera, required: required, optional: others,
            live: options.json ? ["zoom/live", "event"] : [])
    }

    /// The line for a message; nil if nothing is to be printed.
    ///
    /// - Parameter fleet: the fleet, updated with the message.
    package mutating func line(for message: BusMessage, _ fleet: CtlFleet) -> PrintableLine? {
        guard let parts = Topics.parse(message.topic, below: options.baseTopic), isSelected(parts, fleet)
        else { return nil }
        if options.json { return Self.json(message) }
        let text: String?
        switch (parts.node, parts.camera) {
        case ("availability", _): text = Self.availability(message)
        case ("zoom", let camera?): text = fleet[camera]?.facts.zoom?.line
        default: text = nil
        }
        // The first `online` is no change.
        guard let text, text != printed.updateValue(text, forKey: message.topic) ?? "online" else {
            return nil
        }
        return PrintableLine("\(parts.placeName) \(text)")
    }

    private func isSelected(_ parts: TopicParts, _ fleet: CtlFleet) -> Bool {
        guard [.state, .live].contains(parts.kind) else { return false }
        switch parts.place {
        case .agent(let agent):
            guard parts.node == "availability", agent == options.agent ?? agent else { return false }
            // An agent without the selected camera is left out.
            return options.group == nil && options.camera == nil
                || fleet.agents[agent]?.cameras.values.contains(where: isSelected) ?? false
        case .camera(let address): return fleet[address].map(isSelected) ?? false
        case .group: return false
        }
    }

    private func isSelected(_ camera: CtlFleet.Camera) -> Bool {
        options.group.map { camera.facts.info?.groups?.contains($0) ?? false } ?? true
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
        let surroundings = try BusSurroundings(
            options, filters: [], signals: [SIGTERM, SIGINT])
        surroundings.endWithReader()
        let session = CtlSession(options, surroundings, lines.needs)
        func output(_ message: BusMessage) {
            if let line = lines.line(for: message, session.fleet) { session.output(line) }
        }
        do throws(Ending) {
            try session.settle(received: output)
            session.survivesLoss = true
            while true {
                switch try session.next() {
                case .message(let message): output(message)
                case .connection(.disconnected(let reason, _)): session.printError(text: reason)
                default: break
                }
            }
        } catch {
            return session.report(error)
        }
    }
}
