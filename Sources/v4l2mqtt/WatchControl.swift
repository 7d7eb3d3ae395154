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
            it, recording, last error. Elsewhere, a line for each change of one camera's zoom; with --json, for all of them, a \
            line for each message: its topic and its payload.
            """)

    @OptionGroup var options: BusOptions

    func run() throws {
        if options.json { return try printMessages() }
        if Screen.isPossible { return try WatchScreen(options).run() }
        let controller = try Controller(options, listeningTo: ["zoom", "zoom/live", "availability"])
        let signals = try Signals([SIGTERM, SIGINT], on: controller.loop) { [controller] _ in
            controller.finish()
        }
        let view = ZoomLine()
        controller.heard = { view.show($0) }
        try controller.run { [controller] _ in controller.bePatient() }
        view.end()
        withExtendedLifetime(signals) {}
    }

    /// What all cameras say, or those that the options name, until a signal.
    private func printMessages() throws {
        let survey = try Survey(
            options, listeningTo: ["zoom", "zoom/live", "availability", "recording", "event"])
        let signals = try Signals([SIGTERM, SIGINT], on: survey.loop) { [survey] _ in survey.finish() }
        survey.looked = { [options] message in
            // Not what the agents say of themselves.
            let levels = message.topic.dropFirst(options.baseTopic.count + 1).split(separator: "/")
            guard levels.count > 2, let line = Self.line(message) else { return }
            print(line)
            fflush(nil)
        }
        survey.connectionChanged = { reason in
            if let reason { complain(reason) }
        }
        try survey.run()
        withExtendedLifetime(signals) {}
    }

    /// A message as a line of JSON; nil where its payload isn't JSON, as of a state that nobody but the agent should have written.
    private static func line(_ message: BusMessage) -> String? {
        guard JSON.isObject(message.payload) else { return nil }
        let topic = String(decoding: JSON.bytes(message.topic), as: UTF8.self)
        let payload = String(decoding: message.payload, as: UTF8.self)
        return "{\"topic\":\(topic),\"payload\":\(payload)}"
    }
}
