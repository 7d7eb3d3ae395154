package import Base
package import Bus
package import Cameras
package import Contract
import Core
internal import FrontEnds
package import Logging
package import Settings
internal import State

/// Serves cameras on an MQTT broker and in Home Assistant, and keeps their state.
///
/// Everything here happens on one loop. Blocking work (disk, codecs, name servers) has threads of its own.
package final class Agent {
    /// After this time, the agent is online even if a camera hasn't reported whether its device is there.
    private static let onlineTimeout = Duration.seconds(6)
    /// How long `online` waits for the other cameras once one is ready: a device that is slow delays only its
    /// own camera.
    private static let otherCamerasTimeout = Duration.milliseconds(100)
    /// How long a stop waits for the files of recordings. An incomplete file is playable.
    private static let recordingTimeout = Duration.seconds(10)
    /// How long a stop waits until the last answers may be sent.
    private static let storageTimeout = Duration.milliseconds(400)
    /// How long a stop waits for moving lenses.
    private static let lensTimeout = Duration.milliseconds(200)

    private let settings: AgentSettings
    private let host: AgentHost
    private let loop: EventLoop
    private let logger: Logger
    private let keeper: StateKeeper
    private let frontEnds: AgentFrontEnds
    private let diagnostics: Diagnostics
    private let clock: MachineClock
    /// Another text for each run of the program.
    private let run: String
    private var started = ""
    private(set) var lifecycle: Lifecycle
    private var becameOnline: () -> Void = {}
    /// Of each call of ``Agent/stop(then:)``.
    private var stopped: [(_ saved: Bool) -> Void] = []
    private lazy var timer = loop.timer { [weak self] in self?.timedOut() }

    /// The cameras in the order of the settings.
    let cameras: [Camera]
    /// Called when the connection to the broker comes or goes.
    package var connectionChanged: (BusEvent) -> Void {
        get { frontEnds.connectionChanged }
        set { frontEnds.connectionChanged = newValue }
    }
    /// Called with each document of the fleet, as it was published; also with one that came before.
    package var fleetConfigurationCame: ([UInt8]) -> Void = { _ in }
    /// The configuration of the fleet, for the agent's `info`; nil: there is none.
    package var fleet: FleetFields? {
        didSet { if fleet != oldValue { infoChanged() } }
    }
    /// What is wrong with folders and devices, for the agent's `info`.
    package var problems: [String] = [] {
        didSet { if problems != oldValue { infoChanged() } }
    }
    /// Called when another device with the agent's name was noticed, and when it is gone, with a line that
    /// says so; nil: it is gone.
    package var sameNameChanged: (_ line: String?) -> Void = { _ in }
    /// Called when a recording has ended.
    package var recordingEnded: () -> Void = {}

    /// Loads the state, and makes the cameras.
    ///
    /// - Parameters:
    ///   - output: opens the device of a virtual camera; nil: there are none.
    ///   - ports: replaces the broker, the threads, the disk and the clock; nil: those of the machine.
    ///   - source: makes the source of a camera's device.
    /// - Throws: `StateStoreError` when the state can't be stored; `BusError` when the bus settings can't be
    ///   used; `LoopError` when the process is out of threads or descriptors; errors of `source`.
    package init(
        _ settings: AgentSettings, host: AgentHost, on loop: EventLoop, logger: Logger,
        output: OpenOutput? = nil, ports: AgentPorts? = nil,
        source: (CameraSettings, EventLoop) throws -> any CameraSource
    ) throws {
        (self.settings, self.host, self.loop, self.logger) = (settings, host, loop, logger)
        let ids = settings.cameras.map(\.id)
        let topics = Topics(base: settings.mqtt.baseTopic, agent: settings.agent)
        let run = SavedAgent.newIdentity()
        self.run = run
        let keeper = try StateKeeper(
            settings.stateFile, in: host.storage, cameras: ids, root: topics.root,
            isSynced: settings.syncsState, discardsJournal: host.discardsJournal, on: loop, logger: logger)
        self.keeper = keeper
        let ports =
            try ports
            ?? AgentPorts(
                settings, output: output,
                faultFile: host.storage == .file ? settings.stateFile + ".faults" : nil, on: loop)
        let frontEnds = try AgentFrontEnds(
            settings, host: host, run: run, keeper: keeper, bus: ports.bus, on: loop, logger: logger)
        self.frontEnds = frontEnds
        let observer = AgentObserver()
        let clock = MachineClock(on: loop, now: ports.wallTime, readError: ports.wallTimeError)
        self.clock = clock
        cameras = try settings.cameras.map { camera in
            Camera(
                camera, of: settings, boot: keeper.boot, source: try source(camera, loop), media: ports.media,
                frontEnd: frontEnds.mqtt, observer: observer, storage: keeper,
                saved: keeper.camera(camera.id), on: loop, logger: logger, wallClock: clock)
        }
        keeper.camerasAreMade()
        diagnostics = Diagnostics(
            cameras, freeBytes: ports.freeBytes, recordingFolder: settings.recordings.folder.directory,
            agent: settings.agent, boot: keeper.boot, frontEnd: frontEnds.mqtt, on: loop)
        lifecycle = .starting(unknown: Set(ids), hasReady: false)
        observer.agent = self
    }

    // MARK: Start

    /// Begins: stores the start of the run, connects, restores the cameras, and publishes `online` once they
    /// are restored.
    ///
    /// - Parameters:
    ///   - online: called when the agent serves its cameras, whether or not there is a connection.
    ///   - failed: called when the state can't be stored; then the agent serves nothing.
    package func start(online: @escaping () -> Void, failed: @escaping (any Error) -> Void) {
        becameOnline = online
        keeper.topics = { [weak frontEnds] in frontEnds?.topics }
        keeper.storeStart { [weak self] result in
            guard let self, case .starting = lifecycle else { return }
            switch result {
            case .success: connect()
            case .failure(let error): failed(error)
            }
        }
    }

    private func connect() {
        started = Timestamp.text()
        frontEnds.start(cameras, agentInfo, boot: keeper.boot) { [weak self] in
            self?.fleetConfigurationCame($0)
        }
        frontEnds.name.changed = { [weak self] in self?.sameNameNoticed() }
        clock.changed = { [weak self] in self?.infoChanged() }
        clock.start()
        frontEnds.name.becameFree = { [weak self] in self?.publish(after: $0) }
        keeper.numbersChanged = { [weak self] in self?.infoChanged() }
        keeper.problemChanged = { [weak self] in self?.infoChanged() }
        frontEnds.connect(after: host.isRestarted ? .zero : Spread.wait(settings.mqtt))
        startCameras()
    }

    /// Begins to publish on a connection. If the state was lost, the first one may show that revisions have
    /// to continue above those of the lost one.
    private func publish(after numbers: Int?) {
        guard keeper.lacksRevisions, !lifecycle.isStopping else { return frontEnds.begin() }
        if let numbers {
            let floor = CameraNumbers.floor(numbers: numbers)
            for camera in cameras { camera.context.continueRevisions(after: floor) }
        }
        keeper.whenSynced { [weak self] _ in
            guard let self, !lifecycle.isStopping else { return }
            keeper.revisionsAreKnown()
            frontEnds.begin()
        }
    }

    private func startCameras() {
        diagnostics.start()
        timer.set(after: Self.onlineTimeout)
        for camera in cameras { camera.start() }
    }

    private func infoChanged() {
        // Before the start there is none.
        guard !lifecycle.isStopping, !started.isEmpty else { return }
        frontEnds.mqtt.publishAgent(agentInfo)
    }

    private var agentInfo: AgentInfo {
        let problems = problems + [keeper.problem].compactMap(\.self)
        return AgentInfo(
            agent: settings.agent, name: settings.name, version: host.version,
            protocol: AgentHost.protocolLevel,
            host: host.name, cameras: cameras.map(\.id), clients: settings.clients.mode, started: started,
            clock: clock.published, instance: keeper.instance, run: run, numbers: keeper.numbers,
            sameName: frontEnds.name.fields, fleet: fleet,
            problem: problems.isEmpty ? nil : problems.joined(separator: "; "))
    }

    private func sameNameNoticed() {
        let name = frontEnds.name
        // A device without the name leaves the topics to the one that has it.
        if name.ownership != .other { infoChanged() }
        // Without a message of the other one, all that is known is that it has the same client identifier.
        let other =
            name.host.map { "another device (\($0)) uses the name \(settings.agent) too" }
            ?? "another device uses the name \(settings.agent), or the client identifier \(settings.mqtt.clientID), too"
        switch name.ownership {
        case .alone:
            logger.notice("no other device uses the name \(settings.agent) any more")
            sameNameChanged(nil)
        case .owner:
            let line = "\(other); this one has it, and goes on"
            logger.warning("\(line). Give the other one a name of its own (agent)")
            sameNameChanged(line)
        case .other:
            let line = "\(other), and has it; this one tries again every 10 minutes"
            logger.error("\(line). Give one of them another name (agent)")
            sameNameChanged(line)
        }
    }

    private func becomeOnline() {
        guard case .starting = lifecycle else { return }
        timer.cancel()
        lifecycle = .online
        for camera in cameras { camera.publishUnknownPresence() }
        frontEnds.availability.publish(.online, boot: keeper.boot)
        becameOnline()
    }

    // MARK: Changes of the cameras

    fileprivate func observe(_ change: CameraChange, in camera: String) {
        switch change {
        case .presenceKnown:
            guard case .starting(var unknown, let hadReady) = lifecycle, unknown.remove(camera) != nil else {
                return
            }
            let isReady = !hadReady && cameras.contains { $0.id == camera && $0.presence == .ready }
            lifecycle = .starting(unknown: unknown, hasReady: hadReady || isReady)
            if unknown.isEmpty { return becomeOnline() }
            if isReady { timer.set(after: Self.otherCamerasTimeout) }
        case .recordingEnded:
            continueStop()
            recordingEnded()
        case .zoomSettled: continueStop()
        default: break
        }
    }

    /// Whether a stop would interrupt a recording.
    package var isRecording: Bool { cameras.contains(where: \.isRecording) }

    // MARK: Stop

    /// Stops: recordings are completed, every request is answered, and the state is stored.
    ///
    /// - Parameter then: called with whether the state is stored, also if the agent stops or has stopped
    ///   already.
    package func stop(then: @escaping (_ saved: Bool) -> Void) {
        if case .stopped(let saved) = lifecycle { return then(saved) }
        stopped.append(then)
        if lifecycle.isStopping { return }
        // Every camera stops before the first step is taken.
        for camera in cameras { camera.beginStop() }
        lifecycle = .finishingRecordings
        timer.set(after: Self.recordingTimeout)
        continueStop()
    }

    /// Takes the next steps of a stop, as far as nothing has to be waited for.
    private func continueStop() {
        if case .finishingRecordings = lifecycle, !isRecording { settleLenses() }
        if case .settlingLenses = lifecycle, !cameras.contains(where: \.isMoving) { leave() }
    }

    private func settleLenses() {
        lifecycle = .settlingLenses
        timer.set(after: Self.lensTimeout)
    }

    private func timedOut() {
        switch lifecycle {
        case .starting: becomeOnline()
        case .finishingRecordings:
            settleLenses()
            continueStop()
        case .settlingLenses: leave()
        case .storing:
            for camera in cameras { camera.abandonSaves() }
            disconnect()
        case .online, .leaving, .stopped: break
        }
    }

    private func leave() {
        lifecycle = .storing
        timer.set(after: Self.storageTimeout)
        diagnostics.stop()
        clock.stop()
        frontEnds.cleanup.stop()
        for camera in cameras { camera.finishStop() }
        keeper.whenIdle { [weak self] in self?.disconnect() }
    }

    private func disconnect() {
        guard case .storing = lifecycle else { return }
        lifecycle = .leaving
        timer.cancel()
        frontEnds.availability.publish(.stopped, boot: keeper.boot)
        frontEnds.disconnect { [self] in
            keeper.stop { [self] saved in
                lifecycle = .stopped(saved: saved)
                let callbacks = stopped
                stopped = []
                for callback in callbacks { callback(saved) }
            }
        }
    }
}

/// Passes changes of cameras on to their agent, without keeping the agent alive.
private final class AgentObserver: CameraObserver {
    weak var agent: Agent?

    func observe(_ change: CameraChange, in camera: String) { agent?.observe(change, in: camera) }
}
