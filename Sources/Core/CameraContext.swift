import Base
package import Contract
internal import FoundationEssentials
import Logging
internal import Settings
package import ZoomModel

/// What all nodes of a camera share: time, the way out, revision numbers, the log, and the delivery of
/// changes. It knows nodes by their protocol only, and no agent.
///
/// It makes all answers of the camera, and it alone stamps changes with a new `rev`.
package final class CameraContext {
    private enum Phase {
        case running
        /// The agent is stopping: no request is admitted and nothing new is begun.
        case stopping
        /// The nodes get no further changes, and nothing is published: the last state was saved.
        case stopped
    }

    /// How often both clocks are read at most, and how long a reading of both takes that is good.
    private static let clockReadings = 4
    private static let clockReadingTime = Duration.microseconds(20)

    /// At most this long is a change of the zoom stored after it happened.
    private static let saveInterval = Duration.seconds(2)

    let settings: CameraSettings
    /// The state of the run before.
    let saved: SavedCamera
    let agent: AgentSettings
    /// The count of the agent's starts.
    let boot: Int
    let loop: EventLoop
    let logger: Logger
    private let frontEnd: any FrontEnd
    private let observer: any CameraObserver
    private let wallClock: any WallClock
    /// The numbers that were given out, and those that the disk has.
    private(set) var numbers: CameraNumbers
    private var syncedNumbers: CameraNumbers
    private let saves: StateSaves
    /// What has to outlive the agent.
    private var state: SavedCamera
    /// A revision of a run whose state is lost, until this run continues above it.
    private var lostRevision: Int?
    /// The saved state has changed since it was submitted.
    private var isStateChanged = false
    private lazy var saveTimer = timer { [weak self] in self?.saveChanges() }
    private var recent = RecentCommands()
    private var phase = Phase.running
    /// All nodes of the camera, each after those that it uses. They refer to this context, until
    /// ``finishStop()`` removes them from it.
    private var nodes: [CameraNode] = []

    init(
        _ settings: CameraSettings, of agent: AgentSettings, boot: Int, loop: EventLoop, logger: Logger,
        frontEnd: any FrontEnd, observer: any CameraObserver, storage: any CameraStorage,
        wallClock: any WallClock, saved: SavedCamera
    ) {
        (self.settings, self.agent, self.boot, self.loop, self.logger) = (settings, agent, boot, loop, logger)
        (self.saved, state) = (saved, saved)
        (self.frontEnd, self.observer, self.wallClock) = (frontEnd, observer, wallClock)
        (numbers, syncedNumbers) = (saved.numbers, saved.numbers)
        saves = StateSaves(storage, camera: settings.id)
        saves.synced = { [weak self] in self?.synced($0) }
    }

    var id: String { settings.id }
    var now: ContinuousClock.Instant { loop.now }
    /// The time of day.
    var wallNow: Date { wallClock.now }
    /// The time of day as messages have it.
    var timestamp: String { Timestamp.text(wallNow) }
    /// Frames per second of a preview that is always on, for Home Assistant; nil: none.
    var standingPreviewRate: Double? {
        agent.homeAssistant.isOn && settings.isDiscovered ? agent.homeAssistant.previewRate : nil
    }
    /// The number of the last change.
    package var rev: Int { numbers.rev }
    /// Whether droppable messages would be sent without delay.
    var hasCapacity: Bool { frontEnd.hasCapacity }

    /// Whether the agent is stopping, or has stopped this camera.
    var isStopping: Bool { phase != .running }
    var isStopped: Bool { phase == .stopped }

    func beginStop() { if phase == .running { phase = .stopping } }

    /// Ends the delivery of changes and all publications, and stores the last state.
    func finishStop() {
        if isStopped { return }
        phase = .stopped
        saveTimer.cancel()
        saveNow()
        nodes = []
    }

    /// Sends the answers that wait for the disk, because the agent can't wait any longer.
    func abandonSaves() { saves.abandon() }

    /// The time of day at an instant of the loop.
    func wallTime(at instant: ContinuousClock.Instant) -> Date {
        wallNow.addingTimeInterval(now.duration(to: instant) / .seconds(1))
    }

    /// The instant of the loop at a time of day, to the microsecond, until the clock is set.
    func instant(at time: Date) -> ContinuousClock.Instant {
        // The thread may be interrupted between the two clocks: then they are read again.
        var before = now
        var wall = wallNow
        for _ in 1..<Self.clockReadings where before.duration(to: now) > Self.clockReadingTime {
            (before, wall) = (now, wallNow)
        }
        return before.advanced(by: .microseconds((time.timeIntervalSince(wall) * 1e6).rounded()))
    }

    /// Whether other machines may be expected to have the same time of day.
    var isClockSynchronized: Bool { wallClock.isSynchronized }

    /// Calls back each time that the clock was set, until the returned object is released.
    func observeClockSteps(_ stepped: @escaping () -> Void) -> AnyObject { wallClock.observeSteps(stepped) }

    // MARK: Changes

    /// Numbers a change. After the stop, nothing is published: the saved number stays the last one. With a
    /// disk that has failed for a million changes, the last number is repeated; a crash would repeat
    /// others.
    package func stamp() { if !isStopped, numbers.rev < limits.rev { numbers.rev += 1 } }

    /// The last numbers that may be given out while the disk has the ones that it has.
    private var limits: CameraNumbers { syncedNumbers.after(crashes: 1) }

    /// Whether a photo or a recording may be numbered. If the disk doesn't take the numbers of earlier
    /// ones, a crash would repeat this one.
    func hasNumber(for kind: KeyPath<CameraNumbers, Int>) -> Bool {
        numbers[keyPath: kind] < limits[keyPath: kind]
    }

    /// Counts the number of a photo or a recording as given out.
    func use(_ number: Int, for kind: WritableKeyPath<CameraNumbers, Int>) {
        numbers[keyPath: kind] = max(numbers[keyPath: kind], number)
    }

    /// Registers the nodes of the camera, each after those that it uses.
    func register(_ nodes: [CameraNode]) { self.nodes = nodes }

    /// Delivers a change to all nodes of this camera, then to the agent, before it returns.
    func post(_ change: CameraChange) {
        if isStopped { return }
        for node in nodes { node.observe(change) }
        observer.observe(change, in: id)
    }

    /// Has all nodes fail their pending requests, each before those that it uses.
    func failPending(_ cause: PendingFailure) {
        for node in nodes.reversed() { node.failPending(cause) }
    }

    /// Has all nodes publish their states.
    func publishStates() {
        for node in nodes { node.publish() }
    }

    // MARK: Saved state

    /// Replaces a node's part of the saved state.
    func keep(_ part: some SavedPart) { state[type(of: part)] = part }

    /// Stores the saved state now, because it has changed.
    func saveState() {
        isStateChanged = true
        saveChanges()
    }

    /// Stores the saved state with the next final answer, or with ``saveChanges()``, but at the latest two
    /// seconds from now: for the samples of gestures and the steps of a ramp.
    func saveStateLater() {
        isStateChanged = true
        if !isStopped && !saveTimer.isSet { saveTimer.set(after: Self.saveInterval) }
    }

    /// Stores the saved state if it has changed.
    func saveChanges() {
        // The timer stays set: the next change is then stored a little earlier, and no command sets and
        // cancels it.
        guard isStateChanged, !isStopped else { return }
        saveNow()
    }

    private func saveNow() {
        isStateChanged = false
        for node in nodes { node.save(to: &state) }
        state.numbers = numbers
        if let lostRevision { state.numbers.rev = max(numbers.rev, lostRevision) }
        saves.save(state)
    }

    private func synced(_ numbers: CameraNumbers) {
        syncedNumbers = numbers
        guard let rev = lostRevision, numbers.rev >= rev, !isStopped else { return }
        lostRevision = nil
        use(rev, for: \.rev)
        stamp()
        post(.revisionsContinued)
        publishStates()
    }

    /// Continues with revisions above one that controllers know from a run whose state is lost, as soon as
    /// the disk has it. Then all states are published again.
    package func continueRevisions(after rev: Int) {
        guard rev > max(numbers.rev, lostRevision ?? 0), !isStopped else { return }
        lostRevision = rev
        saveNow()
    }

    /// Calls back once, when all changes of the saved state are stored, or can't be: with the reason then.
    func whenSaved(_ then: @escaping (CommandError?) -> Void) {
        // The disk may have recovered.
        if saves.hasFailed { isStateChanged = true }
        saveChanges()
        saves.whenSaved(then)
    }

    // MARK: Messages

    /// The stamp of a state.
    ///
    /// - Parameters:
    ///   - origin: the source of the state's last change, where the state tells it.
    ///   - revision: nil: the number of the last change.
    func stamp(from origin: Origin? = nil, rev revision: Int? = nil) -> Stamp {
        Stamp(rev: revision ?? rev, boot: boot, origin: origin, ts: timestamp)
    }

    /// Publishes a state that has no `rev`.
    func publish(_ state: some Form, on channel: Channel) {
        publish(state, encoded: JSON.bytes(state), on: channel)
    }

    /// Publishes a state, for ``Publication``.
    func publish(_ state: some FieldValue, encoded: [UInt8], on channel: Channel) {
        if isStopped { return }
        frontEnd.publishState(state, encoded: encoded, on: channel, of: id)
    }

    /// Returns whether the sample was sent.
    @discardableResult
    func publishSample(_ sample: [UInt8], on channel: Channel) -> Bool {
        !isStopped && frontEnd.publishSample(sample, on: channel, of: id)
    }

    /// Returns whether the frame was sent.
    func publishFrame(_ frame: [UInt8], _ fields: FrameFields) -> Bool {
        !isStopped && frontEnd.publishFrame(frame, fields, of: id)
    }

    /// Removes the pictures that were published for later subscribers, and those that still wait to be sent.
    func withdrawPictures() { if !isStopped { frontEnd.withdrawPictures(of: id) } }

    func publishPhoto(_ photo: [UInt8], _ fields: PhotoFields) {
        if !isStopped { frontEnd.publishPhoto(photo, fields, of: id) }
    }

    /// Publishes an event, with the client and the request that caused it.
    func publishEvent(_ kind: Event.Kind, by envelope: Envelope?, _ fill: (inout Event) -> Void = { _ in }) {
        if isStopped { return }
        var event = Event(kind, boot: boot, ts: timestamp)
        (event.client, event.id) = (envelope?.client?.name, envelope?.id)
        event.proved = envelope?.client?.isProved
        fill(&event)
        frontEnd.publishEvent(event, encoded: JSON.bytes(event), of: id)
    }

    // MARK: Answers

    /// Answers a request, if it has no final answer. A final one is sent when the changes before it are
    /// stored.
    ///
    /// - Parameter fill: adds the fields that this answer has beside its status.
    func reply(_ status: Reply.Status, to request: Request, _ fill: (inout Reply) -> Void = { _ in }) {
        guard request.admits(status) else { return }
        var reply = Reply(status, to: request, boot: boot, timestamp: timestamp)
        reply.rev = rev
        fill(&reply)
        if status == .accepted { return request.send(JSON.bytes(reply)) }
        whenSaved { [reply] error in
            guard error != nil, status != .error, request.policy.savesState else {
                return request.send(JSON.bytes(reply))
            }
            var reply = reply
            reply.isPersisted = false
            request.send(JSON.bytes(reply))
        }
    }

    /// Answers that a request isn't carried out, if it has no final answer, and publishes that as an event.
    ///
    /// - Parameter state: with `conflict`: the zoom as it is.
    package func refuse(_ request: Request, _ error: CommandError, state: Stamped<ZoomState>? = nil) {
        guard request.isOpen else { return }
        logger.debug("\(id)/\(request.node.rawValue): \(error.code.rawValue): \(error.message)")
        // A repetition that is refused leaves the record of the command that was carried out.
        if request.isRecorded, let id = request.envelope.id {
            recent.remove(.init(client: request.client, id: id))
        }
        reply(.error, to: request) { ($0.error, $0.state) = (error, state) }
        publishRefusal(error, of: request)
    }

    /// Refuses, in their order, the requests that the cause ends.
    func end(_ requests: some Sequence<Request>, _ cause: PendingFailure) {
        for request in requests where cause.ends(request.needs) { refuse(request, cause.error) }
    }

    /// Answers a message that names no node of this camera, and publishes that as an event.
    ///
    /// - Parameter node: what the message names instead of a node.
    package func refuse(
        _ address: any ReplyAddress, _ error: CommandError, node: String?, _ envelope: Envelope
    ) {
        var reply = Reply(.error, boot: boot, ts: timestamp)
        (reply.id, reply.client, reply.camera, reply.node) = (envelope.id, envelope.client?.name, id, node)
        (reply.rev, reply.error) = (rev, error)
        address.send(JSON.bytes(reply))
        publishEvent(.refused, by: envelope) { event in (event.node, event.error) = (node, error) }
    }

    /// Publishes the event that a request was refused or failed.
    func publishRefusal(_ error: CommandError, of request: Request) {
        publishEvent(.refused, by: request.envelope) { event in
            (event.node, event.error) = (request.node.rawValue, error)
        }
    }

    /// Whether a request with this id was carried out before; otherwise it is recorded.
    func isRepeated(_ request: Request) -> Bool {
        guard let id = request.envelope.id else { return false }
        return recent.isRepeated(.init(client: request.client, id: id), at: now)
    }

    /// Records a command that was recorded when it came, and is carried out only now.
    func recordAgain(_ request: Request) {
        guard request.isRecorded, let id = request.envelope.id else { return }
        recent.remove(.init(client: request.client, id: id))
        _ = isRepeated(request)
    }

    /// A timer on the camera's loop.
    func timer(_ fire: @escaping () -> Void) -> LoopTimer { loop.timer(fire) }
}

extension Reply {
    /// An answer with all that is known of its request.
    init(_ status: Status, to request: Request, boot: Int, timestamp: String) {
        self.init(status, boot: boot, ts: timestamp)
        (id, client) = (request.envelope.id, request.envelope.client?.name)
        (camera, node) = (request.camera, request.node.rawValue)
    }
}

extension CommandError {
    /// The error of every request that comes, or still waits, while the agent stops.
    package static let stopping = CommandError(.unavailable, "The agent is stopping.")
    /// The error of every request that needs the device of a private camera.
    static let `private` = CommandError(
        .private, "The camera is private: its device is closed. Switch privacy off first.")
    /// The error of a photo or recording whose number could be given out again after a crash.
    static let noNumbers = CommandError(
        .storageFull, "The state can't be stored, so there are no further numbers for files.")

    /// The same error for a field inside of another.
    func inside(_ outer: String) -> CommandError {
        CommandError(code, message, field: field.map { "\(outer).\($0)" } ?? outer)
    }

    /// The same error with a further sentence in its message. A driver's message ends without a period.
    func followed(by sentence: String) -> CommandError {
        CommandError(code, "\(message)\(message.hasSuffix(".") ? "" : ".") \(sentence)", field: field)
    }
}
