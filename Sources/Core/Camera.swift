package import Base
package import Cameras
package import Contract
package import Logging
package import Settings
package import ZoomModel

/// One camera: takes requests, drives the device, and publishes what the device did.
///
/// It makes the nodes in dependency order, registers them with the context, and passes each admitted command
/// to its node. A node that throws has not answered: the command is refused with the error. Its release is a
/// stop that waits for nothing.
package final class Camera {
    package let context: CameraContext
    private let device: Device
    private let gate: CommandGate
    private let waiting: WaitingCommands
    private let zoom: ZoomNode
    private let recording: RecordingNode
    private let shutter: ShutterButtons
    private let output: OutputNode
    private let privacy: PrivacyNode
    private let media: MediaNode
    /// Those that carry out commands.
    private let handlers: [any CommandNode]

    /// - Parameters:
    ///   - agent: decides where neither the camera's settings nor a command does.
    ///   - boot: the count of the agent's starts.
    ///   - source: finds the device.
    ///   - frontEnd: receives all messages of the camera.
    ///   - observer: gets changes that concern more than this camera.
    ///   - storage: keeps the state over restarts.
    ///   - saved: the state of the run before.
    ///   - wallClock: the time of day.
    package init(
        _ settings: CameraSettings, of agent: AgentSettings, boot: Int, source: any CameraSource,
        media: MediaServices, frontEnd: any FrontEnd, observer: any CameraObserver,
        storage: any CameraStorage, saved: SavedCamera, on loop: EventLoop, logger: Logger,
        wallClock: any WallClock
    ) {
        context = CameraContext(
            settings, of: agent, boot: boot, loop: loop, logger: logger, frontEnd: frontEnd,
            observer: observer, storage: storage, wallClock: wallClock, saved: saved)
        device = Device(context, source: source)
        let lease = LeaseNode(context, device)
        gate = CommandGate(context: context, device: device, lease: lease)
        zoom = ZoomNode(context, device)
        let controls = ControlsNode(context, device)
        let base = NodeBase(
            context: context, device: device, lease: lease, zoom: zoom, controls: controls, media: media)
        waiting = WaitingCommands(base, gate: gate)
        let session = SessionNode(base)
        let capture = CaptureNode(base)
        recording = RecordingNode(base)
        shutter = ShutterButtons(base, capture: capture, recording: recording)
        output = OutputNode(base)
        privacy = PrivacyNode(base, recording: recording, output: output)
        self.media = MediaNode(base)
        let nodes: [CameraNode] = [
            lease, zoom, controls, InfoPublisher(base), session, PinchNode(base), TouchNode(base),
            ViewportNode(base), capture, recording, PresetsNode(base), shutter,
            DesiredNode(base, session: session), PreviewNode(base, recording: recording), output, privacy,
            self.media, Restoration(base, privacy: privacy, session: session), waiting,
        ]
        context.register(nodes)
        handlers = nodes.compactMap { $0 as? any CommandNode }
        precondition(
            handlers.count == Node.allCases.count && Set(handlers.map(\.node)) == Set(Node.allCases),
            "each node of the contract is made here once")
        waiting.begin = { [weak self] in self?.begin($0) }
    }

    // The context and the nodes refer to each other, and each pending call to the node that made it.
    deinit {
        finishStop()
        abandonSaves()
        device.close()
    }

    package var settings: CameraSettings { context.settings }
    package var id: String { settings.id }

    /// Looks for the device, unless the camera is private, and reports what a crash of an earlier run cut
    /// off.
    package func start() {
        output.start()
        privacy.start()
        recording.reportInterrupted()
        media.start()
    }

    /// Carries out a command, or refuses it.
    ///
    /// - Parameter earlier: commands of the same message that come before it. They are admitted or refused
    ///   with it, and get no answer of their own.
    package func handle(_ request: Request, after earlier: ArraySlice<any CommandForm> = []) {
        if request.envelope.at != nil { return waiting.add(request) }
        if let error = gate.refusal(of: request) { return refuse(request, error) }
        request.isRecorded = request.policy.runsOnce
        carryOut(request, after: earlier)
    }

    /// Carries out a command whose time has come, or refuses it.
    private func begin(_ request: Request) {
        if let error = gate.refusalNow(of: request) { return refuse(request, error) }
        context.recordAgain(request)
        carryOut(request, after: [])
    }

    private func refuse(_ request: Request, _ error: CommandError) {
        context.refuse(request, error, state: error.code == .conflict ? zoom.state : nil)
    }

    private func carryOut(_ request: Request, after earlier: ArraySlice<any CommandForm>) {
        if request.policy.movesZoom { zoom.savePresentZoom() }
        for command in earlier { dispatch(request.earlier(command)) }
        dispatch(request)
    }

    private func dispatch(_ request: Request) {
        do throws(CommandError) {
            if try handlers.first(where: { $0.node == request.node })?.handle(request) == true { return }
            if let cancel = request.command as? Envelope.Cancel { try waiting.cancel(cancel.id, request) }
        } catch {
            context.refuse(request, error)
        }
    }

    /// Publishes that the device isn't known or isn't restored yet: what an earlier run published is out of
    /// date.
    package func publishUnknownPresence() {
        switch device.presence {
        case .unknown, .arriving, .restoring:
            context.publish(Availability(.offline, reason: "not_ready"), on: .availability)
        case .absent, .ready, .leaving, .private: return
        }
    }

    /// Whether this command of `capture` releases a shutter button that the client holds down.
    package func releasesButton(_ command: any CommandForm, client: ClientIdentity?) -> Bool {
        guard case .press(let press)? = command as? CaptureCommand else { return false }
        return shutter.releasesButton(press, by: client)
    }

    /// Whether every request is refused because the agent is stopping.
    package var isStopping: Bool { context.isStopping }

    package var presence: Presence { device.presence }

    /// Frames since the agent's start, and those that were lost: by the driver, or because they were refused.
    package var frameCounts: (received: Int, lost: Int) { device.frameCounts }

    // MARK: Stopping

    /// Admits no further request, and stops the lens and the recording where they are.
    package func beginStop() {
        context.beginStop()
        waiting.failPending(.stopping)
        zoom.halt()
        recording.end(.agentStopped)
    }

    /// Whether frames are being recorded, or the file of a recording is being completed.
    package var isRecording: Bool { recording.isActive }

    /// Whether the lens is on its way.
    package var isMoving: Bool { device.presence == .ready && !zoom.isSettled }

    /// Gives every pending request its final answer, publishes the last states, and stores the last state.
    /// Nothing is published afterwards; answers that wait for the disk are still sent.
    package func finishStop() {
        context.failPending(.stopping)
        context.post(.stopped)
        context.publish(Availability(.offline, reason: "stopped"), on: .availability)
        context.finishStop()
    }

    /// Sends the answers that wait for the disk, because the agent can't wait any longer.
    package func abandonSaves() { context.abandonSaves() }
}
