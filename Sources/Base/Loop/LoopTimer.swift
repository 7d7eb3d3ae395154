/// A closure that an ``EventLoop`` calls at a time. Setting the timer again moves that time.
package final class LoopTimer {
    fileprivate enum Phase {
        case unset
        case waiting
        /// Due on this turn and not yet fired: until then it may still be moved or cancelled.
        case firing
    }

    fileprivate let fire: () -> Void
    fileprivate let queue: TimerQueue
    fileprivate(set) var due: ContinuousClock.Instant?
    /// It tells more quickly than ``due`` whether the timer is set: the size of an instant is known at run
    /// time only.
    fileprivate var phase = Phase.unset

    init(queue: TimerQueue, fire: @escaping () -> Void) {
        self.queue = queue
        self.fire = fire
    }

    /// Whether the timer will fire. Without its loop, it doesn't.
    package var isSet: Bool { phase != .unset }

    /// Fires once at this time, and at no other.
    package func set(at instant: ContinuousClock.Instant) {
        queue.remove(self)
        queue.insert(self, at: instant)
    }

    /// Fires once after this time.
    package func set(after delay: Duration) {
        set(at: queue.clock().advanced(by: delay))
    }

    /// Fires at this time, or, without one, not at all.
    package func set(at instant: ContinuousClock.Instant?) {
        guard let instant else { return cancel() }
        if due != instant { set(at: instant) }
    }

    /// Doesn't fire any more.
    package func cancel() {
        queue.remove(self)
    }
}

/// The set timers of a loop, sorted, the next due last. Those of one time fire in the order in which they
/// were set.
///
/// Timers are held strongly while they are set: one that its owner released still fires once, so its closure
/// has to hold the owner weakly. A set timer and the queue refer to each other until the loop is released.
final class TimerQueue {
    let clock: () -> ContinuousClock.Instant
    private var timers: [LoopTimer] = []
    private var isClosed = false

    init(clock: @escaping () -> ContinuousClock.Instant) { self.clock = clock }

    var nextDue: ContinuousClock.Instant? { timers.last?.due }

    /// Without effect after ``close()``.
    func insert(_ timer: LoopTimer, at due: ContinuousClock.Instant) {
        if isClosed { return }
        (timer.due, timer.phase) = (due, .waiting)
        timers.insert(timer, at: firstPlace(notAfter: due))
    }

    func remove(_ timer: LoopTimer) {
        defer { (timer.due, timer.phase) = (nil, .unset) }
        guard timer.phase == .waiting, let due = timer.due else { return }
        guard let place = timers[firstPlace(notAfter: due)...].firstIndex(where: { $0 === timer }) else {
            return
        }
        timers.remove(at: place)
    }

    /// Releases all timers: the loop is gone, so none fires any more.
    func close() {
        isClosed = true
        // What a timer's closure holds may cancel other timers when it is released.
        let timers = timers
        self.timers = []
        for timer in timers { (timer.due, timer.phase) = (nil, .unset) }
    }

    /// Fires what is due, in order. A timer that sets itself again to a time that has passed waits for the
    /// next turn.
    func fireDue(at now: ContinuousClock.Instant) {
        let first = firstPlace(notAfter: now)
        guard first < timers.count else { return }
        let due = Array(timers[first...].reversed())
        timers.removeSubrange(first...)
        for timer in due { (timer.due, timer.phase) = (nil, .firing) }
        for timer in due where timer.phase == .firing {
            timer.phase = .unset
            timer.fire()
        }
    }

    /// The place of the first timer that is due at this time or before it.
    private func firstPlace(notAfter time: ContinuousClock.Instant) -> Int {
        var (low, high) = (0, timers.count)
        while low < high {
            let middle = (low + high) / 2
            if let due = timers[middle].due, due > time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
