internal import CLinux
internal import Glibc

/// A value that threads share. A thread can wait until it satisfies a condition.
///
/// `@unchecked Sendable`: the value is touched under the mutex only.
package final class Monitor<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        // Waits are measured by the monotonic clock: a step of the wall clock must not delay or hasten them.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Changes the value and wakes all waiting threads. The body gets the monotonic time in nanoseconds.
    package func change<Answer, Failure: Error>(
        _ body: (inout Value, UInt64) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
        return try body(&value, Self.now())
    }

    /// Changes the value, and wakes all waiting threads if the body returns true. The body gets the monotonic
    /// time in nanoseconds.
    package func update(_ body: (inout Value, UInt64) -> Bool) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if body(&value, Self.now()) { pthread_cond_broadcast(changed) }
    }

    /// What a body of ``wait(_:)`` has decided.
    package enum Decision<Answer> {
        case answer(Answer)
        /// The body is to be called again after a change, or at this time.
        case wait(until: UInt64?)
    }

    /// Calls the body, after each change and at the times that it returns, until it returns an answer.
    package func wait<Answer>(_ body: (inout Value, UInt64) -> Decision<Answer>) -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch body(&value, Self.now()) {
            case .answer(let answer):
                return answer
            case .wait(until: nil):
                pthread_cond_wait(changed, mutex)
            case .wait(until: .some(let time)):
                var deadline = timespec(
                    tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
                pthread_cond_timedwait(changed, mutex, &deadline)
            }
        }
    }

    /// The monotonic time in nanoseconds.
    package static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
