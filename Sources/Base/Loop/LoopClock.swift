/// Where an ``EventLoop`` has its time from.
package enum LoopClock {
    /// The system's monotonic clock.
    case system
    /// A clock that stands still until a test moves it.
    case manual(ManualClock)

    /// The present time.
    var now: ContinuousClock.Instant {
        switch self {
        case .system: .now
        case .manual(let clock): clock.now
        }
    }
}

/// A clock for tests: its time changes only by ``advance(by:)`` and ``advance(to:)``. It belongs to one
/// loop's thread.
package final class ManualClock {
    package private(set) var now: ContinuousClock.Instant

    /// Begins at the system's present time.
    package init() { now = .now }

    /// - Parameter time: at least zero.
    package func advance(by time: Duration) { advance(to: now.advanced(by: time)) }

    /// A time before the present one is ignored: time never goes back.
    package func advance(to instant: ContinuousClock.Instant) { now = max(now, instant) }
}
