internal import CLinux
internal import Glibc

/// Another program that runs for this one, and ends with it, however it ends.
package struct BoundProcess {
    private let process: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the program first; without a slash it is searched in `PATH`.
    ///   - log: the descriptor for its output.
    ///   - start: starts it; its process id, or -errno. For tests.
    /// - Throws: if the system has no room for a process. A program that is not there ends at once.
    package init(
        _ arguments: [String], log: Int32,
        start: ([UnsafePointer<CChar>?], Int32) -> Int32 = { clinux_start_bound($0, $1) }
    ) throws(LoopError) {
        var words: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        words.append(nil)
        process = start(words, log)
        // A negative number in place of a process would name a group of processes.
        guard process > 0 else { throw LoopError(call: "fork", code: -process) }
    }

    /// Whether it has not ended by itself.
    package var isRunning: Bool {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == 0
    }

    /// Ends it, and waits for it.
    ///
    /// The signal is sent again each second: a program can miss it between the installation of its handler
    /// and the start of its loop, as mosquitto does, whose start resets the mark that the handler has set.
    package func end() {
        repeat { kill(process, SIGTERM) } while !hasEnded(within: .seconds(1))
    }

    private func hasEnded(within limit: Duration) -> Bool {
        let deadline = ContinuousClock.now + limit
        while isRunning {
            guard ContinuousClock.now < deadline else { return false }
            usleep(5_000)
        }
        return true
    }

    /// Waits until it has ended.
    package func wait() {
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }
}
