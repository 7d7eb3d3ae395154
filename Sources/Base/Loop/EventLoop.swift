internal import CLinux
internal import Glibc

/// One thread, one `poll`: descriptors, timers, and messages from other threads.
///
/// A loop belongs to the thread that made it and isn't `Sendable`, nor is anything that it calls: state that
/// lives on a loop needs no locks. Other threads reach it by an ``Inbox`` only.
package final class EventLoop {
    /// What a descriptor is watched for.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: Int16
        package init(rawValue: Int16) { self.rawValue = rawValue }
        /// There is something to read, or the other side closed.
        package static let readable = Interest(rawValue: Int16(POLLIN))
        /// There is room to write.
        package static let writable = Interest(rawValue: Int16(POLLOUT))
        /// There is an exceptional condition, such as an event of a V4L2 device (`POLLPRI`).
        package static let urgent = Interest(rawValue: Int16(POLLPRI))
        /// Error, hang-up or a closed descriptor: always reported, without being requested.
        package static let failed = Interest(rawValue: Int16(POLLERR | POLLHUP | POLLNVAL))
    }

    private struct Watched {
        /// No other watch of the loop has it.
        let number: UInt64
        let interest: () -> Interest
        let ready: (Interest) -> Void
    }

    private var watched: [Int32: Watched] = [:]
    private var lastNumber: UInt64 = 0
    private var polled: [pollfd] = []
    private let timers: TimerQueue
    private let clock: () -> ContinuousClock.Instant
    private var stopped = false

    /// - Parameter clock: the only source of time of this loop, of its timers and of all that runs on it. The
    ///   time never goes back.
    package init(clock: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.clock = clock
        timers = TimerQueue(clock: clock)
    }

    deinit { timers.close() }

    /// The time as timers see it: it grows steadily, whatever is done to the wall clock.
    package var now: ContinuousClock.Instant { clock() }

    /// When the next timer fires; nil: none is set.
    package var nextTimer: ContinuousClock.Instant? { timers.nextDue }

    /// Watches a descriptor until ``unwatch(_:)``.
    ///
    /// - Parameters:
    ///   - interest: called before each `poll`, so that the owner needn't report when its interest changes.
    ///   - ready: called with what happened, at most once a turn.
    package func watch(
        _ descriptor: Int32, for interest: @escaping () -> Interest = { .readable },
        ready: @escaping (Interest) -> Void
    ) {
        lastNumber += 1
        watched[descriptor] = Watched(number: lastNumber, interest: interest, ready: ready)
    }

    /// Ends the watch of a descriptor; to be called before it is closed.
    package func unwatch(_ descriptor: Int32) {
        watched[descriptor] = nil
    }

    /// A timer that isn't set yet. It calls `fire` on this loop each time that it comes due.
    package func timer(_ fire: @escaping () -> Void) -> LoopTimer {
        LoopTimer(queue: timers, fire: fire)
    }

    /// Runs until ``stop()``.
    package func run() {
        stopped = false
        while !stopped { runOnce(timeout: nil) }
    }

    /// Lets ``run()`` return after the present turn.
    package func stop() {
        stopped = true
    }

    /// One turn: waits until a descriptor is ready or a timer is due, and calls their closures.
    ///
    /// - Parameter limit: how long to wait at most; nil: without a limit. Pass zero where the loop's clock is
    ///   not the machine's: the wait itself is in real time.
    package func runOnce(timeout limit: Duration?) {
        // A variable of this function is changed without a check of exclusive access.
        var polled: [pollfd] = []
        swap(&polled, &self.polled)
        defer { self.polled = polled }
        polled.removeAll(keepingCapacity: true)
        let watchedBefore = watched
        for (descriptor, watch) in watchedBefore {
            polled.append(pollfd(fd: descriptor, events: watch.interest().rawValue, revents: 0))
        }
        var wait = timers.nextDue.map { max(.zero, now.duration(to: $0)) }
        if let limit { wait = min(limit, wait ?? limit) }
        var ready = poll(&polled, within: wait)
        for (entry, (descriptor, watch)) in zip(polled, watchedBefore) where ready > 0 && entry.revents != 0 {
            ready -= 1
            // An earlier call of this turn may have ended the watch, and begun another one of a descriptor
            // that was opened with the same number.
            if watched[descriptor]?.number == watch.number { watch.ready(Interest(rawValue: entry.revents)) }
        }
        timers.fireDue(at: now)
    }

    private func poll(_ polled: inout [pollfd], within wait: Duration?) -> Int32 {
        let count = UInt(polled.count)
        guard let wait else { return clinux_ppoll(&polled, count, nil) }
        let (seconds, attoseconds) = wait.components
        // Rounded up by a nanosecond, so that a timer is due when the wait for it is over. Without a wait the
        // thread doesn't sleep.
        let rounding = wait > .zero ? 1 : 0
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000) + rounding)
        if time.tv_nsec >= 1_000_000_000 { time = timespec(tv_sec: time.tv_sec + 1, tv_nsec: 0) }
        return clinux_ppoll(&polled, count, &time)
    }
}
