internal import ArgumentParser
internal import Configuration
internal import Glibc
internal import Logging
internal import LoopThread
internal import Settings
internal import V4L2

/// Serves cameras until it is told to stop.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serves the cameras of a configuration.",
        discussion: """
            Logs to standard error. SIGTERM and SIGINT stop it cleanly; a second one at once. SIGHUP doesn't reload: restart \
            it instead, which takes a moment and loses nothing. Under systemd it speaks sd_notify (READY, STOPPING, WATCHDOG).
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "End with 69 when the broker can't be reached at the start, instead of trying on.")
    var requireBroker = false

    func run() throws {
        let configuration = try options.load()
        let logger = Logger(label: "v4l2mqtt", configuration.log)
        let devices = SharedDevices()
        var settings = configuration.agentSettings()
        let found = configuration.servesAll ? DeviceScan.devices() : []
        let cameras = try configuration.cameras(of: found, devices, logger)
        settings.cameras = cameras.map(\.0)
        let service = AgentService(
            settings, sources: Dictionary(uniqueKeysWithValues: cameras.map { ($0.0.id, $0.1) }), logger: logger,
            requiresBroker: requireBroker)
        if configuration.servesAll { service.takeUpNewDevices(devices, served: found) }
        try service.run()
        if service.isToBeginAnew { Program.beginAnew() }
    }
}
