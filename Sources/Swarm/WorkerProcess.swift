internal import CLinux
internal import Glibc
internal import LoopThread

/// A process with agents, as the process sees it that started it.
final class WorkerProcess {
    private let connection: Int32
    private let loop: EventLoop
    private var reader = LineReader()
    private(set) var line = WorkerLine()
    /// It has ended, or ends.
    private(set) var hasEnded = false
    let process: Int32
    /// Called when ``line`` or ``hasEnded`` has changed.
    var changed: () -> Void = {}

    /// - Parameter arguments: the program first.
    /// - Throws: `LoopError`.
    init(_ arguments: [String], on loop: EventLoop) throws {
        var words: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        words.append(nil)
        var connection: Int32 = -1
        process = clinux_start_connected(words, &connection)
        guard process > 0 else { throw LoopError(call: "fork", code: -process) }
        (self.connection, self.loop) = (connection, loop)
        loop.watch(connection) { [unowned self] _ in readLines() }
    }

    /// The connection is closed: the agents stop, and the process ends.
    deinit {
        if !hasEnded { loop.unwatch(connection) }
        close(connection)
    }

    func send(_ order: WorkerOrder) {
        var byte = order.rawValue
        // A process that has gone is found by the end of the connection.
        _ = Glibc.send(connection, &byte, 1, Int32(MSG_NOSIGNAL))
    }

    /// Waits until it has ended, after ``WorkerOrder/stop``.
    func wait() {
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Ends it without waiting for its agents.
    func kill() { Glibc.kill(process, SIGKILL) }

    private func readLines() {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(connection, &bytes, bytes.count)
        if count < 0 && errno == EINTR { return }
        if count <= 0 {
            hasEnded = true
            loop.unwatch(connection)
        } else if let last = reader.lines(in: bytes[..<count]).compactMap({ WorkerLine($0) }).last {
            line = last
        }
        changed()
    }
}
