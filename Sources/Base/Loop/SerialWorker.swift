internal import CLinux
internal import Synchronization

/// Does blocking work on a thread, one piece after the other, and hands each result over on an event loop.
/// The thread exists only while there is work: it ends after an idle time, and the next work starts a new
/// one.
///
/// Its tools (codecs, buffers, a folder) are used by one thread at a time and never by the loop, so they
/// needn't be `Sendable`. No work is lost that was submitted: not while the thread ends, and not when the
/// worker is released. In that case it is still done, but its result is dropped.
package final class SerialWorker<Tools> {
    package typealias Work = @Sendable (inout Tools) -> Void

    /// Carries one result from the thread to the loop.
    private final class ResultSlot<Output: Sendable>: Sendable {
        private let output = Mutex<Output?>(nil)

        func put(_ output: sending Output) { self.output.withLock { $0 = output } }
        func take() -> Output? { output.withLock { $0.take() } }
    }

    private struct State {
        var work: [Work] = []
        /// While a thread does work, it has them.
        var tools: Tools?
        var hasThread = false
        /// The thread ends when there is no work left.
        var mayEnd = false
        /// No further work is accepted.
        var isClosed = false
    }

    /// Adds work, and starts a thread for it if there is none. Any thread may call this, and running work
    /// too; it doesn't wait. Without effect after the worker was closed.
    ///
    /// It throws a ``LoopError`` when the system refuses a further thread; then the work isn't accepted.
    package let submit: @Sendable (_ work: @escaping Work) throws(LoopError) -> Void
    private let state: Monitor<State>
    private let done: Inbox<Int>
    private let loop: EventLoop
    private let idleTime: Duration?
    private var pending: [Int: () -> Void] = [:]
    private var lastNumber = 0
    private lazy var idleTimer = loop.timer { [state] in state.change { state, _ in state.mayEnd = true } }

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
        let (done, monitor) = (try Inbox<Int>(), Monitor(State()))
        (self.loop, self.done, self.idleTime, state) = (loop, done, idleTime, monitor)
        submit = { work throws(LoopError) in
            try monitor.change { (state, _) throws(LoopError) in
                if state.isClosed { return }
                if !state.hasThread {
                    let thread = try Thread(name: name, priority: priority) {
                        Self.run(monitor, tools, release)
                    }
                    thread.detach()
                }
                (state.hasThread, state.mayEnd) = (true, false)
                state.work.append(work)
            }
        }
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
        try submit { [done] tools in
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

    /// Lets the thread end after the work that was submitted, without waiting for it: it may be stuck in a
    /// system call. No result is handed over any more, and no further work is accepted.
    package func close() {
        let unused = state.change { state, _ in
            (state.isClosed, state.mayEnd) = (true, true)
            return state.tools.take()
        }
        // Released here, outside of the lock.
        withExtendedLifetime(unused) {}
        done.detach(from: loop)
        pending = [:]
    }

    // MARK: On the thread

    private static func run(
        _ state: Monitor<State>, _ makeTools: () -> Tools, _ release: ((inout Tools) -> Void)?
    ) {
        repeat {
            var tools = state.change { state, _ in state.tools.take() } ?? makeTools()
            while let work = next(state) { work(&tools) }
            if let release {
                release(&tools)
                clinux_trim_heap()
            }
            state.change { state, _ in if !state.isClosed { state.tools = tools } }
        } while !ends(state)
    }

    private static func next(_ state: Monitor<State>) -> Work? {
        state.wait { state, _ in
            if !state.work.isEmpty { return .answer(state.work.removeFirst()) }
            return state.mayEnd ? .answer(nil) : .wait(until: nil)
        }
    }

    /// Whether the thread ends. Otherwise work was submitted after the last was done.
    private static func ends(_ state: Monitor<State>) -> Bool {
        state.change { state, _ in
            guard state.work.isEmpty else { return false }
            state.hasThread = false
            return true
        }
    }
}
