internal import CLinux
internal import Glibc
internal import LoopThread
package import Settings
internal import Terminal

/// A process with a share of the agents. It takes orders on standard input, and writes ``WorkerLine``s to
/// standard output.
package final class SwarmWorker {
    /// At most so often does it write a line.
    private static let interval = Duration.milliseconds(50)
    /// See setpriority(2).
    private static let niceness: Int32 = 10

    private let loop = EventLoop()
    private let reports: Inbox<AgentThread.Report>
    private var threads: [AgentThread] = []
    private var made = 0
    private var stopped = 0
    private var line = WorkerLine()
    private var isStopping = false
    private lazy var timer = loop.timer { [unowned self] in write() }

    /// - Throws: `LoopError`.
    package init() throws { reports = try Inbox() }

    /// Runs the agents until the order to stop, or until the other end of standard input is closed.
    ///
    /// - Parameter version: of the program.
    /// - Throws: `LoopError` when the process is out of threads or descriptors.
    package func run(_ agents: [AgentSettings], version: String) throws {
        signal(SIGPIPE, SIG_IGN)
        // Where the broker and the process that counts are on this machine too, they run first: the agents of
        // a real fleet have machines of their own.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        reports.attach(to: loop) { [unowned self] in received($0) }
        loop.watch(STDIN_FILENO) { [unowned self] _ in readOrder() }
        let reports = reports
        threads = try stride(from: 0, to: agents.count, by: SwarmPlan.agentsPerThread).map { start in
            let share = Array(agents[start..<min(start + SwarmPlan.agentsPerThread, agents.count)])
            return try AgentThread(share, version: version) { reports.send($0) }
        }
        loop.run()
    }

    private func readOrder() {
        var byte: UInt8 = 0
        let count = read(STDIN_FILENO, &byte, 1)
        if count < 0 && errno == EINTR { return }
        guard count == 1, WorkerOrder(rawValue: byte) == .start else {
            if count <= 0 { loop.unwatch(STDIN_FILENO) }
            return stop()
        }
        for thread in threads { thread.send(.start) }
    }

    private func stop() {
        if isStopping { return }
        isStopping = true
        for thread in threads { thread.send(.stop) }
    }

    private func received(_ report: AgentThread.Report) {
        switch report {
        case .made:
            made += 1
            line.isReady = made == threads.count
            if !line.isReady { return }
        case .failed(let reason): line.failure = reason
        case .subscribed: line.subscribed += 1
        case .lost(let reason):
            line.subscribed -= 1
            line.lost += 1
            line.reason = reason
        case .refused(let reason): line.reason = reason
        case .stopped:
            stopped += 1
            if stopped == threads.count { loop.stop() }
            return
        }
        if !timer.isSet { timer.set(after: Self.interval) }
    }

    private func write() {
        let bytes = line.bytes
        // The other process has gone: standard input ends too.
        _ = clinux_write_all(STDOUT_FILENO, bytes, bytes.count)
    }
}
