package import CameraCore
package import Logging
package import LoopThread
internal import StateStore

/// Keeps the agent's state on the disk: the document, the collection of changes, and the writer with its
/// thread.
///
/// The state on the disk is never below a `rev` that was published: numbers are reserved there before a run
/// uses them.
package final class StateKeeper {
    /// Delay from a change to the submission of the document, which then has all changes of that time.
    private static let saveDelay = Duration.milliseconds(100)
    /// How long a stop waits for the disk.
    private static let stopTimeout = Duration.milliseconds(400)

    private let logger: Logger
    private let writer: StateWriter<SavedState>
    private let results: Inbox<Result<Void, StateStoreError>>
    private var document: SavedState
    /// The cameras' states as the run before left them.
    private let found: [String: SavedCamera]
    private var isSaving = true
    private let saveTimer: LoopTimer
    /// Brings the document up to date before it is written.
    package var update: (inout SavedState) -> Void = { _ in }

    /// Loads the state, and reserves the numbers of this run on the disk.
    ///
    /// - Parameters:
    ///   - cameras: the cameras of the configuration.
    ///   - root: the root of the agent's topics.
    /// - Throws: `StateStoreError` when the state can't be read or written; `LoopError` when the process is
    ///   out of descriptors.
    package init(
        _ path: String, cameras: [String], root: String, on loop: EventLoop, logger: Logger
    ) throws {
        self.logger = logger
        let (file, found) = try StateFile<SavedState>.open(path)
        for damaged in found.damaged { logger.error("\(damaged)") }
        var document = found.document ?? SavedState()
        document.boot += 1
        for camera in cameras where document.cameras[camera] == nil {
            var unknown = SavedCamera()
            // The numbers of a damaged file are unknown: controllers would take smaller ones for old states.
            if found.document == nil && !found.damaged.isEmpty { unknown.revReserve = Revisions.beyondAll }
            document.cameras[camera] = unknown
        }
        self.found = document.cameras
        // These topics may be at the broker from now on.
        document.served[root] = Set(document.served[root] ?? []).union(cameras).sorted()
        for id in document.cameras.keys { document.cameras[id]?.revReserve += Revisions.block }
        // Twice, so that the generation before contains the reservation too, should the newest be damaged.
        try file.write(document)
        try file.write(document)
        let results = try Inbox<Result<Void, StateStoreError>>()
        self.results = results
        writer = try StateWriter(file: file, debounce: .milliseconds(50)) { results.send($0) }
        self.document = document
        let save = SaveAction()
        saveTimer = loop.timer { save.keeper?.save() }
        save.keeper = self
        results.attach(to: loop) { [weak self] in self?.wasWritten($0) }
    }

    /// Carries the timer's closure until the keeper is initialised.
    private final class SaveAction { weak var keeper: StateKeeper? }

    /// The count of the agent's starts.
    package var boot: Int { document.boot }
    /// Discovery documents of earlier runs.
    package var discovered: [String: [String]] { document.discovered }
    /// Roots of topics of earlier runs, and of this one.
    package var served: [String: [String]] { document.served }

    /// A camera's state as the run before left it.
    package func camera(_ id: String) -> SavedCamera { found[id] ?? SavedCamera() }

    /// Has the state written a short while from now.
    package func saveSoon() {
        if !saveTimer.isSet { saveTimer.set(after: Self.saveDelay) }
    }

    private func save() {
        update(&document)
        writer.submit(document)
    }

    /// Writes the last state. Returns whether it is on the disk.
    package func stop(_ finish: (inout SavedState) -> Void) -> Bool {
        saveTimer.cancel()
        finish(&document)
        writer.submit(document)
        do {
            try writer.stop(within: Self.stopTimeout)
            return true
        } catch {
            logger.error("the state isn't saved: \(error)")
            return false
        }
    }

    private func wasWritten(_ result: Result<Void, StateStoreError>) {
        switch result {
        case .success:
            if !isSaving { logger.notice("the state is saved again") }
            isSaving = true
        case .failure(let error):
            if isSaving { logger.error("the state isn't saved; the agent goes on trying: \(error)") }
            isSaving = false
        }
    }
}
