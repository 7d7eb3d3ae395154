internal import Agent
internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Cameras
internal import Configuration
internal import Logging
internal import Settings

/// Serves cameras until a signal stops it.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Serves the cameras of a configuration.",
        discussion: """
            Logs to standard error. SIGTERM and SIGINT stop it cleanly, a second one immediately. SIGHUP loads \
            the configuration again: the program checks it, waits until no recording runs, and starts again as \
            the same process. It keeps a configuration that is in use if the new one has errors. Under systemd \
            it uses sd_notify (READY, RELOADING, STOPPING, WATCHDOG).
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "End with 69 if the broker can't be reached at the start, instead of retrying.")
    var requireBroker = false

    @Flag(
        help: """
            Begin with the state of an earlier version that was not stopped cleanly, without its newest changes.
            """)
    var discardJournal = false

    func run() throws {
        let isRestarted = Program.takeRestart()
        let configuration = try options.load()
        var settings = configuration.settings
        do throws(LibcameraPreload.Failure) {
            try LibcameraPreload.enter(settings.libcamera, isRestarted: isRestarted)
        } catch {
            printErrors(of: "\(configuration.error(in: "libcamera", "\(error)"))")
            throw ExitStatus.usage
        }
        defer { LibcameraLayer.waitUntilClosed(atMost: .seconds(2)) }
        let logger = Logger(label: "v4l2mqtt", settings.log)
        for warning in configuration.warnings { logger.warning("\(warning)") }
        if let refusal = configuration.fleetRefusal { logger.warning("\(refusal)") }
        let devices = SharedDevices(settings)
        let found = settings.servesAll ? devices.scan().filter { !$0.isLoopback } : []
        if settings.servesAll { settings.serve(found, from: devices, logger) }
        let service = AgentService(
            settings, devices, version: programVersion, logger: logger, requiresBroker: requireBroker,
            isRestarted: isRestarted, discardsJournal: discardJournal)
        service.prepareRestarts(configuration.fleet) { [options, used = configuration.settings] fleet in
            let all = try options.checked(withImages: true, fleet: fleet)
            guard let fleet else {
                let files = [all.settings, used].map { Files.realPath($0.stateFile) ?? $0.stateFile }
                // The one in use has a lock, and has been read.
                if files[0] != files[1] { try StateKeeper.check(all.settings.stateFile) }
                return true
            }
            if let refusal = all.fleetRefusal { throw refusal }
            try FleetFile.write(fleet, in: all.stateFolder)
            return all.settings != used
        }
        if settings.servesAll { service.watchForNewDevices(served: found) }
        service.watchForLibcameraDevices()
        try service.runAsProgram()
        if service.shouldRestart { Program.restart() }
    }
}

extension AgentService {
    /// Runs until a signal. Throws the exit code, unless it is 0.
    func runAsProgram() throws {
        do {
            try run()
        } catch {
            throw ExitCode(error.rawValue)
        }
    }
}
