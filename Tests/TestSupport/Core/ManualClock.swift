package import Base

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

extension EventLoop {
    /// A loop whose time a test moves by hand.
    package convenience init(clock: ManualClock) { self.init { clock.now } }
}
