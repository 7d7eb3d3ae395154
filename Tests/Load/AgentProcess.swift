import Base
import Bus
import CLinux
import Glibc
import Settings

/// What a process with agents writes to the process that started it: a line for each change.
struct AgentCounts {
    /// Threads whose agents exist.
    var ready = 0
    /// Agents with a connection whose subscriptions the broker has answered.
    var subscribed = 0
    /// How often an agent has lost its connection since the start.
    var lost = 0
    /// Why a connection was lost, an attempt to connect has failed, or the agents can't run, the last time.
    var reason = ""

    init() {}

    init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        let numbers = words.prefix(3).compactMap { Int($0) }
        guard words.count == 4, numbers.count == 3 else { return nil }
        (ready, subscribed, lost, reason) = (numbers[0], numbers[1], numbers[2], String(words[3]))
    }

    var line: String {
        "\(ready) \(subscribed) \(lost) \(reason.split(separator: "\n").joined(separator: " "))\n"
    }
}

/// A process with a share of the agents. They start with the first byte of standard input, and stop with its
/// end.
final class AgentProcess {
    /// Agents of one thread. Each turn of a loop passes all descriptors of its agents to the kernel.
    static let agentsPerThread = 25
    /// At most so often does it write a line.
    private static let interval = Duration.milliseconds(50)
    /// The broker and the process that counts run first: the agents of a real fleet have machines of their
    /// own.
    private static let niceness: Int32 = 10

    private let loop = EventLoop()
    private let reports: Inbox<AgentThread.Report>
    private var threads: [AgentThread] = []
    private var counts = AgentCounts()
    private var stopped = 0
    private lazy var timer = loop.timer { [unowned self] in
        let line = Array(counts.line.utf8)
        _ = clinux_write_all(STDOUT_FILENO, line, line.count)
    }

    init() throws { reports = try Inbox() }

    func run(_ agents: [AgentSettings]) throws {
        signal(SIGPIPE, SIG_IGN)
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        reports.attach(to: loop) { [unowned self] in received($0) }
        loop.watch(STDIN_FILENO) { [unowned self] _ in readOrder() }
        let reports = reports
        threads = try stride(from: 0, to: agents.count, by: Self.agentsPerThread).map { start in
            let share = Array(agents[start..<min(start + Self.agentsPerThread, agents.count)])
            return try AgentThread(share) { reports.send($0) }
        }
        loop.run()
    }

    private func readOrder() {
        var byte: UInt8 = 0
        let count = read(STDIN_FILENO, &byte, 1)
        if count < 0 && errno == EINTR { return }
        if count <= 0 { loop.unwatch(STDIN_FILENO) }
        for thread in threads { thread.send(count == 1 ? .start : .stop) }
    }

    private func received(_ report: AgentThread.Report) {
        switch report {
        case .made: counts.ready += 1
        case .failed(let reason), .refused(let reason): counts.reason = reason
        case .subscribed: counts.subscribed += 1
        case .lost(let reason):
            counts.subscribed -= 1
            counts.lost += 1
            counts.reason = reason
        case .stopped:
            stopped += 1
            if stopped == threads.count { loop.stop() }
            return
        }
        if !timer.isSet { timer.set(after: Self.interval) }
    }
}
