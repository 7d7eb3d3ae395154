import Base
import CLinux
import Glibc

/// A process with agents, as the process sees it that started it.
final class StartedProcess {
    private let connection: Int32
    private let loop: EventLoop
    private var unread: [UInt8] = []
    private(set) var counts = AgentCounts()
    private(set) var hasEnded = false
    let process: Int32

    /// - Parameter arguments: the program first.
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

    deinit {
        if !hasEnded { loop.unwatch(connection) }
        close(connection)
    }

    func start() { _ = send(connection, "g", 1, Int32(MSG_NOSIGNAL)) }
    func stop() { shutdown(connection, Int32(SHUT_WR)) }

    /// Ends it if it has not ended, and waits for it.
    func end() {
        if !hasEnded { kill(process, SIGKILL) }
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    private func readLines() {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(connection, &bytes, bytes.count)
        if count < 0 && errno == EINTR { return }
        if count <= 0 {
            hasEnded = true
            return loop.unwatch(connection)
        }
        unread += bytes[..<count]
        var lines = unread.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        unread = Array(lines.removeLast())
        if let last = lines.last.flatMap({ AgentCounts(String(decoding: $0, as: UTF8.self)) }) {
            counts = last
        }
    }
}
