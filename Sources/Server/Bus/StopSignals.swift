internal import Glibc

/// The signals that end a server. The main thread waits for them; no other thread gets them.
package struct StopSignals {
    private var set = sigset_t()

    /// To be made before other threads are.
    package init() {
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM] { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for a signal.
    ///
    /// - Parameter seconds: the longest time; nil: without a limit.
    /// - Returns: whether one came.
    package mutating func wait(seconds: Int? = nil) -> Bool {
        guard let seconds else {
            var signal: Int32 = 0
            return sigwait(&set, &signal) == 0
        }
        var time = timespec(tv_sec: seconds, tv_nsec: 0)
        return sigtimedwait(&set, nil, &time) > 0
    }
}
