internal import Base
internal import Contract

/// The thread that writes the journal. It alone has the document.
struct JournalWriter<Document: JournaledDocument> {
    /// How changes are stored at the moment.
    private enum Mode {
        /// As lines of the journal.
        case journal
        /// A snapshot, with which the next generation begins, is being written for these changes; later ones
        /// wait.
        case replacing(tickets: [Int])
        /// There is no room for a journal: each change is a snapshot.
        case snapshots
        /// Nothing can be written. A snapshot is tried again after this time.
        case failing(StateStoreError, retryTime: UInt64)
    }

    /// A snapshot that is written while the journal goes on.
    private enum Compaction: Equatable {
        case idle
        case running
        case waiting(until: UInt64)
    }

    private enum Event {
        case changes([PendingChange<Document.Change>])
        case disk(DiskResult)
        case retry
        case close
    }

    private var document: Document
    private var mode: Mode
    private var compaction: Compaction
    /// Where the lines of the newest generation begin.
    private var mark: JournalMark
    /// Behind the last line.
    private var end: JournalPosition
    /// The generation of the snapshot on the disk.
    private var storedGeneration: Int
    private let journal: Journal
    private let retry: UInt64
    private let queue: Monitor<ChangeQueue<Document>>
    private let disk: Monitor<DiskQueue<Document>>
    private let report: @Sendable (WriteReport) -> Void

    init(
        _ store: StateStore<Document>, _ document: Document, retry: UInt64,
        queue: Monitor<ChangeQueue<Document>>, disk: Monitor<DiskQueue<Document>>,
        report: @escaping @Sendable (WriteReport) -> Void
    ) {
        (self.document, self.retry, self.queue, self.disk) = (document, retry, queue, disk)
        (self.report, journal, storedGeneration) = (report, store.journal, store.generation)
        if let lines = store.lines {
            (mark, end, mode) = (lines.mark, lines.end, .journal)
            // The program before ended without a last snapshot.
            compaction = lines.patches.isEmpty ? .idle : .waiting(until: 0)
        } else {
            // Lines of an earlier journal, whose generations have the same numbers, must not follow.
            end = JournalPosition(generation: store.generation, chain: .random(in: .min ... .max))
            // The first change is stored with a snapshot, which begins the journal.
            (mark, mode, compaction) = (end.mark, .snapshots, .idle)
        }
    }

    /// Works until the queue is closed.
    mutating func run() {
        while true {
            switch next() {
            case .changes(let changes): store(changes)
            case .disk(let result): received(result)
            case .retry: tryAgain()
            case .close:
                close()
                return
            }
        }
    }

    private func next() -> Event {
        queue.wait { queue, now in
            if !queue.results.isEmpty { return .answer(.disk(queue.results.removeFirst())) }
            if case .replacing = mode { return .wait(until: nil) }
            if !queue.changes.isEmpty {
                defer {
                    queue.changes = []
                    // Room for the next ones is made on this thread, not on that of the commands.
                    queue.changes.reserveCapacity(4)
                }
                queue.isTakenStored = false
                return .answer(.changes(queue.changes))
            }
            switch queue.phase {
            case .open: break
            case .closing, .abandoned, .ended, .joined:
                return compaction == .running ? .wait(until: nil) : .answer(.close)
            }
            guard let time = retryTime else { return .wait(until: nil) }
            return time <= now ? .answer(.retry) : .wait(until: time)
        }
    }

    private var retryTime: UInt64? {
        if case .failing(_, let time) = mode { return time }
        if case .waiting(let time) = compaction { return time }
        return nil
    }

    // MARK: Changes

    private mutating func store(_ changes: [PendingChange<Document.Change>]) {
        var patches: [JSON] = []
        var tickets: [Int] = []
        for change in changes {
            do {
                if let patch = try document.apply(change.change) { patches.append(patch) }
                tickets.append(change.ticket)
            } catch {
                failed([change.ticket], .encoding(path: "", reason: "\(error)"))
            }
        }
        let synced = changes.filter { $0.durability == .synced && tickets.contains($0.ticket) }.map(\.ticket)
        switch mode {
        case .journal: append(patches, for: tickets, synced: synced)
        case .snapshots where patches.isEmpty: stored(tickets, synced: [], hasWritten: false)
        case .snapshots, .replacing: replaceJournal(for: tickets)
        case .failing(let error, let time):
            if time <= Monitor<Void>.now() { replaceJournal(for: tickets) } else { failed(tickets, error) }
        }
    }

    private mutating func append(_ patches: [JSON], for tickets: [Int], synced: [Int]) {
        guard !patches.isEmpty else { return stored(tickets, synced: synced, hasWritten: false) }
        do {
            var (lines, next) = encode(patches)
            if !Journal.hasRoom(for: lines.count, at: end), canCompact {
                compact()
                (lines, next) = encode(patches)
            }
            guard Journal.hasRoom(for: lines.count, at: end) else { return replaceJournal(for: tickets) }
            try journal.write(lines, at: end)
            end = next
        } catch {
            return replaceJournal(for: tickets)
        }
        stored(tickets, synced: synced, hasWritten: true)
        compactIfDue()
    }

