import Base
package import Contract
package import Core
import Logging
internal import State

/// Keeps the agent's state on the disk.
///
/// Every change of a camera goes to the journal when the camera requests it. Numbers (`rev`, starts, photos,
/// recordings) are reserved on the disk before a run uses them.
package final class StateKeeper: CameraStorage {
    /// How long a stop waits for the disk.
    private static let stopTimeout = Duration.milliseconds(400)
    private static let unsaved = CommandError(
        .storageFull, "The state can't be stored: the disk of the state file is full, read-only or damaged.")

    /// From a change of the topics to their submission, which then has all changes of that time.
    private static let topicsDelay = Duration.milliseconds(100)

    package let waitingAnswers = WaitingAnswers()
    private let logger: Logger
    /// Nil: the state is in memory. The cameras have what they need of it themselves.
    private let writer: StateWriter<SavedState>?
    private let reports: Inbox<WriteReport>
    private let loop: EventLoop
    /// The state of the run before, with the numbers that this run reserves. Its cameras are there until the
    /// writer has them.
    private var start: SavedState
    /// The cameras' states as the run before left them, until all cameras are made.
    private var found: [String: SavedCamera]
    private var lastTicket = 0
    private var waiting: [Int: (StateStoreError?) -> Void] = [:]
    private var isStored = true
    /// No revision of a camera that was given out is above it.
    private(set) var numbers: Int
    /// Called when ``numbers`` has grown.
    var numbersChanged: () -> Void = {}
    /// The topics at the broker at the moment.
    var topics: () -> SavedTopics? = { nil }
    private lazy var topicsTimer = loop.timer { [weak self] in self?.saveTopics() }
    /// Called once when all changes that were submitted have been reported.
    private var whenIdle: (() -> Void)?

    /// Loads the state.
    ///
    /// - Parameters:
    ///   - path: of the state file; not used for a state in memory.
    ///   - cameras: the cameras of the configuration.
    ///   - root: the root of the agent's topics.
    ///   - isSynced: a change counts as stored when the disk has it, not only the system.
    /// - Throws: `StateStoreError` when the state can't be read; `LoopError` when the process is out of
    ///   descriptors.
    init(
        _ path: String, in storage: StateStorage = .file, cameras: [String], root: String,
        isSynced: Bool, on loop: EventLoop, logger: Logger
    ) throws {
        (self.logger, self.loop) = (logger, loop)
        let opened = try storage == .file ? StateStore<SavedState>.open(path) : nil
        for damaged in opened?.found.damaged ?? [] { logger.error("\(damaged)") }
        if opened?.found.lacksJournal == true {
            logger.warning(
                "\(path).journal is missing: changes after \(path) was written are lost, if there were any")
        }
        let document = opened?.found.document ?? SavedState()
        var start = document
        start.boot += 1
        if start.instance.isEmpty { start.instance = SavedState.newIdentity() }
        start.serve(cameras)
        if let found = opened?.found, found.document == nil || !found.damaged.isEmpty || found.lacksJournal {
            // The last numbers are unknown: controllers would take smaller ones for old states.
            start.lacksRevisions = true
            for camera in cameras { start.cameras[camera]?.skipToUnusedRevisions() }
        }
        for id in start.cameras.keys { start.cameras[id]?.dropMissingFiles() }
        found = start.cameras
        // These topics may be at the broker from now on.
        start.served[root] = Set(start.served[root] ?? []).union(cameras).sorted()
        for camera in cameras { start.cameras[camera]?.reserveNumbers() }
        numbers = start.cameras.values.map(\.revReserve).max() ?? 0
        self.start = start
        let reports = try Inbox<WriteReport>()
        self.reports = reports
        writer = try opened.map {
            try StateWriter($0.store, document, durability: isSynced ? .synced : .written) {
                reports.send($0)
            }
        }
        reports.attach(to: loop) { [weak self] in self?.received($0) }
    }

    deinit { reports.detach(from: loop) }

    /// Checks that a run can start with a state file: makes its folder, takes the lock, reads the file, and
    /// releases the lock.
    ///
    /// - Throws: `StateStoreError`; also when a running agent uses the file, this one included.
    package static func check(_ path: String) throws {
        _ = try StateStore<SavedState>.open(path)
    }

    /// Whether an earlier state was lost, and the broker may have had greater numbers since then.
    var lacksRevisions: Bool { start.lacksRevisions }

    /// Notes that revisions continue above the numbers that the broker had.
    func revisionsAreKnown() {
        start.lacksRevisions = false
        submit(.revisionsKnown) { _ in }
    }

    /// The identity of the device.
    var instance: String { start.instance }
    /// The count of the agent's starts.
    var boot: Int { start.boot }
    /// Discovery documents of earlier runs.
    var discovered: [String: [String]] { start.discovered }
    /// Roots of topics of earlier runs, and of this one.
    var served: [String: [String]] { start.served }

    /// A camera's state as the run before left it.
    ///
    /// Not to be called after ``camerasAreMade()``.
    func camera(_ id: String) -> SavedCamera { found[id] ?? SavedCamera() }

    /// Drops the states of the run before: each camera has its own now.
    func camerasAreMade() { found = [:] }

    /// Reserves the numbers of this run, and calls back once the disk has them.
    func reserveNumbers(then: @escaping (Result<Void, any Error>) -> Void) {
        submit(.all(start), .synced) { error in then(error.map { .failure($0) } ?? .success(())) }
        start.cameras = [:]
    }

    // MARK: Changes

    package func save(
        _ state: SavedCamera, of camera: String, isSynced: Bool, then: @escaping (CommandError?) -> Void
    ) {
        submit(.camera(camera, state), isSynced ? .synced : nil) { then($0.map { _ in Self.unsaved }) }
        guard state.revReserve > numbers else { return }
        numbers = state.revReserve
        numbersChanged()
    }

    /// Stores the topics at the broker a short while from now.
    func topicsChanged() {
        if !topicsTimer.isSet { topicsTimer.set(after: Self.topicsDelay) }
    }

    private func saveTopics() {
        topicsTimer.cancel()
        if let topics = topics() { submit(.topics(topics)) { _ in } }
    }

    private func submit(
        _ change: SavedState.Change, _ durability: Durability? = nil,
        then: @escaping (StateStoreError?) -> Void
    ) {
        lastTicket += 1
        waiting[lastTicket] = then
        guard let writer else { return reports.send(.stored([lastTicket])) }
        writer.submit(change, ticket: lastTicket, durability: durability)
    }

    private func received(_ report: WriteReport) {
        switch report {
        case .stored(let tickets):
            if !isStored { logger.notice("the state is saved again") }
            isStored = true
            complete(tickets, nil)
        case .failed(let tickets, let error):
            if isStored { logger.error("the state isn't saved; the agent tries again: \(error)") }
            isStored = false
            complete(tickets, error)
        case .snapshotFailed(let error):
            logger.warning("the journal of the state isn't compacted; the agent tries again: \(error)")
        }
    }

    private func complete(_ tickets: [Int], _ error: StateStoreError?) {
        for ticket in tickets { waiting.removeValue(forKey: ticket)?(error) }
        guard waiting.isEmpty, let whenIdle else { return }
        self.whenIdle = nil
        whenIdle()
    }

    // MARK: Stopping

    /// Calls back once, when all changes are stored or can't be.
    func whenIdle(_ then: @escaping () -> Void) {
        if waiting.isEmpty { then() } else { whenIdle = then }
    }

    /// Writes the last snapshot, and empties the journal. Returns whether the state is stored.
    func stop() -> Bool {
        saveTopics()
        do {
            try writer?.stop(within: Self.stopTimeout)
            return true
        } catch {
            logger.error("the state isn't saved: \(error)")
            return false
        }
    }
}
