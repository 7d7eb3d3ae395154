package import Base
internal import Bus
package import Cameras
package import Configuration
internal import FrontEnds
internal import Glibc
package import Logging
internal import Media
package import Settings
internal import State

/// Why a service ends, with the exit code of the program, as in sysexits(3).
package enum ServiceFailure: Int32, Error {
    /// The configuration can't be used.
    case configuration = 64
    /// The broker can't be reached.
    case unavailable = 69
    /// A defect, or the system is out of memory, threads or descriptors.
    case defect = 70
    /// The state file can't be written.
    case storage = 74
    /// The state is of an earlier version, which was not stopped cleanly.
    case earlierState = 78
}

/// An agent as a service: its signals, its notifications to the service manager, how it ends.
package final class AgentService {
    private enum State {
        /// - hasBeenConnected: there was a connection to the broker in this run.
        case running(hasBeenConnected: Bool)
        case stopping(Ending)
    }

    private enum Ending {
        /// nil: as it was asked to.
        case exit(ServiceFailure?)
        /// The program runs again, with the configuration as it is then.
        case restart
    }

    private let version: String
    private let settings: AgentSettings
    private let devices: SharedDevices
    private let logger: Logger
    private let requiresBroker: Bool
    private let isRestarted: Bool
    private let storage: StateStorage
    private let discardsJournal: Bool
    private let folderInterval: Duration
    private let lookAtFolders: LookAtFolders
    package let loop = EventLoop()
    private let manager = ServiceManager()
    private var agent: Agent?
    private var signals: Signals?
    private var state = State.running(hasBeenConnected: false)
    private lazy var watchdog = loop.timer { [weak self] in self?.notifyWatchdog() }
    /// Checks configurations, which reads files.
    private var checker: SerialWorker<Void>?
    /// Looks at the folders. Their disk may hang, which must not keep a configuration from being checked.
    private var folderWorker: SerialWorker<Void>?
    private lazy var folderTimer = loop.timer { [weak self] in self?.checkFolders() }
    /// Of the last look.
    private var folderProblems: [String] = []
    /// What is wrong, as it was logged.
    private var problems: [String] = []
    /// Nil: there is no configuration that could change.
    private var restarts: Restarts?
    private lazy var restartTimer = loop.timer { [weak self] in self?.decide(.timePassed) }
    private var check: Check = { _ in false }

    /// Whether the program is to run again after the stop.
    package var shouldRestart: Bool {
        if case .stopping(.restart) = state { true } else { false }
    }

    /// Called on a thread of its own, as it reads files.
    ///
    /// - Parameter fleet: a configuration of the fleet to check and to keep; nil: what is there is checked.
    /// - Returns: whether a configuration of the fleet needs a restart.
    /// - Throws: why the program could not run again with it.
    package typealias Check = @Sendable (_ fleet: FleetConfiguration?) throws -> Bool

    /// Called on a thread of its own, as the folders' disk may hang.
    ///
    /// - Returns: what is wrong with folders, with the key that names each.
    package typealias LookAtFolders = @Sendable (AgentSettings) -> [(key: String, message: String)]

    /// Called once the cameras are served.
    package var whenOnline: () -> Void = {}

    /// - Parameters:
    ///   - version: the program's.
    ///   - devices: watches the devices for all cameras.
    ///   - isRestarted: whether the run before has replaced itself by this one.
    ///   - storage: where the agent keeps its state.
    ///   - discardsJournal: a state of a version with a journal is taken without its newest changes.
    ///   - folderInterval: from the end of a look at the folders to the next.
    package init(
        _ settings: AgentSettings, _ devices: SharedDevices, version: String, logger: Logger,
        requiresBroker: Bool = false, isRestarted: Bool = false, storage: StateStorage = .file,
        discardsJournal: Bool = false, folderInterval: Duration = .seconds(60),
        lookAtFolders: @escaping LookAtFolders = { $0.folderProblems() }
    ) {
        (self.settings, self.devices, self.version) = (settings, devices, version)
        (self.logger, self.requiresBroker, self.isRestarted) = (logger, requiresBroker, isRestarted)
        (self.storage, self.discardsJournal) = (storage, discardsJournal)
        self.folderInterval = folderInterval
        self.lookAtFolders = lookAtFolders
    }

    /// Looks at the folders, and again an interval after this look has ended.
    private func checkFolders() {
        do throws(LoopError) {
            try folderWorker?.run({ [settings, lookAtFolders] _ in lookAtFolders(settings) }) {
                [weak self] problems in
                guard let self else { return }
                folderProblems = problems.map { "\($0.key): \($0.message)" }
                noteProblems()
                folderTimer.set(after: folderInterval)
            }
        } catch {
            // The system refuses a thread for now.
            folderTimer.set(after: folderInterval)
        }
    }

    /// Logs and publishes what is wrong with the folders, and with devices where every one is served.
    private func noteProblems() {
        let known = problems
        problems = folderProblems + [settings.servesAll ? devices.problem : nil].compactMap(\.self)
        for problem in problems where !known.contains(problem) { logger.warning("\(problem)") }
        for problem in known where !problems.contains(problem) {
            logger.notice("no longer a problem: \(problem)")
        }
        agent?.problems = problems
    }

    /// Runs until a signal.
    package func run() throws(ServiceFailure) {
        // A client that hangs up is an error of the call that writes to it, not of the process.
        signal(SIGPIPE, SIG_IGN)
        logger.info(
            "state: \(settings.stateFile), photos: \(settings.captures.folder.directory), recordings: \(settings.recordings.folder.directory)"
        )
        do {
            signals = try Signals([SIGTERM, SIGINT, SIGHUP], on: loop) { [weak self] in self?.received($0) }
            let agent = try Agent(
                settings,
                host: AgentHost(
                    version: version, name: NetworkAddress.hostName, storage: storage,
                    discardsJournal: discardsJournal, isRestarted: isRestarted),
                on: loop, logger: logger, output: openOutput
            ) { [devices] camera, loop in
                try cameraSource(for: camera, devices: devices, on: loop)
            }
            self.agent = agent
            agent.connectionChanged = { [weak self] in self?.connectionChanged($0) }
            agent.sameNameChanged = { [manager] in manager.notify("STATUS=\($0 ?? "")") }
            checker = try SerialWorker(name: "reload", on: loop, idleTime: .zero) {}
            folderWorker = try SerialWorker(name: "folders", on: loop, idleTime: .zero) {}
            noteProblems()
            checkFolders()
            agent.fleet = restarts?.fields
            agent.fleetConfigurationCame = { [weak self] in self?.decide(.document($0)) }
            agent.recordingEnded = { [weak self] in self?.decide(.recordingEnded) }
            agent.start(
                online: { [weak self] in self?.isOnline() },
                failed: { [weak self] error in self.map { $0.stop($0.failure(for: error)) } })
        } catch {
            throw failure(for: error)
        }
        notifyWatchdog()
        loop.run()
        MovieLibraries.keepUntilExit()
        if case .stopping(.exit(let failure?)) = state { throw failure }
    }

    /// Stops cleanly. A second call stops at once.
    private func stop(_ failure: ServiceFailure? = nil) { stop(.exit(failure)) }

    private func stop(_ ending: Ending) {
        guard case .running = state else { return loop.stop() }
        state = .stopping(ending)
        restartTimer.cancel()
        folderTimer.cancel()
        // For the service manager, a service that restarts itself isn't stopping.
        if shouldRestart { manager.notifyReload() } else { manager.notify("STOPPING=1") }
        agent?.stop { [self] saved in
            if !saved { stateIsLost() }
            loop.stop()
        }
    }

    /// The last changes could not be stored: that is why the service ends, unless there is another reason.
    ///
    /// A restart goes on, as after a crash: it finds all that was answered as done.
    private func stateIsLost() {
        guard case .stopping(.exit(nil)) = state else { return }
        state = .stopping(.exit(.storage))
    }

    /// Follows what is wrong with devices, and watches for cameras that aren't served yet: the service then
    /// stops cleanly, to be restarted with them.
    package func watchForNewDevices(served: [FoundDevice]) {
        devices.watcher(on: loop)?.follow(begins: true) { [weak self] found in
            guard let self, case .running = state else { return }
            noteProblems()
            let new = found.first { device in
                !device.isLoopback && !served.contains { device.isSame(as: $0) }
            }
            guard let first = new else { return }
            logger.notice("\(first.model) was plugged in: restarting to serve it too")
            decide(.request)
        }
    }

    /// Watches for devices that may be cameras of libcamera, but were not there, or not free, when its layer
    /// began: the service then stops cleanly, to be restarted with them.
    package func watchForLibcameraDevices() {
        guard LibcameraLayer.isLoaded else { return }
        devices.watcher(on: loop)?.follow(begins: false) { [weak self] found in
            guard let self, case .running = state, let late = found.first(where: \.cameAfterLayer) else {
                return
            }
            logger.notice("\(late.path) has come, or is free: restarting, as libcamera may have its camera")
            decide(.request)
        }
    }

    /// Has the program run again when its configuration changes: at a signal, and when the bus brings another
    /// one of the fleet.
    ///
    /// - Parameter outcome: what became of the one of the fleet that the device had kept.
    package func prepareRestarts(_ outcome: FleetOutcome?, check: @escaping Check) {
        self.check = check
        // Not the whole fleet restarts at once.
        restarts = Restarts(
            outcome, spread: Spread.wait(settings.mqtt),
            longestRecording: .seconds(settings.recordings.maximumSeconds),
            restarted: isRestarted ? loop.now : nil)
    }

    /// While the service stops, a document of the fleet is still kept: the next run begins with it.
    private func decide(_ event: Restarts.Event) {
        guard var restarts else { return }
        let actions = restarts.handle(event, at: loop.now, isRecording: agent?.isRecording == true)
        self.restarts = restarts
        agent?.fleet = restarts.fields
        let isRunning = if case .running = state { true } else { false }
        if isRunning { restartTimer.set(at: restarts.nextTime) }
        for action in actions where isRunning || action.isOfDocument { perform(action) }
    }

    private func perform(_ action: Restarts.Action) {
        switch action {
        case .check(let fleet): begin(checking: fleet)
        case .wait:
            logger.notice(
                "the agent restarts when no recording runs, after \(settings.recordings.maximumSeconds) s at most"
            )
        case .restart: stop(.restart)
        case .stay(let reasons):
            logger.error("the configuration can't be loaded; the agent goes on with the one that it has:")
            for reason in reasons.split(separator: "\n") { logger.error("\(reason)") }
            manager.notifyReload()
            manager.notify("READY=1")
        case .kept(let version):
            logger.notice("fleet/config version \(version) is kept: restarting with it")
        case .refused(let refusal): logger.error("\(refusal)")
        }
    }

    private func begin(checking fleet: FleetConfiguration?) {
        do throws(LoopError) {
            try checker?.run({ [check] _ in Result { try check(fleet) } }) { [weak self] in
                self?.decide(.checked(fleet, $0))
            }
        } catch {
            decide(.checked(fleet, .failure(error)))
        }
    }

    /// The service manager does not wait for the turn of a device: it may take longer than a start may.
    private func isOnline() {
        logger.info("serving \(settings.cameras.map(\.id).joined(separator: ", ")) as \(settings.agent)")
        manager.notify("READY=1")
        whenOnline()
    }

    private func connectionChanged(_ event: BusEvent) {
        switch event {
        case .connected:
            if case .running = state { state = .running(hasBeenConnected: true) }
        case .subscriptionRefused, .subscribed: break
        case .disconnected:
            guard requiresBroker, case .running(hasBeenConnected: false) = state else { return }
            logger.error("the broker can't be reached, and --require-broker was given")
            stop(.unavailable)
        }
    }

    private func received(_ signal: Int32) {
        if signal == SIGHUP { return reload() }
        guard shouldRestart else { return stop() }
        // The stop goes on, but the program does not run again.
        state = .stopping(.exit(nil))
        manager.notify("STOPPING=1")
    }

    private func reload() {
        guard restarts != nil else {
            return logger.warning("SIGHUP: there is no configuration to load")
        }
        guard case .running = state else { return }
        logger.notice("SIGHUP: loading the configuration")
        decide(.request)
    }

    private func notifyWatchdog() {
        guard let interval = manager.watchdogInterval else { return }
        manager.notify("WATCHDOG=1")
        // Twice as often as required, so that one delayed notification doesn't end the service.
        watchdog.set(after: interval / 2)
    }

    private func failure(for error: any Error) -> ServiceFailure {
        if let error = error as? UnusableImage {
            printErrors(of: "\(error)")
            return .configuration
        }
        if case .file? = error as? StateStoreError {
            logger.critical("state_file: \(error)")
        } else {
            logger.critical("\(error)")
        }
        return switch error {
        case is BusError: .configuration
        case StateStoreError.notStopped: .earlierState
        case is StateStoreError: .storage
        default: .defect
        }
    }
}
