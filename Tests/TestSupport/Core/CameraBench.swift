package import Base
package import Cameras
package import Contract
package import Core
package import FoundationEssentials
internal import Logging
package import Settings

/// One camera in virtual time, without a broker, a thread or a device: requests go in as JSON, and everything
/// that comes out is kept.
///
///     let bench = CameraBench() let device = bench.attach(opticalMax: 4) let reply = bench.send(.zoom,
///     #"{"factor": 2, "id": "1"}"#) bench.advance(by: .seconds(1)) #expect(reply.statuses == [.done] &&
///     bench.state(.zoom)["factor"] == 2)
package final class CameraBench {
    package let clock: ManualClock
    package let loop: EventLoop
    package let source = ScriptedSource()
    package let frontEnd: CollectingFrontEnd
    package let media: ScriptedMedia
    package let observer = CollectingObserver()
    package let storage: CollectingStorage
    package let wallClock: ManualWallClock
    package let camera: Camera
    /// All requests' answers, in the order of the requests.
    package private(set) var requests: [CollectingReplyAddress] = []
    /// How often the loop turned because a timer was due.
    package private(set) var turns = 0
    /// Ends ``advance(by:)`` early: a test has seen enough.
    package var isHalted = false
    /// Called when timers fire without end while time stands still.
    package var timersSpin: () -> Void = { preconditionFailure("timers fire without end") }
    private let isWritten: Bool
    private let start: ContinuousClock.Instant

    /// When the bench's time begins.
    package static let epoch = Date(timeIntervalSince1970: 1_790_000_000)
    /// Turns of the loop at one instant.
    private static let maxTurns = 10_000

    /// Makes a camera that looks for its device; ``attach(opticalMax:controls:)`` or ``source`` gives it one.
    ///
    /// - Parameters:
    ///   - saved: the state of the run before.
    ///   - isWritten: see ``CollectingFrontEnd/init(isWritten:)``.
    ///   - beginFailure: see ``ScriptedMedia/beginFailure``.
    ///   - log: gets what the camera logs.
    package init(
        _ settings: CameraSettings = .standard, zoom: ZoomSettings = AgentSettings.standard.zoom,
        recordings: RecordingSettings = AgentSettings.standard.recordings, standingPreviewRate: Double? = nil,
        boot: Int = 1, saved: SavedCamera = SavedCamera(), isWritten: Bool = true,
        beginFailure: CommandError? = nil, log: CollectedLog? = nil
    ) {
        let clock = ManualClock()
        let start = clock.now
        (self.clock, self.start, self.isWritten) = (clock, start, isWritten)
        loop = EventLoop(clock: clock)
        frontEnd = CollectingFrontEnd(isWritten: isWritten)
        media = ScriptedMedia(on: loop)
        media.beginFailure = beginFailure
        storage = CollectingStorage(saved)
        wallClock = ManualWallClock(Self.epoch, on: loop)
        var agent = AgentSettings.standard
        (agent.zoom, agent.recordings) = (zoom, recordings)
        agent.homeAssistant.previewRate = standingPreviewRate
        camera = Camera(
            settings, of: agent, boot: boot, source: source, media: media.services, frontEnd: frontEnd,
            observer: observer,
            storage: storage, saved: saved,
            on: loop, logger: log?.logger ?? Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() },
            wallClock: wallClock)
        camera.start()
    }

    /// The time since the bench was made.
    package var time: Duration { start.duration(to: clock.now) }

    /// The present time of day as messages have it.
    package var timestamp: String { Timestamp.text(wallClock.now) }

    /// A time of day from now as messages have it.
    package func timestamp(after time: Duration) -> String {
        Timestamp.text(wallClock.now.addingTimeInterval(time / .seconds(1)))
    }

    // MARK: The device

    /// Attaches a device that answers each call immediately, unless the test holds it. It gives 30 frames
    /// per second.
    @discardableResult package func attach(
        opticalMax: Double = 1, controls: [Control] = .scripted
    ) -> ScriptedCamera {
        let device = makeDevice(opticalMax, controls)
        source.reopens = { [weak self] in self?.makeDevice(opticalMax, controls) }
        source.attach(device)
        return device
    }

    private func makeDevice(_ opticalMax: Double, _ controls: [Control]) -> ScriptedCamera {
        let device = ScriptedCamera(
            description: .scripted(opticalMax: opticalMax), controls: controls, on: loop)
        device.frameInterval = .seconds(1) / 30
        return device
    }

    /// The device that is attached, if it is a scripted one.
    package var device: ScriptedCamera? { source.camera as? ScriptedCamera }

    /// Attaches a simulated camera.
    @discardableResult package func attach(simulated settings: SimulationSettings) -> SimulatedCamera {
        let device = SimulatedCamera(settings, serial: "simulated-1", on: loop)
        source.attach(device)
        return device
    }

    // MARK: Requests

    /// Sends a command as a front end does: one that can't be decoded is refused.
    @discardableResult package func send(
        _ node: Node, _ json: String = "", acceptsPhotos: Bool = true, standing: ClientStanding? = nil
    ) -> CollectingReplyAddress {
        let address = CollectingReplyAddress(
            node, camera: camera.id, acceptsPhotos: acceptsPhotos, isWritten: isWritten)
        send(node, [UInt8](json.utf8), to: address, standing: standing)
        requests.append(address)
        return address
    }

    /// Sends a command whose answers go to an address of the test's own.
    package func send(
        _ node: Node, _ payload: [UInt8], to address: any ReplyAddress, standing: ClientStanding? = nil
    ) {
        let command = Command(for: node, payload: payload)
        let request = Request(
            camera: camera.id, node: node, envelope: command.envelope, command: try? command.body.get(),
            address: address, standing: standing)
        switch command.body {
        case .success: camera.handle(request)
        case .failure(let error): camera.context.refuse(request, error)
        }
    }

    // MARK: Time

    /// Lets time pass, from timer to timer.
    package func advance(by time: Duration) {
        let end = clock.now.advanced(by: time)
        var turnsNow = 0
        while !isHalted, let next = loop.nextTimer, next <= end {
            turnsNow = next > clock.now ? 0 : turnsNow + 1
            if turnsNow > Self.maxTurns { return timersSpin() }
            turns += 1
            clock.advance(to: next)
            loop.runOnce(timeout: .zero)
        }
        clock.advance(to: end)
    }

    /// Fires the timers that are due now.
    package func turn() { advance(by: .zero) }

    // MARK: What was published

    /// The last state of a node; `null` before the first.
    package func state(_ node: Node) -> JSONValue { frontEnd.state(on: .node(node)) }

    /// All states of a node, in order.
    package func states(_ node: Node) -> [JSONValue] { frontEnd.states(on: .node(node)) }

    package func events(_ kind: Event.Kind? = nil) -> [Event] { frontEnd.events(kind) }

    package var availability: JSONValue { frontEnd.state(on: .availability) }

    // MARK: The saved state

    /// The state that a run after a crash would find.
    package var saved: SavedCamera { storage.last }

    /// The state that a run after a stop would find; the camera is stopped.
    package var savedAtStop: SavedCamera {
        stop()
        return saved
    }

    // MARK: Stopping

    /// Stops the camera as the agent does: it waits a limited time for recordings and for the lens.
    package func stop(waitingAtMost limit: Duration = .seconds(10)) {
        camera.beginStop()
        let end = clock.now.advanced(by: limit)
        while camera.isRecording || camera.isMoving, let next = loop.nextTimer, next <= end {
            advance(by: max(.zero, clock.now.duration(to: next)))
        }
        camera.finishStop()
    }
}

/// Counts what a camera reports to the agent.
package final class CollectingObserver: CameraObserver {
    package private(set) var changes: [CameraChange] = []
    /// Called with each change.
    package var observed: (CameraChange) -> Void = { _ in }

    package func observe(_ change: CameraChange, in camera: String) {
        changes.append(change)
        observed(change)
    }
}
