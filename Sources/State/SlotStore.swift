package import Base

/// Keeps documents on the disk, each in a ``SlotFile``: one worker writes, another one waits for the disk.
/// All that is known of the files is known on the loop.
///
/// Nothing here waits. Of each document only the newest form is written. What can't be written or synced is
/// tried again with the next change, and after a while.
package final class SlotStore {
    /// Makes the bytes of a document, without a line feed, on a worker's thread.
    package typealias Content = @Sendable () throws -> [UInt8]

    private typealias Outcome = (StateStoreError?) -> Void

    /// A form of a document that is written and not synced.
    private struct Unsynced {
        let generation: Int
        /// Empty: it counted as stored when it was written.
        let stored: [Outcome]
        let synced: () -> Void
    }

    private final class File {
        let name: String
        let place: SlotFile
        var content: Content
        /// Called when the disk has the content.
        var synced: () -> Void = {}
        /// Nil: the file isn't there yet.
        var slots: Slots?
        var slotSize = 0
        /// It has torn slots that no write has removed yet: each start would take them for a crash.
        var isTorn = false
        /// The content isn't written, and no write of it was begun.
        var isChanged = false
        var isWriting = false
        /// Of the content, if it is changed.
        var waiting: [Outcome] = []
        var unsynced: [Unsynced] = []

        init(_ name: String, in folder: SlotFolder, _ content: @escaping Content) {
            (self.name, place, self.content) = (name, folder.file(name), content)
        }

        /// - Returns: what a sync of this generation has synced.
        func takeUnsynced(to generation: Int) -> [Unsynced] {
            let due = unsynced.filter { $0.generation <= generation }
            unsynced.removeAll { $0.generation <= generation }
            return due
        }
    }

    private typealias SyncResult = (name: String, generation: Int, error: FileError?)

    private let folder: SlotFolder
    private let syncs: Bool
    private let syncInterval: Duration
    private let retry: Duration
    private let loop: EventLoop
    private let writer: SerialWorker<Void>
    private let syncer: SerialWorker<Void>
    private var files: [String: File] = [:]
    /// The files that were written since their last sync was begun.
    private var unsynced: Set<String> = []
    /// The files whose last write has failed, or whose last sync.
    private var failures: [String: (error: StateStoreError, isOfSync: Bool)] = [:]
    private var isSyncing = false
    /// A change waits for the next sync.
    private var isSyncUrgent = false
    private var flushes: [Outcome] = []
    private lazy var syncTimer = loop.timer { [weak self] in self?.sync() }
    private lazy var retryTimer = loop.timer { [weak self] in self?.tryAgain() }

    /// Called when something can't be stored, with the reason, and with nil when all is stored again.
    package var failureChanged: (StateStoreError?) -> Void = { _ in }

    /// - Parameters:
    ///   - syncs: a change counts as stored when the disk has it, not only the system.
    ///   - syncInterval: from the first line that the disk hasn't to the sync.
    ///   - retry: from a failure to the next try, when no change comes before.
    /// - Throws: `LoopError` when the process is out of descriptors or threads.
    package init(
        _ folder: SlotFolder, syncs: Bool, syncInterval: Duration = .milliseconds(100),
        retry: Duration = .seconds(2), on loop: EventLoop
    ) throws(LoopError) {
        (self.folder, self.syncs, self.syncInterval, self.retry) = (folder, syncs, syncInterval, retry)
        self.loop = loop
        writer = try SerialWorker(name: "state", priority: .process, on: loop, idleTime: nil) {}
        syncer = try SerialWorker(name: "state-disk", on: loop, idleTime: nil) {}
        // From now on they have their threads.
        for worker in [writer, syncer] { try worker.submit { _ in } }
    }

    // What was submitted is written, though nothing is reported any more.
    deinit {
        for file in files.values where file.isChanged {
            let write = Self.job(file)
            try? writer.submit { _ = write(&$0) }
        }
    }

    /// Continues a file with what was read of it.
    ///
    /// - Parameters:
    ///   - document: the one of the contents that is taken.
    ///   - isSynced: whether the disk has it for certain; otherwise ``flush(then:)`` has to come before the
    ///     next change.
    package func add(
        _ name: String, _ contents: SlotFile.Contents, _ document: SlotFile.Document, isSynced: Bool
    ) {
        let bytes = document.bytes
        // The newest one may be one that can't be taken.
        let newest = contents.documents.map(\.slot.generation).max() ?? document.slot.generation
        let file = makeFile(name) { bytes }
        file.slots = Slots(holding: Slots.Slot(index: document.slot.index, generation: newest))
        (file.slotSize, file.isTorn) = (contents.slotSize, contents.tornSlots > 0)
        if !isSynced { unsynced.insert(name) }
    }

    private func makeFile(_ name: String, _ content: @escaping Content) -> File {
        let file = File(name, in: folder, content)
        files[name] = file
        return file
    }

    /// Whether all that was stored outlives the process.
    package var isWritten: Bool {
        failures.isEmpty && files.values.allSatisfy { !$0.isChanged && !$0.isWriting }
    }

    // MARK: Writing

    /// Stores a document.
    ///
    /// - Parameters:
    ///   - stored: called once, on the loop: nil when this form or a later one is stored, or why it isn't.
    ///   - synced: called at most once, when the disk has this form; never if a later form came before that.
    package func store(
        _ content: @escaping Content, as name: String,
        stored: @escaping (StateStoreError?) -> Void, synced: @escaping () -> Void = {}
    ) {
        let file = files[name] ?? makeFile(name, content)
        (file.content, file.synced, file.isChanged) = (content, synced, true)
        file.waiting.append(stored)
        write(file)
    }

    private func write(_ file: File) {
        guard file.isChanged, !file.isWriting else { return }
        let (waiting, synced) = (file.waiting, file.synced)
        (file.isChanged, file.isWriting, file.waiting) = (false, true, [])
        // The worker calls back only while this store has it.
        try? writer.run(Self.job(file)) { [unowned self] in didWrite(file, $0, waiting, synced) }
    }

    /// What writes a file's content, on a worker's thread.
    private static func job(
        _ file: File
    ) -> @Sendable (inout Void) -> Result<SlotFile.Written, StateStoreError> {
        let (place, content, size, isTorn) = (file.place, file.content, file.slotSize, file.isTorn)
        let slot = file.slots?.next ?? Slots.Slot(index: 0, generation: 1)
        return { _ in
            Result { () throws(StateStoreError) in
                let bytes: [UInt8]
                do { bytes = try content() } catch {
                    throw .encoding(path: place.path, reason: "\(error)")
                }
                return try onDisk { () throws(FileError) in
                    try place.write(bytes, in: slot, slotSize: size, isTorn: isTorn)
                }
            }
        }
    }

    private func didWrite(
        _ file: File, _ result: Result<SlotFile.Written, StateStoreError>,
        _ waiting: [Outcome], _ synced: @escaping () -> Void
    ) {
        file.isWriting = false
        switch result {
        case .success(let written):
            (file.slotSize, file.isTorn) = (written.slotSize, false)
            // Of forms that no answer waits for, only the newest is of interest, and the one being synced.
            let syncing = file.slots?.syncing?.generation ?? 0
            file.unsynced.removeAll { $0.stored.isEmpty && $0.generation > syncing }
            let due = syncs ? waiting : []
            file.unsynced.append(
                Unsynced(generation: written.slot.generation, stored: due, synced: synced))
            if written.isSynced {
                file.slots = Slots(holding: written.slot)
            } else {
                file.slots?.didWrite(written.slot)
                unsynced.insert(file.name)
                if !due.isEmpty { isSyncUrgent = true }
            }
            noteSuccess(of: file, isOfSync: false)
            if !syncs { for stored in waiting { stored(nil) } }
            if written.isSynced { report(file, written.slot.generation, nil) }
            if written.wasMissing { writeAllAnew(except: file) }
            syncSoon()
            write(file)
        case .failure(let error):
            file.isChanged = true
            noteFailure(error, of: file, isOfSync: false)
            for stored in waiting { stored(error) }
            if !file.waiting.isEmpty { write(file) }
        }
        endFlushes()
    }

    /// Calls back for what a sync of a generation has synced, or not.
    private func report(_ file: File, _ generation: Int, _ error: StateStoreError?) {
        for form in file.takeUnsynced(to: generation) {
            for stored in form.stored { stored(error) }
            if error == nil { form.synced() }
        }
    }

    /// A file was removed, perhaps with its folder.
    private func writeAllAnew(except file: File) {
        for other in files.values where other !== file { writeAnew(other) }
    }

    private func writeAnew(_ file: File) {
        file.isChanged = true
        write(file)
    }

    private func noteFailure(_ error: StateStoreError, of file: File, isOfSync: Bool) {
        let isFirst = failures.isEmpty
        failures[file.name] = (error, isOfSync)
        if !retryTimer.isSet { retryTimer.set(after: retry) }
        if isFirst { failureChanged(error) }
    }

    private func noteSuccess(of file: File, isOfSync: Bool) {
        guard failures[file.name]?.isOfSync == isOfSync else { return }
        failures[file.name] = nil
        if failures.isEmpty { failureChanged(nil) }
    }

    private func tryAgain() {
        for name in failures.keys { files[name].map(writeAnew) }
    }

    // MARK: Syncing

    /// Begins a sync, at once if a change or a flush waits for it, and otherwise a short while from now.
    private func syncSoon() {
        guard !unsynced.isEmpty, !isSyncing else { return }
        if isSyncUrgent || !flushes.isEmpty { return sync() }
        if !syncTimer.isSet { syncTimer.set(after: syncInterval) }
    }

    private func sync() {
        guard !isSyncing, !unsynced.isEmpty else { return }
        syncTimer.cancel()
        let jobs = unsynced.compactMap { files[$0] }.map { file in
            (name: file.name, generation: file.slots?.beginSync() ?? 0, place: file.place)
        }
        (isSyncing, isSyncUrgent, unsynced) = (true, false, [])
        try? syncer.run({ _ in jobs.map { ($0.name, $0.generation, $0.place.syncError()) } }) { [weak self] in
            self?.didSync($0)
        }
    }

    private func didSync(_ results: [SyncResult]) {
        isSyncing = false
        for (name, generation, error) in results {
            guard let file = files[name] else { continue }
            file.slots?.endSync(of: generation, succeeded: error == nil)
            if let error, error.isMissing {
                // It was removed: it is made anew for those that wait.
                file.waiting += file.takeUnsynced(to: generation).flatMap(\.stored)
                writeAnew(file)
            } else if let error {
                // The system may have dropped the line, so it is written again.
                noteFailure(.file(error), of: file, isOfSync: true)
                report(file, generation, .file(error))
            } else {
                noteSuccess(of: file, isOfSync: true)
                report(file, generation, nil)
            }
        }
        syncSoon()
        endFlushes()
    }

    /// Has all that was stored synced, and calls back, with the reason if something isn't stored.
    package func flush(then: @escaping (StateStoreError?) -> Void) {
        flushes.append(then)
        syncSoon()
        endFlushes()
    }

    private func endFlushes() {
        guard !flushes.isEmpty, !isSyncing, files.values.allSatisfy({ !$0.isWriting }) else { return }
        if !unsynced.isEmpty { return syncSoon() }
        let due = flushes
        flushes = []
        for then in due { then(failures.values.first?.error) }
    }
}
