internal import Synchronization

/// Does blocking work on a thread, one piece after the other, and hands each result over on an event loop.
/// The thread exists only while there is work: it ends after an idle time, and the next work starts a new
/// one.
///
/// Its tools (codecs, buffers, a folder) are used by one thread at a time and never by the loop, so they
/// needn't be `Sendable`. Work that was submitted and isn't done when the worker is released is still done,
/// but its result is dropped.
package final class SerialWorker<Tools> {
    /// Carries one result from the thread to the loop.
    private final class ResultSlot<Output: Sendable>: Sendable {
        private let output = Mutex<Output?>(nil)

        func put(_ output: sending Output) { self.output.withLock { $0 = output } }
        func take() -> Output? { output.withLock { $0.take() } }
    }

    /// The work that isn't done yet; other threads may add to it.
    package let queue: WorkQueue<Tools>
    private let done: Inbox<Int>
    private let loop: EventLoop
    private let idleTime: Duration?
    private var pending: [Int: () -> Void] = [:]
    private var lastNumber = 0
    private lazy var idleTimer = loop.timer { [queue] in queue.endThread() }

    /// Starts no thread.
    ///
    /// - Parameters:
    ///   - name: what the system's tools show for the thread; its first 15 bytes.
    ///   - priority: of the thread.
    ///   - loop: where results are handed over.
    ///   - idleTime: from the last result to the end of the thread. Nil: the thread stays until the worker is
    ///     closed.
    ///   - tools: makes the tools, on the thread, before the first piece of work. They outlive the thread.
    ///   - release: called on the thread before it ends, for tools that aren't to outlive it, or not with
    ///     all of their memory, which then returns to the system.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(
        name: String, priority: Thread.Priority = .normal, on loop: EventLoop, idleTime: Duration?,
        tools: @escaping @Sendable () -> Tools, release: (@Sendable (inout Tools) -> Void)? = nil
    ) throws(LoopError) {
        let done = try Inbox<Int>()
        (self.loop, self.done, self.idleTime) = (loop, done, idleTime)
        queue = WorkQueue(name: name, priority: priority, tools: tools, release: release)
        done.attach(to: loop) { [weak self] number in self?.finished(number) }
    }

    deinit { close() }

    /// Runs work on the thread, and calls back with its result on the loop.
    ///
    /// - Throws: ``LoopError`` when the system refuses a further thread; then the work isn't done.
    package func run<Output: Sendable>(
        _ work: @escaping @Sendable (inout Tools) -> Output, then: @escaping (Output) -> Void
    ) throws(LoopError) {
        let slot = ResultSlot<Output>()
        let number = lastNumber + 1
        try queue.submit { [done] tools in
            slot.put(work(&tools))
            done.send(number)
        }
        lastNumber = number
        pending[number] = {
            if let output = slot.take() { then(output) }
        }
        idleTimer.cancel()
    }

    private func finished(_ number: Int) {
        pending.removeValue(forKey: number)?()
        if pending.isEmpty, let idleTime { idleTimer.set(after: idleTime) }
    }

    /// Lets the thread end after the work that was submitted, without waiting for it. No result is handed
    /// over any more, and no further work is accepted.
    package func close() {
        queue.close()
        done.detach(from: loop)
        pending = [:]
    }
}
