internal import CLinux

/// Work for a thread that exists only while there is some. It is done in the order of submission, and none is
/// lost: not when it is submitted while the thread ends, and not when the queue is closed.
///
/// It belongs to a ``SerialWorker``. Other threads may submit work too.
package final class WorkQueue<Tools>: Sendable {
    package typealias Work = @Sendable (inout Tools) -> Void

    private enum ThreadPhase {
        case none
        /// The thread does work, or waits for it.
        case staying
        /// The thread ends when there is no work left.
        case ending
    }

    private struct State {
        var work: [Work] = []
        /// While a thread does work, it has them.
        var tools: Tools?
        var thread = ThreadPhase.none
        /// No further work is accepted.
        var isClosed = false
    }

    private let name: String
    private let priority: Thread.Priority
    private let make: @Sendable () -> Tools
    private let release: (@Sendable (inout Tools) -> Void)?
    private let state = Monitor(State())

    init(
        name: String, priority: Thread.Priority, tools make: @escaping @Sendable () -> Tools,
        release: (@Sendable (inout Tools) -> Void)?
    ) {
        (self.name, self.priority, self.make, self.release) = (name, priority, make, release)
    }

    /// Adds work, and starts a thread for it if there is none. Any thread may call this, and running work
    /// too; it doesn't wait. Without effect after the worker was closed.
    ///
    /// - Throws: ``LoopError`` when the system refuses a further thread; then the work isn't accepted.
    package func submit(_ work: @escaping Work) throws(LoopError) {
        try state.change { (state, _) throws(LoopError) in
            if state.isClosed { return }
            if state.thread == .none {
                let thread = try Thread(name: name, priority: priority) { [self] in run() }
                thread.detach()
            }
            state.thread = .staying
            state.work.append(work)
        }
    }

    /// Lets the thread end after the work that was submitted. The next submission starts a new one.
    func endThread() {
        state.change { state, _ in if state.thread == .staying { state.thread = .ending } }
    }

    /// Lets the thread end after the work that was submitted, without waiting for it: it may be stuck in a
    /// system call.
    func close() {
        let unused = state.change { state, _ in
            state.isClosed = true
            if state.thread == .staying { state.thread = .ending }
            return state.tools.take()
        }
        // Released here, outside of the lock.
        withExtendedLifetime(unused) {}
    }

    // MARK: On the thread

    private func run() {
        repeat {
            var tools = state.change { state, _ in state.tools.take() } ?? make()
            while let work = next() { work(&tools) }
            if let release {
                release(&tools)
                clinux_trim_heap()
            }
            state.change { state, _ in if !state.isClosed { state.tools = tools } }
        } while !ends()
    }

    private func next() -> Work? {
        state.wait { state, _ in
            if !state.work.isEmpty { return .answer(state.work.removeFirst()) }
            return state.thread == .ending ? .answer(nil) : .wait(until: nil)
        }
    }

    /// Whether the thread ends. Otherwise work was submitted after the last was done.
    private func ends() -> Bool {
        state.change { state, _ in
            guard state.work.isEmpty else { return false }
            state.thread = .none
            return true
        }
    }
}
