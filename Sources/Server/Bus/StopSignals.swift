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

    package mutating func wait() {
        var signal: Int32 = 0
        sigwait(&set, &signal)
    }
}
