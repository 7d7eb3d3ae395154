import Base
package import Contract
package import Core
import Logging
internal import State

/// Keeps the agent's state on the disk: a file for each camera, and one for the agent.
///
/// Every change of a camera is written when the camera requests it, with the numbers (`rev`, photos,
/// recordings) that it has given out. An end without the mark `isClean` counts as a crash, which each camera
/// learns from the count: it begins above all that it can have given out.
package final class StateKeeper: CameraStorage {
    /// How long a stop waits for the disk, which syncs twice: the last changes, then the mark of a clean end.
    /// A slow card needs most of a second for each.
    private static let stopTimeout = Duration.seconds(2)
    private static let unsaved = CommandError(
        .storageFull, "The state can't be stored: the disk of the state file is full, read-only or damaged.")

    /// From a change of the topics to their submission, which then has all changes of that time.
    private static let topicsDelay = Duration.milliseconds(100)

    package let waitingAnswers = WaitingAnswers()
    private let path: String
    private let logger: Logger
    private let loop: EventLoop
    /// Nil: the state is in memory. The cameras have what they need of it themselves.
    private let store: SlotStore?
    private let folder: SlotFolder?
    private var agent: SavedAgent
    /// The cameras' states as the run before left them, until all cameras are made.
    private var found: [String: SavedCamera] = [:]
    /// The cameras to be stored at the start: they have no file yet, or a torn one.
    private var unstored: [String: SavedCamera] = [:]
    /// Those whose files are to be removed.
    private var forgotten: [String] = []
    /// There is a state of a version with a journal.
    private var hasEarlierState = false
    /// How many changes wait until they are stored.
    private var waiting = 0
    /// No revision of a camera that was given out is above it.
    private(set) var numbers = 0
    /// Called when ``numbers`` has grown.
    var numbersChanged: () -> Void = {}
    /// Why the state isn't stored; nil: it is.
    private(set) var problem: String?
    /// Called when ``problem`` has changed.
    var problemChanged: () -> Void = {}
    /// The topics at the broker at the moment.
    var topics: () -> SavedTopics? = { nil }
    private lazy var topicsTimer = loop.timer { [weak self] in self?.saveTopics() }
    /// Called once, with whether the state is stored.
    private var stopped: ((Bool) -> Void)?
    private lazy var stopTimer = loop.timer { [weak self] in
        guard let self else { return }
        // What is written outlives the process, without the mark of a clean end.
        hasStopped(store?.isWritten == false ? .late(path: path) : nil)
    }
    /// Called once when all changes that were submitted have been reported.
    private var whenIdle: (() -> Void)?

    /// Loads the state.
    ///
    /// - Parameters:
    ///   - path: of the state file; not used for a state in memory.
    ///   - cameras: the cameras of the configuration.
    ///   - root: the root of the agent's topics.
    ///   - isSynced: a change counts as stored when the disk has it, not only the system.
    ///   - discardsJournal: a state of a version with a journal is taken without its newest changes.
    /// - Throws: `StateStoreError` when the state can't be read; `LoopError` when the process is out of
    ///   descriptors.
    init(
        _ path: String, in storage: StateStorage = .file, cameras: [String], root: String,
        isSynced: Bool, discardsJournal: Bool = false, on loop: EventLoop, logger: Logger
    ) throws {
        (self.path, self.logger, self.loop) = (path, logger, loop)
        agent = SavedAgent()
        guard storage == .file else {
            (folder, store) = (nil, nil)
            begin(cameras, root)
            return
        }
        let folder = try SlotFolder(path)
        let store = try SlotStore(folder, syncs: isSynced, on: loop)
        (self.folder, self.store) = (folder, store)
        var files = SavedFiles(folder)
        if let earlier = try folder.earlierState(discardsJournal: discardsJournal) {
            try take(earlier, from: &files)
        } else {
            try load(cameras, from: &files)
        }
        for loss in files.losses { logger.error("\(loss)") }
        store.failureChanged = { [weak self] in self?.failureChanged($0) }
        begin(cameras, root)
    }

    /// Reads the files of the agent and of these cameras.
    private func load(_ cameras: [String], from files: inout SavedFiles) throws {
        let saved = try files.read(SavedFiles.agent, as: SavedAgent.self)
        if let saved { agent = saved.state }
        let wasClean = saved?.isTorn == false && agent.isClean
        if let saved { store?.add(SavedFiles.agent, saved.contents, saved.document, isSynced: wasClean) }
        agent.lacksRevisions = agent.lacksRevisions || saved == nil
        // What a slot had that isn't whole, may have been the start of a run.
        let lost = saved?.isTorn == true ? 1 : 0
        agent.boot += lost
        agent.crashes += lost + (agent.isClean ? 0 : 1)
        for id in Set(cameras + agent.lastBoots.keys) {
            let isServed = cameras.contains(id)
            guard isServed || agent.lastBoots.count > SavedAgent.maxUnserved else { continue }
            let name = SavedFiles.camera(id)
            guard var camera = try files.read(name, as: SavedCamera.self) else {
                // It was removed, or it is damaged; otherwise the camera is a new one.
                if agent.lastBoots[id] != nil { agent.lacksRevisions = true }
                continue
            }
            let isBehind = camera.isTorn || saved == nil
            let crashes = max(agent.crashes - camera.state.numbers.crashes, 0) + (isBehind ? 1 : 0)
            camera.state.numbers = camera.state.numbers.after(crashes: crashes)
            camera.state.numbers.crashes = agent.crashes
            // The agent's file was lost since it was served.
            if agent.lastBoots[id] == nil { camera.state.numbers.skipToUnusedRevisions() }
            found[id] = camera.state
            guard isServed else { continue }
            store?.add(name, camera.contents, camera.document, isSynced: wasClean)
            // The numbers that it begins with now: the torn slot counts once.
            if camera.isTorn { unstored[id] = camera.state }
        }
    }

    /// Takes over the state of a version with a journal, which then goes on in slots.
    private func take(_ earlier: EarlierState, from files: inout SavedFiles) throws {
        hasEarlierState = true
        if let aside = try folder?.setSlotsAside() {
            logger.warning("\(path) is of an earlier version; the newer state was set aside as \(aside)")
        }
        let (agent, cameras) = files.states(of: earlier)
        if let agent { self.agent = agent }
        (found, unstored) = (cameras, cameras)
        for id in cameras.keys where self.agent.lastBoots[id] == nil { self.agent.lastBoots[id] = 0 }
        let isComplete = earlier.hasAllChanges && agent != nil
        if !isComplete || self.agent.lastBoots.keys.contains(where: { cameras[$0] == nil }) {
            self.agent.lacksRevisions = true
        }
    }

    /// Begins a run with what was found.
    private func begin(_ cameras: [String], _ root: String) {
        agent.boot += 1
        agent.isClean = false
        if agent.instance.isEmpty { agent.instance = SavedAgent.newIdentity() }
        // These topics may be at the broker from now on.
        agent.served[root] = Set(agent.served[root] ?? []).union(cameras).sorted()
        forgotten = agent.serve(cameras)
        for id in forgotten {
            let last = found.removeValue(forKey: id)?.numbers.after(crashes: 1).rev ?? 0
            agent.forgottenRevision = max(agent.forgottenRevision, last)
            unstored[id] = nil
        }
        for id in cameras {
            var camera = found[id] ?? SavedCamera()
            if found[id] == nil {
                // It may be one that was forgotten: controllers would take lower numbers for old states.
                (camera.numbers.rev, camera.numbers.crashes) = (agent.forgottenRevision, agent.crashes)
                unstored[id] = camera
            }
            // The last numbers are unknown: controllers would take smaller ones for old states.
            if agent.lacksRevisions, store != nil { camera.numbers.skipToUnusedRevisions() }
            camera.dropMissingFiles()
            found[id] = camera
            if unstored[id] != nil { unstored[id] = camera }
        }
        numbers = (found.values.map(\.numbers.rev).max() ?? 0) + CameraNumbers.revisionBlock
    }

    /// Checks that a run can start with a state file: makes its folder, takes the lock, reads the state of
    /// the agent, and releases the lock.
    ///
    /// - Throws: `StateStoreError`; also when a running agent uses the file, this one included.
    package static func check(_ path: String) throws {
        let folder = try SlotFolder(path)
        guard try folder.earlierState(discardsJournal: false) == nil else { return }
        var files = SavedFiles(folder)
        _ = try files.read(SavedFiles.agent, as: SavedAgent.self)
    }

    /// Whether an earlier state was lost, and the broker may have had greater numbers since then.
    var lacksRevisions: Bool { agent.lacksRevisions }

    /// Notes that revisions continue above the numbers that the broker had.
    func revisionsAreKnown() {
        agent.lacksRevisions = false
        saveAgent()
    }

    /// The identity of the device.
    var instance: String { agent.instance }
    /// The count of the agent's starts.
    var boot: Int { agent.boot }
    /// Discovery documents of earlier runs.
    var discovered: [String: [String]] { agent.discovered }
    /// Roots of topics of earlier runs, and of this one.
    var served: [String: [String]] { agent.served }

    /// A camera's state as the run before left it, with the numbers that this run begins with.
    ///
    /// Not to be called after ``camerasAreMade()``.
    func camera(_ id: String) -> SavedCamera { found[id] ?? SavedCamera() }

    /// Drops the states of the run before: each camera has its own now.
    func camerasAreMade() { found = [:] }

    /// Stores the start of this run, and calls back once the disk has it. The disk then also has the state of
    /// the run before, and a file for each camera.
    func storeStart(then: @escaping (Result<Void, any Error>) -> Void) {
        whenSynced { [self] error in
            if let error { return then(.failure(error)) }
            saveAgent()
            for (id, camera) in unstored { save(camera, of: id, stored: { _ in }, synced: {}) }
            unstored = [:]
            whenSynced { [self] error in
                do {
                    if let error { throw error }
                    if hasEarlierState { try folder?.keepEarlierState() }
                    for id in forgotten { try folder?.remove(SavedFiles.camera(id)) }
                    then(.success(()))
                } catch { then(.failure(error)) }
            }
        }
    }

    // MARK: Changes

    package func save(
        _ state: SavedCamera, of camera: String, stored: @escaping (CommandError?) -> Void,
        synced: @escaping () -> Void
    ) {
        save(state, as: SavedFiles.camera(camera), stored: stored, synced: synced)
        guard state.numbers.after(crashes: 1).rev > numbers else { return }
        numbers = state.numbers.rev + CameraNumbers.revisionBlock
        numbersChanged()
    }

    /// Stores the topics at the broker a short while from now.
    func topicsChanged() {
        if !topicsTimer.isSet { topicsTimer.set(after: Self.topicsDelay) }
    }

    private func saveTopics() {
        topicsTimer.cancel()
        guard let topics = topics() else { return }
        (agent.discovered, agent.served) = (topics.discovered, topics.served)
        saveAgent()
    }

    private func saveAgent() { save(agent, as: SavedFiles.agent, stored: { _ in }, synced: {}) }

    private func save(
        _ state: some Form & Sendable, as name: String, stored: @escaping (CommandError?) -> Void,
        synced: @escaping () -> Void
    ) {
        waiting += 1
        let completed = { [weak self] (error: StateStoreError?) in
            stored(error.map { _ in Self.unsaved })
            self?.completed()
        }
        if let store {
            store.store(
                { try JSON.exactBytes(StoredState(state)) }, as: name, stored: completed, synced: synced)
        } else {
            loop.timer {
                completed(nil)
                synced()
            }.set(after: .zero)
        }
    }

    private func completed() {
        waiting -= 1
        guard waiting == 0, let whenIdle else { return }
        self.whenIdle = nil
        whenIdle()
    }

    private func failureChanged(_ error: StateStoreError?) {
        problem = error.map { "the state isn't saved; the agent tries again: \($0)" }
        if let problem { logger.error("\(problem)") } else { logger.notice("the state is saved again") }
        problemChanged()
    }

    /// Calls back once, when all changes are stored or can't be.
    func whenIdle(_ then: @escaping () -> Void) {
        if waiting == 0 { then() } else { whenIdle = then }
    }

    /// Calls back once, when the disk has all changes, or with the reason why it hasn't.
    func whenSynced(_ then: @escaping (StateStoreError?) -> Void) {
        if let store { store.flush(then: then) } else { then(nil) }
    }

    // MARK: Stopping

    /// Stores all that isn't stored, with the mark of a clean end. Calls back with whether the state is
    /// stored.
    func stop(then: @escaping (Bool) -> Void) {
        saveTopics()
        guard let store else { return then(true) }
        stopped = then
        stopTimer.set(after: Self.stopTimeout)
        store.flush { [weak self] error in
            guard let self, error == nil else { return self?.hasStopped(error) ?? () }
            agent.isClean = true
            saveAgent()
            store.flush { [weak self] in self?.hasStopped($0) }
        }
    }

    private func hasStopped(_ error: StateStoreError?) {
        stopTimer.cancel()
        if let error { logger.error("the state isn't saved: \(error)") }
        let then = stopped
        stopped = nil
        then?(error == nil)
    }
}
