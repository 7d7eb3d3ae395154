internal import CLinux
internal import Glibc

/// A POSIX thread, joined at most once.
///
/// Swift's own thread pool is made for work that doesn't block; blocking work gets a thread of its own. No
/// signal is delivered to it.
package struct Thread: Sendable {
    private let handle: pthread_t

    /// The scheduling priority of a thread.
    package enum Priority: Sendable {
        /// That of the process, for work that the reaction to a command waits for.
        case process
        /// Nice 0 where the process has a higher priority: for work that takes the processor or waits for a
        /// disk. A lower priority of the process stays.
        case normal
    }

    /// Starts `body` on a new thread with a name of at most 15 bytes.
    package init(
        name: String, priority: Priority = .process, body: @escaping @Sendable () -> Void
    ) throws(LoopError) {
        let start = Unmanaged.passRetained(
            Start {
                clinux_name_this_thread(String(name.prefix(15)))
                // Threads that this one starts, such as those of a codec, inherit it.
                if priority == .normal { clinux_lower_priority_to_normal() }
                body()
            })
        var handle = pthread_t()
        // A new thread inherits the signal mask: with all signals blocked, only the main thread's signalfd
        // receives them.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let code = pthread_create(&handle, nil, runThread, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            start.release()
            throw LoopError(call: "pthread_create", code: code)
        }
        self.handle = handle
    }

    /// Lets the system free the thread's resources when it ends; instead of ``join()``.
    package func detach() {
        pthread_detach(handle)
    }

    /// Waits until the thread has ended.
    package func join() {
        pthread_join(handle, nil)
    }
}

/// The start argument of a new thread, which takes over the only reference to it.
private final class Start {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
    return nil
}