    private func encode(_ patches: [JSON]) -> (lines: [UInt8], end: JournalPosition) {
        var position = end
        var lines: [UInt8] = []
        for patch in patches { lines += JournalLine.encode(patch, at: &position) }
        return (lines, position)
    }

    private func stored(_ tickets: [Int], synced: [Int], hasWritten: Bool) {
        queue.change { queue, _ in queue.isTakenStored = true }
        if hasWritten || !synced.isEmpty {
            disk.update { disk, now in disk.requestSync(for: synced, at: now) }
        }
        let written = synced.isEmpty ? tickets : tickets.filter { !synced.contains($0) }
        if !written.isEmpty { report(.stored(written)) }
    }

    private func failed(_ tickets: [Int], _ error: StateStoreError) {
        if !tickets.isEmpty { report(.failed(tickets, error)) }
    }

    // MARK: Snapshots

    /// Whether the area of the next generation is free: the snapshot on the disk contains its lines.
    private var canCompact: Bool { compaction != .running && storedGeneration >= mark.generation }

    private mutating func compactIfDue() {
        guard case .journal = mode, end.offset > Journal.areaSize / 4 * 3, canCompact else { return }
        compact()
    }

    /// Begins a generation, and writes its snapshot while the journal goes on.
    private mutating func compact() {
        if storedGeneration >= mark.generation {
            end = end.next
            mark = end.mark
        }
        compaction = .running
        submit(mark, .compaction)
    }

    /// Writes a snapshot in the place of lines.
    private mutating func replaceJournal(for tickets: [Int]) {
        mode = .replacing(tickets: tickets)
        submit(end.next.mark, .replacement)
    }

    private func submit(_ mark: JournalMark, _ purpose: SnapshotJob<Document>.Purpose) {
        let job = SnapshotJob(document: document, mark: mark, purpose: purpose)
        disk.change { disk, _ in disk.snapshots.append(job) }
    }

    private mutating func received(_ result: DiskResult) {
        let now = Monitor<Void>.now()
        switch result {
        case .snapshot(let mark, isCompaction: true, .success):
            (compaction, storedGeneration) = (.idle, mark.generation)
            // Lines that came meanwhile may have filled the other area as far.
            compactIfDue()
        case .snapshot(_, isCompaction: true, .failure(let error)):
            compaction = .waiting(until: now + retry)
            report(.snapshotFailed(error))
        case .snapshot(let mark, isCompaction: false, .success(let takesLines)):
            guard case .replacing(let tickets) = mode else { return }
            (self.mark, end, storedGeneration) = (mark, end.next, mark.generation)
            (mode, compaction) = (takesLines ? .journal : .snapshots, .idle)
            queue.change { queue, _ in queue.isTakenStored = true }
            report(.stored(tickets))
        case .snapshot(_, isCompaction: false, .failure(let error)):
            guard case .replacing(let tickets) = mode else { return }
            mode = .failing(error, retryTime: now + retry)
            failed(tickets, error)
        case .syncFailed:
            // The system may have dropped lines that it couldn't write.
            if case .journal = mode { replaceJournal(for: []) }
        }
    }

    private mutating func tryAgain() {
        // A snapshot that is tried again has the mark of the first try: its lines are applied once more, to a
        // document that has them, which changes nothing, as patches have absolute values.
        if case .failing = mode { replaceJournal(for: []) } else { compact() }
    }

    // MARK: The end

    /// Writes the last snapshot, and ends the other thread.
    private mutating func close() {
        let isAbandoned = queue.change { queue, _ in
            if case .abandoned = queue.phase { true } else { false }
        }
        var outcome = Result<Void, StateStoreError>.success(())
        if !isAbandoned {
            submit(end.next.mark, .last)
            // Lines that were written are stored without a snapshot too.
            if case .failure(let error) = lastSnapshot(), !isStored { outcome = .failure(error) }
        }
        // The last snapshot has everything, or the lines were synced after it had failed.
        disk.change { disk, _ in (disk.isClosed, disk.syncTime) = (true, isAbandoned ? disk.syncTime : nil) }
        queue.change { queue, _ in queue.phase = .ended(outcome) }
    }

    private func lastSnapshot() -> Result<Void, StateStoreError> {
        queue.wait { queue, _ in
            while !queue.results.isEmpty {
                if case .snapshot(_, _, let result) = queue.results.removeFirst() {
                    return .answer(result.map { _ in })
                }
            }
            return .wait(until: nil)
        }
    }

    private var isStored: Bool {
        if case .journal = mode { true } else { false }
    }
}
