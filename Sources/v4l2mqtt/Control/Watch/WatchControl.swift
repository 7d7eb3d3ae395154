internal import ArgumentParser
internal import Glibc
internal import LoopThread
internal import MQTTBus
internal import Messages

/// `ctl watch`
struct WatchControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows cameras as they change, until q or Ctrl-C.",
        discussion: """
            On a terminal, a table of all cameras on the broker, or of those that --agent and --camera name: zoom, who moved \
            it, recording, last error. Elsewhere, a line for each change of their zoom, and for each camera and agent that comes \
            or goes; with --json, a line for each message: its topic and its payload.
            """)

    /// All that cameras say in JSON, but for answers.
    private static let nodes = [
        "availability", "info", "zoom", "zoom/live", "pinch", "touch", "viewport", "capture", "recording",
        "session", "controls", "presets", "preview", "lease", "desired", "event", "diagnostics",
    ]

    @OptionGroup var options: BusOptions

    func run() throws {
        if options.json {
            try printLines(of: Self.nodes) { message, _ in Self.json(message) }
        } else if Screen.isPossible {
            try WatchScreen(options).run()
        } else {
            var lines = FleetLines()
            try printLines(of: ["zoom", "availability"]) { lines.line(for: $0, $1) }
        }
    }

    /// Prints what cameras and agents say, as lines, until a signal or until nobody reads them any more.
    private func printLines(of nodes: [String], _ line: @escaping (BusMessage, Fleet) -> String?) throws {
        let survey = try Survey(options, listeningTo: nodes)
        let signals = try Signals([SIGTERM, SIGINT], on: survey.loop) { [survey] _ in survey.finish() }
        // Whoever ends a pipe isn't to be waited for until there is something to say.
        survey.loop.watch(STDOUT_FILENO, for: { [] }) { _ in endAtClosedPipe() }
        survey.heard = { [survey, options] message in
            if case .agent(let agent, let node) = survey.fleet.source(of: message.topic) {
                guard node == "availability", agent == options.agent ?? agent else { return }
                // One that hasn't the camera isn't asked for.
                let names = survey.fleet.names
                guard options.camera == nil || names.contains(where: { $0.agent == agent }) else { return }
            }
            if let line = line(message, survey.fleet) { say(line) }
        }
        survey.connectionChanged = { reason in
            if let reason { complain(reason) }
        }
        try survey.run()
        withExtendedLifetime(signals) {}
    }

    /// A message as a line of JSON; nil where its payload isn't JSON, as of a state that nobody but the agent should have written.
    private static func json(_ message: BusMessage) -> String? {
        // A gesture or a lease that there is no more.
        let isNone = message.payload == Array("null".utf8)
        guard isNone || JSON.isObject(message.payload) else { return nil }
        let topic = String(decoding: JSON.bytes(message.topic), as: UTF8.self)
        let payload = String(decoding: message.payload, as: UTF8.self)
        return "{\"topic\":\(topic),\"payload\":\(payload)}"
    }
}

/// What cameras and agents say as lines for people.
private struct FleetLines {
    /// What was said last, by topic.
    private var said: [String: String] = [:]

    /// A line for a message that a fleet has taken in; nil where there is nothing new in it.
    mutating func line(for message: BusMessage, _ fleet: Fleet) -> String? {
        let name: String
        let words: String?
        switch fleet.source(of: message.topic) {
        case .agent(let agent, _): (name, words) = (agent, Self.availability(message))
        case .camera(let camera, let node):
            name = "\(camera.agent)/\(camera.camera)"
            words = node == "zoom" ? fleet.cameras[camera]?.zoom?.line : Self.availability(message)
        case nil: return nil
        }
        // That somebody is online is no news before they weren't.
        guard let words, words != said.updateValue(words, forKey: message.topic) ?? "online" else {
            return nil
        }
        return "\(name) \(words)"
    }

    private static func availability(_ message: BusMessage) -> String? {
        guard let there = JSON.value(Availability.self, from: message.payload) else { return nil }
        return there.state.rawValue + (there.reason.map { ": \($0.printable)" } ?? "")
    }
}
