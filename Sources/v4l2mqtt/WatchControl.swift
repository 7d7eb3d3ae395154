internal import ArgumentParser
internal import Glibc
internal import LoopThread
internal import MQTTBus
internal import Messages

/// `ctl watch`
struct WatchControl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the zoom as it changes, until Ctrl-C.",
        discussion: "With --json, a line for each message: its topic and its payload.")

    @OptionGroup var options: BusOptions

    func run() throws {
        let controller = try Controller(options, listeningTo: ["zoom", "zoom/live", "availability"])
        let signals = try Signals([SIGTERM, SIGINT], on: controller.loop) { [controller] _ in
            controller.finish()
        }
        let view = ZoomLine()
        controller.heard = { [options] message in
            if options.json {
                let payload = String(decoding: message.payload, as: UTF8.self)
                print("{\"topic\":\"\(message.topic)\",\"payload\":\(payload)}")
                fflush(nil)
            } else {
                view.show(message)
            }
        }
        try controller.run { [controller] _ in controller.bePatient() }
        view.end()
        withExtendedLifetime(signals) {}
    }
}
