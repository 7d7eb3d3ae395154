internal import LoopThread
internal import Synchronization

/// Saves the newest document on a thread of its own, a short while after it changed.
///
/// A submission never waits for the disk. A burst of changes costs one write. A document that cannot be
/// written stays pending and is tried again with the next change, or after a while.
package final class StateWriter<Document: Codable & Sendable>: Sendable {
    private let path: String
    private let pending: Monitor<PendingDocument<Document>>
    private let thread: Thread
    private let isJoined = Mutex(false)

    /// - Parameters:
    ///   - file: from now on to be written by this writer only.
    ///   - debounce: from the first unsaved change to its write.
    ///   - retry: from a failure to the next try, when no change comes before.
    ///   - report: called on the writer's thread after each write, before a ``flush(within:)`` that waits for
    ///     it returns. It must not wait for this writer.
    /// - Throws: ``StateStoreError/noThread(reason:)``.
    package init(
        file: StateFile<Document>, debounce: Duration = .milliseconds(200), retry: Duration = .seconds(5),
        report: @escaping @Sendable (Result<Void, StateStoreError>) -> Void
    ) throws(StateStoreError) {
        let pending = Monitor(
            PendingDocument<Document>(debounce: debounce.nanoseconds, retry: retry.nanoseconds))
        do throws(LoopError) {
            thread = try Thread(name: "state") {
                while let document = pending.nextToWrite() {
                    let result = Result { () throws(StateStoreError) in try file.write(document) }
                    report(result)
                    pending.change { pending, now in pending.finished(result, at: now) }
                }
            }
        } catch {
            throw .noThread(reason: error.description)
        }
        self.pending = pending
        path = file.path
    }

    deinit {
        pending.change { pending, _ in pending.close() }
    }

    /// Takes the newest document; an older one that isn't written yet is forgotten. Any thread may call this.
    package func submit(_ document: Document) {
        pending.change { pending, now in pending.submit(document, at: now) }
    }

    /// Writes what was submitted before, now, and waits for it.
    ///
    /// - Throws: the error of that write, or ``StateStoreError/late(path:)`` when the time is over before its
    ///   end. The document stays pending in both cases.
    package func flush(within limit: Duration = .seconds(5)) throws(StateStoreError) {
        let (flush, deadline) = pending.change { pending, now in (pending.flush(), now + limit.nanoseconds) }
        let outcome: Result<Void, StateStoreError>? = pending.wait { pending, now in
            if let outcome = pending.outcome(of: flush) { return .answer(outcome) }
            return now < deadline ? .wait(until: deadline) : .answer(nil)
        }
        guard let outcome else { throw .late(path: path) }
        try outcome.get()
    }

    /// Flushes, then ends the thread. What is submitted afterwards isn't written.
    ///
    /// - Throws: as ``flush(within:)``. A thread that is stuck in the disk is left to end by itself.
    package func stop(within limit: Duration = .seconds(5)) throws(StateStoreError) {
        let outcome = Result { () throws(StateStoreError) in try flush(within: limit) }
        pending.change { pending, _ in pending.close() }
        if case .failure(.late) = outcome { throw .late(path: path) }
        let isOurs = isJoined.withLock { isJoined in
            defer { isJoined = true }
            return !isJoined
        }
        if isOurs { thread.join() }
        try outcome.get()
    }
}

extension Monitor {
    /// Waits for the document that is due; nil when the writer is to end.
    fileprivate func nextToWrite<Document>() -> Document? where Value == PendingDocument<Document> {
        wait { pending, now in
            switch pending.next(at: now) {
            case .write(let document): .answer(document)
            case .wait(let time): .wait(until: time)
            case .end: .answer(nil)
            }
        }
    }
}

extension Duration {
    /// Negative and absurdly long durations are clamped.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 1 << 32)) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
