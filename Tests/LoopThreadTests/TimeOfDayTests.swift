import Base
import Glibc
import Testing

/// What the kernel tells of the time of day. Nothing here sets the clock of the machine.
struct TimeOfDayTests {
    @Test func theErrorOfASynchronisedClockIsBelowSixteenSeconds() {
        if let error = TimeOfDay.error { #expect(.zero <= error && error < .seconds(16)) }
    }

    @Test func stepsAreObserved() throws {
        let loop = EventLoop()
        var count = 0
        let steps = try ClockSteps(on: loop) { count += 1 }
        loop.runOnce(timeout: .zero)
        withExtendedLifetime(steps) { #expect(count == 0) }
    }

    /// Tests that run at the same time have observers too, but not so many.
    @Test func theReleaseClosesTheDescriptor() throws {
        let loop = EventLoop()
        let before = observers
        for _ in 0..<100 { _ = try ClockSteps(on: loop) {} }
        #expect(observers < before + 50)
    }

    /// The number of this process's descriptors that tell of a step: timers that are cancelled by it.
    private var observers: Int {
        (0..<4_096 as Range<Int32>).count { descriptor in
            guard fcntl(descriptor, F_GETFD) >= 0,
                let info = try? Files.read("/proc/self/fdinfo/\(descriptor)")
            else { return false }
            return String(decoding: info, as: UTF8.self).contains("settime flags: 03")
        }
    }
}
