internal import CLinux
internal import Glibc

/// Signals an eventfd when a descriptor of an ``EventLoop`` is ready, so that another event loop can run it.
///
/// The other loop watches the eventfd and calls ``EventLoop/runOnce(timeout:)`` with a limit of zero for each
/// signal, and when ``EventLoop/nextTimer`` is due. Afterwards it calls ``signalWhenReady()``.
///
/// The kernel itself signals the eventfd: no thread sleeps in between, so that only the other loop's thread
/// is woken. Where asynchronous I/O is forbidden, as in some containers, a thread waits instead.
package final class LoopReadiness {
    /// What waits for the epoll instance.
    package enum Method: Sendable {
        /// Linux's asynchronous I/O.
        case kernel
        /// A thread of its own.
        case thread
    }

    /// What is used.
    var method: Method { waitingThread == nil ? .kernel : .thread }

    private let loop: EventLoop
    private let epoll: Int32
    private let signal: Int32
    private var asynchronousIO: UInt = 0
    private var waitingThread: WaitingThread?
    /// Whether the eventfd will be signalled.
    private var isWaiting = false
    private struct Registration: Equatable {
        /// A descriptor that was closed and opened again has another watch, and is new to epoll.
        let watch: EventLoop.WatchNumber
        let interest: EventLoop.Interest
    }

    /// The descriptors of the epoll instance.
    private var registered: [Int32: Registration] = [:]

    /// - Parameter preferred: `.thread` does without asynchronous I/O.
    /// - Throws: ``LoopError`` when the process is out of descriptors.
    package init(of loop: EventLoop, preferring preferred: Method = .kernel) throws(LoopError) {
        self.loop = loop
        signal = clinux_eventfd()
        if signal < 0 { throw LoopError(call: "eventfd", code: -signal) }
        epoll = clinux_epoll()
        // `deinit` closes what was opened.
        if epoll < 0 { throw LoopError(call: "epoll_create1", code: -epoll) }
        if preferred == .thread || clinux_aio_setup(&asynchronousIO) < 0 { try useThread() }
    }

    deinit {
        waitingThread?.stop()
        if asynchronousIO != 0 { clinux_aio_destroy(asynchronousIO) }
        for descriptor in [epoll, signal] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func useThread() throws(LoopError) {
        waitingThread = try WaitingThread(for: epoll, signalling: signal)
    }

    /// A new descriptor of the eventfd, which the caller closes.
    ///
    /// - Throws: ``LoopError`` when the process is out of descriptors.
    package func makeDescriptor() throws(LoopError) -> Int32 {
        let descriptor = fcntl(signal, F_DUPFD_CLOEXEC, 0)
        if descriptor < 0 { throw LoopError(call: "fcntl", code: errno) }
        return descriptor
    }

    /// To be called when the eventfd was signalled, before the loop runs.
    package func signalled() { isWaiting = false }

    /// Signals the eventfd as soon as a descriptor is ready. To be called after each run of the loop, and
    /// after each call that may have changed what the loop watches.
    package func signalWhenReady() {
        updateInterests()
        if isWaiting { return }
        isWaiting = true
        if let waitingThread { return waitingThread.wait() }
        if clinux_aio_signal_once(asynchronousIO, epoll, signal) == 0 { return }
        // A context that refuses a wait that fits refuses all. Without a thread, the next call tries again.
        do {
            try useThread()
            waitingThread?.wait()
        } catch {
            isWaiting = false
        }
    }

    private func updateInterests() {
        var watched = 0
        loop.forEachInterest { descriptor, watch, interest in
            watched += 1
            let registration = Registration(watch: watch, interest: interest)
            if registered[descriptor] == registration { return }
            registered[descriptor] = registration
            _ = clinux_epoll_set(epoll, descriptor, UInt32(UInt16(bitPattern: interest.rawValue)))
        }
        if watched < registered.count { removeUnwatched() }
    }

    private func removeUnwatched() {
        var gone = Set(registered.keys)
        loop.forEachInterest { descriptor, _, _ in gone.remove(descriptor) }
        for descriptor in gone {
            registered[descriptor] = nil
            clinux_epoll_remove(epoll, descriptor)
        }
    }
}

/// A thread that signals an eventfd when a descriptor is readable: once for each call of `wait()`.
private final class WaitingThread: Sendable {
    private let begin: Inbox<Void>
    private let end: Inbox<Void>
    private let thread: Thread

    init(for descriptor: Int32, signalling signal: Int32) throws(LoopError) {
        let (begin, end) = (try Inbox<Void>(), try Inbox<Void>())
        thread = try Thread(name: "readiness") {
            let loop = EventLoop()
            begin.attach(to: loop) { [unowned loop] in
                loop.watch(descriptor) { [unowned loop] _ in
                    loop.unwatch(descriptor)
                    clinux_eventfd_signal(signal)
                }
            }
            end.attach(to: loop) { [unowned loop] in loop.stop() }
            loop.run()
        }
        (self.begin, self.end) = (begin, end)
    }

    func wait() { begin.send(()) }

    func stop() {
        end.send(())
        thread.join()
    }
}
