internal import Console
package import MQTTBus
internal import Messages

/// The output of `ctl watch` where standard output is no terminal: a line for each change.
package struct WatchLines {
    /// All JSON states and events of a camera, without replies.
    private static let allNodes =
        ["availability", "info", "zoom/live", "event", "diagnostics"] + Node.allCases.map(\.rawValue)

    private let options: CtlOptions
    /// The text of the last line, by topic.
    private var printed: [String: String] = [:]

    package init(_ options: CtlOptions) { self.options = options }

    /// The nodes to subscribe to.
    package var nodes: [String] { options.json ? Self.allNodes : ["zoom", "availability"] }

    /// The line for a message; nil if nothing is to be printed.
    ///
    /// - Parameter fleet: the fleet, updated with the message.
    package mutating func line(for message: BusMessage, _ fleet: Fleet) -> String? {
        let source = fleet.source(of: message.topic)
        if case .agent(let agent, let node) = source {
            guard node == "availability", agent == options.agent ?? agent else { return nil }
            // An agent without the selected camera is left out.
            let hasCamera = fleet.addresses.contains { $0.agent == agent }
            guard options.camera == nil || hasCamera else { return nil }
        }
        if options.json { return Self.json(message) }
        let name: String
        let text: String?
        switch source {
        case .agent(let agent, _): (name, text) = (agent, Self.availability(message))
        case .camera(let address, let node):
            name = address.description
            text = node == "zoom" ? fleet.cameras[address]?.zoom?.line : Self.availability(message)
        case nil: return nil
        }
        // The first `online` is no change.
        guard let text, text != printed.updateValue(text, forKey: message.topic) ?? "online" else {
            return nil
        }
        return "\(name) \(text)"
    }

    /// A message as a line of JSON; nil if its payload is neither an object nor null.
    private static func json(_ message: BusMessage) -> String? {
        // `null` is the state of a gesture or a lease that has ended.
        let isNull = message.payload == Array("null".utf8)
        guard isNull || JSON.isObject(message.payload) else { return nil }
        let payload = String(decoding: message.payload, as: UTF8.self)
        return "{\"topic\":\(JSON.text(message.topic)),\"payload\":\(payload)}"
    }

    private static func availability(_ message: BusMessage) -> String? {
        guard let state = JSON.value(Availability.self, from: message.payload) else { return nil }
        return state.state.rawValue + (state.reason.map { ": \($0.printable)" } ?? "")
    }
}
