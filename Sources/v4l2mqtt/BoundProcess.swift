internal import CLinux
internal import Glibc

/// Another program that runs for this one, and ends with it, however it ends.
struct BoundProcess {
    private let process: Int32

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the program first; without a slash it is searched in `PATH`.
    ///   - log: the descriptor for its output.
    init(_ arguments: [String], log: Int32) {
        var words: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        words.append(nil)
        process = clinux_start_bound(words, log)
    }

    /// Whether it has not ended by itself.
    var isRunning: Bool {
        var status: Int32 = 0
        return waitpid(process, &status, WNOHANG) == 0
    }

    /// Ends it, and waits for it.
    func end() {
        kill(process, SIGTERM)
        wait()
    }

    /// Waits until it has ended.
    func wait() {
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }
}
