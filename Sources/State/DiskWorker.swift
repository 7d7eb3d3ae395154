internal import Base
internal import CLinux

/// The thread that waits for the disk: it syncs the journal and writes snapshots.
struct DiskWorker<Document: JournaledDocument> {
    let store: StateStore<Document>
    let queue: Monitor<ChangeQueue<Document>>
    let disk: Monitor<DiskQueue<Document>>
    let report: @Sendable (WriteReport) -> Void

    private enum Task {
        case snapshot(SnapshotJob<Document>)
        case sync([Int])
        case end
    }

    /// Works until the queue is closed.
    func run() {
        while true {
            switch next() {
            case .snapshot(let job):
                let result = Result { () throws(StateStoreError) in try write(job) }
                // Without the last snapshot, the lines are all that there is.
                if case .failure = result, job.purpose == .last { try? store.journal.sync() }
                // The encoder of a state with many cameras had megabytes.
                clinux_trim_heap()
                let isCompaction = job.purpose == .compaction
                queue.change { queue, _ in
                    queue.results.append(
                        .snapshot(job.mark, isCompaction: isCompaction, result))
                }
            case .sync(let tickets): sync(tickets)
            case .end: return
            }
        }
    }

    private func next() -> Task {
        disk.wait { disk, now in
            // Answers wait for a sync, not for a compaction.
            if let time = disk.syncTime, time <= now {
                defer { (disk.syncTime, disk.syncTickets) = (nil, []) }
                return .answer(.sync(disk.syncTickets))
            }
            if !disk.snapshots.isEmpty { return .answer(.snapshot(disk.snapshots.removeFirst())) }
            return disk.isClosed && disk.syncTime == nil ? .answer(.end) : .wait(until: disk.syncTime)
        }
    }

    private func sync(_ tickets: [Int]) {
        do throws(StateStoreError) {
            try store.journal.sync()
            if !tickets.isEmpty { report(.stored(tickets)) }
        } catch {
            if !tickets.isEmpty { report(.failed(tickets, error)) }
            queue.change { queue, _ in queue.results.append(.syncFailed(error)) }
        }
    }

    /// Returns whether the journal takes lines.
    private func write(_ job: SnapshotJob<Document>) throws(StateStoreError) -> Bool {
        let snapshot = Snapshot(document: job.document, journal: job.mark)
        // Until the snapshot is on the disk, the lines before it are the only copy of their changes.
        try store.file.write(snapshot)
        switch job.purpose {
        case .compaction: return true
        case .replacement:
            // As for the last one: lines that completed the generation before are about to be erased.
            if store.journal.isPrepared { try store.file.write(snapshot) }
            // Without room for a journal, each change is a snapshot.
            do throws(StateStoreError) { try store.journal.prepare() } catch { return false }
            return true
        case .last:
            // The generation before has to be complete without the journal too.
            try store.file.write(snapshot)
            if store.journal.isPrepared { try store.journal.clear() }
            return true
        }
    }
}
