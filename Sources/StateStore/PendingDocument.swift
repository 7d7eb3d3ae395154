/// The newest document that isn't on the disk yet, and when it is to be written: the writer's decisions, with
/// time (in nanoseconds of a clock that grows steadily) passed in.
struct PendingDocument<Document> {
    /// From the first unsaved change to the write.
    let debounce: UInt64
    /// From a failed write to the next try, when no change comes before.
    let retry: UInt64

    private var waiting: (document: Document, number: UInt64)?
    private var due: UInt64 = 0
    private var underWay: (document: Document, number: UInt64)?
    /// How many documents were submitted; the number of the newest.
    private(set) var submitted: UInt64 = 0
    /// The number of the document that the disk has.
    private(set) var saved: UInt64 = 0
    private var failures: UInt64 = 0
    private var lastFailure: (number: UInt64, error: StateStoreError)?
    private var isFlushRequested = false
    private var isClosing = false

    init(debounce: UInt64, retry: UInt64) {
        self.debounce = debounce
        self.retry = retry
    }

    /// The newest document replaces the one that waits; the wait goes on from the first.
    mutating func submit(_ document: Document, at now: UInt64) {
        due = waiting == nil ? now + debounce : min(due, now + debounce)
        submitted += 1
        waiting = (document, submitted)
    }

    enum Step {
        case write(Document)
        /// Nothing to do before this time; nil: before something changes.
        case wait(until: UInt64?)
        case end
    }

    /// What the writer's thread should do now. It answers `write` by ``finished(_:at:)``.
    mutating func next(at now: UInt64) -> Step {
        guard let waiting else { return isClosing ? .end : .wait(until: nil) }
        if isClosing && lastFailure?.number == waiting.number { return .end }
        guard isFlushRequested || isClosing || now >= due else { return .wait(until: due) }
        underWay = waiting
        self.waiting = nil
        isFlushRequested = false
        return .write(waiting.document)
    }

    /// The write under way has ended. After a failure its document waits again, unless there is a newer one.
    mutating func finished(_ result: Result<Void, StateStoreError>, at now: UInt64) {
        guard let written = underWay else { return }
        underWay = nil
        switch result {
        case .success:
            saved = written.number
        case .failure(let error):
            failures += 1
            lastFailure = (written.number, error)
            guard waiting == nil else { return }
            waiting = written
            due = now + retry
        }
    }

    /// What a caller of ``flush()`` waits for.
    struct Flush {
        fileprivate let number: UInt64
        fileprivate let failures: UInt64
    }

    /// Has the waiting document written without further delay.
    mutating func flush() -> Flush {
        isFlushRequested = waiting != nil
        return Flush(number: submitted, failures: failures)
    }

    /// How a flush went; nil while it goes on.
    func outcome(of flush: Flush) -> Result<Void, StateStoreError>? {
        if saved >= flush.number { return .success(()) }
        guard failures > flush.failures, let lastFailure, lastFailure.number >= flush.number else {
            return nil
        }
        return .failure(lastFailure.error)
    }

    /// Lets the thread end: immediately if writing the waiting document has failed, otherwise after a try.
    mutating func close() {
        isClosing = true
    }
}
