internal import Base

/// When a change counts as stored.
package enum Durability: Sendable, Equatable {
    /// The system has it: it outlives the process. The disk has it a short while later.
    case written
    /// The disk has it: it outlives a power cut.
    case synced
}

/// What became of changes.
package enum WriteReport: Sendable {
    /// The changes with these tickets are stored. Empty: after a failure, the document is stored again.
    case stored([Int])
    /// The changes with these tickets aren't stored. They are tried again with the next change, or after a
    /// while.
    case failed([Int], StateStoreError)
    /// No snapshot can be written. The journal goes on: no change is lost.
    case snapshotFailed(StateStoreError)
}

/// Stores the changes of a document on two threads of its own: one writes lines of the journal, the other one
/// waits for the disk.
///
/// A submission never waits. When a change can't be written to the journal, a new snapshot is tried; while
/// that fails too, the document is kept in memory, and a snapshot is tried again from time to time.
package final class StateWriter<Document: JournaledDocument>: Sendable {
    private let path: String
    private let queue = Monitor(ChangeQueue<Document>())
    private let disk: Monitor<DiskQueue<Document>>
    private let durability: Durability
    private let threads: [Thread]

    /// - Parameters:
    ///   - document: as it was loaded from the store; submitted changes follow it.
    ///   - durability: of changes that are submitted without one.
    ///   - syncInterval: from the first line that the disk hasn't to the sync.
    ///   - retry: from a failure to the next try, when no change comes before.
    ///   - report: called on the writer's threads. It must not wait for this writer.
    /// - Throws: ``StateStoreError/noThread(reason:)``.
    package init(
        _ store: StateStore<Document>, _ document: Document, durability: Durability = .written,
        syncInterval: Duration = .milliseconds(100), retry: Duration = .seconds(2),
        report: @escaping @Sendable (WriteReport) -> Void
    ) throws(StateStoreError) {
        let queue = queue
        let disk = Monitor(DiskQueue<Document>(syncInterval: syncInterval.nanoseconds))
        (self.disk, self.durability, path) = (disk, durability, store.path)
        do throws(LoopError) {
            let writer = try Thread(name: "state") {
                var writer = JournalWriter(
                    store, document, retry: retry.nanoseconds, queue: queue, disk: disk, report: report)
                writer.run()
            }
            do throws(LoopError) {
                let syncer = try Thread(name: "state-disk", priority: .normal) {
                    DiskWorker(store: store, queue: queue, disk: disk, report: report).run()
                }
                threads = [writer, syncer]
            } catch {
                queue.change { queue, _ in queue.phase = .abandoned }
                writer.detach()
                throw error
            }
        } catch {
            throw .noThread(reason: error.description)
        }
    }

    deinit {
        queue.change { queue, _ in if queue.phase.isOpen { queue.phase = .abandoned } }
    }

    /// Submits a change. Any thread may call this.
    ///
    /// - Parameters:
    ///   - ticket: identifies the change in its report; each change gets one.
    ///   - durability: nil: the writer's own.
    package func submit(_ change: Document.Change, ticket: Int, durability: Durability? = nil) {
        let pending = PendingChange(
            change: change, ticket: ticket, durability: durability ?? self.durability)
        queue.change { queue, _ in queue.changes.append(pending) }
    }

    /// Writes a last snapshot, empties the journal, and ends the threads.
    ///
    /// - Throws: the error because of which the last changes aren't stored. A thread that waits for the disk
    ///   longer than the limit is left to end by itself; then the changes are in the journal, or the error is
    ///   ``StateStoreError/late(path:)``.
    package func stop(within limit: Duration = .seconds(5)) throws(StateStoreError) {
        let deadline = queue.change { queue, now in
            if queue.phase.isOpen { queue.phase = .closing }
            return now + limit.nanoseconds
        }
        let outcome: Result<Void, StateStoreError>? = queue.wait { queue, now in
            if let outcome = queue.phase.outcome { return .answer(outcome) }
            if now < deadline { return .wait(until: deadline) }
            return .answer(queue.isStored ? .success(()) : nil)
        }
        guard let outcome else { throw .late(path: path) }
        let hasEnded = queue.change { queue, _ in
            guard case .ended(let outcome) = queue.phase else { return false }
            queue.phase = .joined(outcome)
            return true
        }
        if hasEnded {
            threads[0].join()
            // It may be in a sync whose result no longer matters.
            threads[1].detach()
        }
        try outcome.get()
    }
}

/// A change that was submitted.
struct PendingChange<Change: Sendable>: Sendable {
    let change: Change
    let ticket: Int
    let durability: Durability
}

/// What the thread that writes the journal has to do.
struct ChangeQueue<Document: JournaledDocument>: Sendable {
    enum Phase: Sendable {
        case open
        /// A last snapshot is written, then the threads end.
        case closing
        case ended(Result<Void, StateStoreError>)
        /// Ended, and the owner has joined the thread.
        case joined(Result<Void, StateStoreError>)
        /// The owner is gone: the threads end after the changes that were submitted.
        case abandoned

        var isOpen: Bool { if case .open = self { true } else { false } }

        /// How the last snapshot was stored; nil: the threads work.
        var outcome: Result<Void, StateStoreError>? {
            switch self {
            case .open, .closing, .abandoned: nil
            case .ended(let outcome), .joined(let outcome): outcome
            }
        }
    }

    var changes: [PendingChange<Document.Change>] = []
    /// What the other thread has done.
    var results: [DiskResult] = []
    var phase = Phase.open
    /// Whether every change that was taken from the queue is stored.
    var isTakenStored = true

    /// Whether every change that was submitted is stored.
    var isStored: Bool { changes.isEmpty && isTakenStored }
}

/// What the thread that waits for the disk has to do.
struct DiskQueue<Document: JournaledDocument>: Sendable {
    let syncInterval: UInt64
    var snapshots: [SnapshotJob<Document>] = []
    /// When the lines that were written are to be synced; nil: the disk has all of them.
    var syncTime: UInt64?
    /// The changes that count as stored after the sync.
    var syncTickets: [Int] = []
    var isClosed = false

    init(syncInterval: UInt64) { self.syncInterval = syncInterval }

    /// Has the lines synced that were written, and immediately for changes that wait for it. Returns whether
    /// the sync is to begin earlier than before.
    mutating func requestSync(for tickets: [Int], at now: UInt64) -> Bool {
        syncTickets += tickets
        let time = tickets.isEmpty ? now + syncInterval : now
        if let syncTime, syncTime <= time { return false }
        syncTime = time
        return true
    }
}

/// A snapshot to be written.
struct SnapshotJob<Document: JournaledDocument>: Sendable {
    enum Purpose: Sendable {
        /// The journal has the document too.
        case compaction
        /// The journal takes no lines: the snapshot takes its place, then the journal's file is made anew.
        case replacement
        /// The last one of the run, after which the journal is emptied.
        case last
    }

    let document: Document
    let mark: JournalMark
    let purpose: Purpose
}

/// What the thread that waits for the disk has done.
enum DiskResult: Sendable {
    /// A snapshot was written; with whether the journal takes lines.
    case snapshot(JournalMark, isCompaction: Bool, Result<Bool, StateStoreError>)
    /// Lines aren't on the disk.
    case syncFailed(StateStoreError)
}

extension Duration {
    /// Negative and absurdly long durations are clamped.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 1 << 32)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
