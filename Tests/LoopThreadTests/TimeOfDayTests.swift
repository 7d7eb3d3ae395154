import Base
import Glibc
import Testing

/// What the kernel tells of the time of day. Nothing here sets the clock of the machine.
struct TimeOfDayTests {
    @Test func theErrorOfASynchronisedClockIsBelowSixteenSeconds() {
        if let error = TimeOfDay.error { #expect(.zero <= error && error < .seconds(16)) }
    }

    @Test func stepsAreObservedUntilTheRelease() throws {
        let loop = EventLoop()
        var count = 0
        let descriptors = openDescriptors
        var steps: ClockSteps? = try ClockSteps(on: loop) { count += 1 }
        #expect(openDescriptors == descriptors + 1)
        loop.runOnce(timeout: .zero)
        withExtendedLifetime(steps) { #expect(count == 0) }
        steps = nil
        #expect(openDescriptors == descriptors)
    }

    private var openDescriptors: Int { (0..<256).count { fcntl($0, F_GETFD) >= 0 } }
}
