/// A closure that an ``EventLoop`` calls at a time. Setting the timer again moves that time.
package final class LoopTimer {
    fileprivate let fire: () -> Void
    fileprivate let queue: TimerQueue
    fileprivate(set) var due: ContinuousClock.Instant?
    /// The timer's index in the queue's heap, while it is set. It tells more quickly than ``due`` whether the
    /// timer is set: the size of an instant is known at run time only.
    fileprivate var place: Int?
    /// Due on this turn and not yet fired: until then it may still be moved or cancelled.
    fileprivate var isFiring = false

    init(queue: TimerQueue, fire: @escaping () -> Void) {
        self.queue = queue
        self.fire = fire
    }

    /// Whether the timer will fire. Without its loop, it doesn't.
    package var isSet: Bool { place != nil || isFiring }

    /// Fires once at this time, and at no other.
    package func set(at instant: ContinuousClock.Instant) {
        queue.remove(self)
        due = instant
        queue.insert(self)
    }

    /// Fires once after this time.
    package func set(after delay: Duration) {
        set(at: queue.clock.now.advanced(by: delay))
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

/// The set timers of a loop as a binary heap, the next due on top. A timer knows its place, so it can be
/// moved.
///
/// Timers are held strongly while they are set: one that its owner released still fires once, so its closure
/// has to hold the owner weakly. A set timer and the queue refer to each other until the loop is released.
final class TimerQueue {
    let clock: LoopClock
    private var heap: [LoopTimer] = []
    private var isClosed = false

    init(clock: LoopClock) { self.clock = clock }

    var nextDue: ContinuousClock.Instant? { heap.first?.due }

    /// Without effect after ``close()``.
    func insert(_ timer: LoopTimer) {
        guard !isClosed else { return timer.due = nil }
        heap.append(timer)
        put(timer, at: heap.count - 1)
        siftUp(from: heap.count - 1)
    }

    func remove(_ timer: LoopTimer) {
        timer.isFiring = false
        guard let place = timer.place else { return }
        (timer.place, timer.due) = (nil, nil)
        let last = heap.removeLast()
        guard last !== timer else { return }
        put(last, at: place)
        siftUp(from: place)
        if let place = last.place { siftDown(from: place) }
    }

    /// Releases all timers: the loop is gone, so none fires any more.
    func close() {
        isClosed = true
        // What a timer's closure holds may cancel other timers when it is released.
        let timers = heap
        heap = []
        for timer in timers { (timer.place, timer.due) = (nil, nil) }
    }

    /// Fires what is due, in order. A timer that sets itself again to a time that has passed waits for the
    /// next turn.
    func fireDue(at now: ContinuousClock.Instant) {
        var due: [LoopTimer] = []
        while let first = heap.first, let time = first.due, time <= now {
            remove(first)
            first.isFiring = true
            due.append(first)
        }
        for timer in due where timer.isFiring {
            timer.isFiring = false
            timer.fire()
        }
    }

    private func put(_ timer: LoopTimer, at place: Int) {
        heap[place] = timer
        timer.place = place
    }

    private func isEarlier(_ a: Int, _ b: Int) -> Bool {
        guard let first = heap[a].due, let second = heap[b].due else { return false }
        return first < second
    }

    private func swap(_ a: Int, _ b: Int) {
        let held = heap[a]
        put(heap[b], at: a)
        put(held, at: b)
    }

    private func siftUp(from start: Int) {
        var place = start
        while place > 0, isEarlier(place, (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private func siftDown(from start: Int) {
        var place = start
        while true {
            var first = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isEarlier(child, first) {
                first = child
            }
            if first == place { return }
            swap(place, first)
            place = first
        }
    }
}
