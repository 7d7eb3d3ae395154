internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import Server

/// The exporter: serves the metrics of all agents and cameras of a broker until a signal.
@main
struct ExporterProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "v4l2mqtt-exporter",
        abstract: "Serves metrics of all agents and cameras of an MQTT broker for Prometheus.",
        discussion: """
            "v4l2mqtt-exporter" alone serves http://127.0.0.1:9877/metrics and connects to the broker of this machine. It only \
            subscribes, and sends nothing to agents. The metrics name all agents and cameras: on another address than those \
            of this machine, put a proxy with authentication in front.

            Exit codes: 0 clean stop, 64 wrong usage, 69 the address can't be used.
            """,
        version: programVersion)

    @Option(help: ArgumentHelp("Where to listen.", valueName: "address:port"))
    var listen = "127.0.0.1:9877"

    @Option(
        help: ArgumentHelp(
            "How many cameras, and how many agents, are kept at the most; messages of others are left out (1 to 1000000).",
            valueName: "number"))
    var maxCameras = FleetMetrics.usualLimit

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard ListenAddress(listen) != nil else {
            throw ValidationError("--listen is an address and a port, such as 127.0.0.1:9877 or [::]:9877.")
        }
        guard 1...1_000_000 ~= maxCameras else {
            throw ValidationError("--max-cameras is 1 to 1000000.")
        }
    }

    func run() throws {
        guard let place = ListenAddress(listen) else { return }
        var signals = StopSignals()
        let server: MetricsServer
        do {
            let id = "v4l2mqtt-exporter-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
            server = try MetricsServer(
                FleetMetrics(baseTopic: broker.baseTopic, limit: maxCameras), at: place,
                broker: broker.settings(clientID: id),
                incomplete: { count in
                    printError(
                        "warning: incomplete: not all retained messages of \(count) \(count == 1 ? "camera" : "cameras") have come. The broker may drop what it can't send at once."
                    )
                },
                changed: { event in
                    if let line = event.logLine { printError("\(line)") }
                })
        } catch let error as BusError {
            printError("\(error.description)")
            throw ExitStatus.usage
        } catch let error where !(error is ValidationError) {
            printError("--listen \(listen): \(error)")
            throw ExitStatus.unavailable
        }
        printLine("\(place.url(port: server.port))metrics")
        _ = signals.wait()
        server.stop()
    }
}
