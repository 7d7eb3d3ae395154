package import Base

/// An event loop and the clock that a test moves by hand.
package struct VirtualTime {
    package let clock: ManualClock
    package let loop: EventLoop
    /// Turns of the loop in one call of ``advance(by:)``.
    private static let maxTurns = 1_000_000

    package init() {
        clock = ManualClock()
        loop = EventLoop(clock: clock)
    }

    /// Lets time pass, from timer to timer.
    package func advance(by time: Duration) {
        let end = clock.now.advanced(by: time)
        var turns = 0
        while let next = loop.nextTimer, next <= end {
            turns += 1
            precondition(turns < Self.maxTurns, "timers fire without end")
            clock.advance(to: max(next, clock.now))
            loop.runOnce(timeout: .zero)
        }
        clock.advance(to: end)
    }
}
