internal import ArgumentParser
internal import CameraAgent
internal import Configuration
internal import Glibc
internal import Logging
internal import LoopThread
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
        var settings = try configuration.agentSettings(devices)
        let found = configuration.servesAll ? DeviceScan.devices() : []
        if configuration.servesAll { settings.cameras = configuration.cameras(of: found, devices, logger) }
        let service = AgentService(settings, logger: logger, requiresBroker: requireBroker)
        if configuration.servesAll { service.takeUpNewDevices(devices, served: found) }
        try service.run()
        if service.isToBeginAnew { Program.beginAnew() }
    }
}
