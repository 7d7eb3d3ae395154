import Base
import TestSupport
import Testing

@testable import Agent
@testable import Contract

/// What an agent says of the machine's clock, and when.
struct MachineClockTests {
    private final class Kernel {
        var error: Duration?
        var changes = 0
    }

    private let manual = ManualClock()
    private let loop: EventLoop
    private let kernel = Kernel()

    init() { loop = EventLoop(clock: manual) }

    private func clock(error: Duration?) -> MachineClock {
        kernel.error = error
        let clock = MachineClock(on: loop) { [kernel] in kernel.error }
        clock.changed = { [kernel] in kernel.changes += 1 }
        clock.start()
        return clock
    }

    private func aMinutePasses() {
        manual.advance(by: .seconds(60))
        loop.runOnce(timeout: .zero)
    }

    @Test func aClockWithoutSynchronisationHasNoError() {
        let clock = clock(error: nil)
        #expect(!clock.isSynchronized && clock.published.errorMilliseconds == nil)
        kernel.error = .microseconds(1_500)
        #expect(clock.isSynchronized && kernel.changes == 1)
        #expect(clock.published.errorMilliseconds == 1.5)
    }

    /// The error grows by 30 ms in a minute, and falls back.
    @Test func onlyAMaterialChangeOfTheErrorIsPublished() {
        let clock = clock(error: .milliseconds(10))
        for error in [39, 12, 10, 9] {
            kernel.error = .milliseconds(error)
            aMinutePasses()
        }
        #expect(kernel.changes == 0 && clock.published.errorMilliseconds == 10)
        kernel.error = .milliseconds(40)
        aMinutePasses()
        #expect(kernel.changes == 1 && clock.published.errorMilliseconds == 40)
        kernel.error = .milliseconds(10)
        aMinutePasses()
        #expect(kernel.changes == 2)
        kernel.error = nil
        aMinutePasses()
        #expect(kernel.changes == 3 && !clock.published.isSynchronized)
    }

    @Test func smallErrorsAreEqual() {
        let clock = clock(error: .microseconds(10))
        kernel.error = .microseconds(3_900)
        aMinutePasses()
        withExtendedLifetime(clock) { #expect(kernel.changes == 0) }
    }
}
