internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import Server

/// `v4l2mqtt-console metrics`: serves the metrics alone, until a signal.
struct MetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Serves metrics of all agents and cameras for Prometheus, and no page.",
        discussion: """
            "v4l2mqtt-console metrics" serves http://127.0.0.1:9877/metrics and connects to the broker of this machine. It only \
            subscribes, and sends nothing to agents. The metrics name all agents and cameras: on another address than those \
            of this machine, put a proxy with authentication in front.
            """)

    @Option(help: ArgumentHelp("Where to listen.", valueName: "address:port"))
    var listen = "127.0.0.1:9877"

    @Option(
        help: ArgumentHelp(
            "How many cameras, and how many agents, are kept at the most; messages of others are left out (1 to 1000000).",
            valueName: "number"))
    var maxCameras = FleetMetrics.usualLimit

    @Option(
        help: ArgumentHelp(
            "A name by which Prometheus reaches this server, beside addresses, localhost and the name of this machine. Can be given more than once.",
            valueName: "name"))
    var publicHost: [String] = []

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        try broker.requireV5()
        guard ListenAddress(listen) != nil else {
            throw ValidationError("--listen is an address and a port, such as 127.0.0.1:9877 or [::]:9877.")
        }
        guard 1...1_000_000 ~= maxCameras else {
            throw ValidationError("--max-cameras is 1 to 1000000.")
        }
    }

    func run() throws { try ExitStatus.after(serve) }

    private func serve() throws {
        guard let place = ListenAddress(listen) else { return }
        var signals = StopSignals()
        let id = "v4l2mqtt-exporter-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        let name = NetworkAddress.hostName
        var options = ServerOptions(
            at: place, RequestOptions(publicHosts: publicHost + [name, "\(name).local"]))
        (options.isForMetricsOnly, options.maxCameras) = (true, maxCameras)
        options.log = { printError("\($0)") }
        let settings = ConsoleSettings(
            baseTopic: broker.baseTopic, name: "exporter", account: nil, clientID: id,
            version: programVersion)
        let server = try ConsoleServer(
            settings, options, broker: broker.settings(clientID: id), tokens: TokenList(),
            changed: ConsoleProgram.note)
        printLine("\(place.url(port: server.port))metrics")
        signals.wait()
        server.stop()
    }
}
