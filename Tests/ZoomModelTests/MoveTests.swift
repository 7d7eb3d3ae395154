import Glibc
import TestSupport
import Testing
import ZoomModel

/// Moves, which last as long as a button is held.
struct MoveTests {
    var harness = ZoomHarness()

    private mutating func move(_ velocity: Double, for timeout: Duration = .seconds(1)) -> Ticket {
        harness.send(.move(velocity: velocity, timeout: timeout))
    }

    @Test(arguments: [8, 10, 100, 900]) mutating func aRenewedMoveContinuesEvenly(milliseconds: Int) {
        let renewals = 1200 / milliseconds
        for _ in 0..<renewals {
            _ = move(1)
            harness.run(.milliseconds(milliseconds))
            #expect(harness.model.snapshot.ramping)
        }
        _ = move(1, for: .milliseconds(500))
        harness.run(.seconds(1))
        #expect(near(harness.factor, exp2(Double(renewals * milliseconds) / 1000 + 0.5)))
    }

    @Test mutating func aRenewedMoveContinuesWithASlowLens() {
        harness = ZoomHarness(opticalMax: 8, lens: FakeLens(latency: .milliseconds(50)))
        for _ in 0..<100 {
            _ = move(1)
            harness.run(.milliseconds(10))
        }
        harness.send(.stop)
        harness.run(.seconds(1))
        #expect(harness.factor == harness.lensFactor)
        #expect(exp2(0.85)...2 ~= harness.factor)
    }

    /// Only a move has a velocity; a ramp has a target.
    @Test(arguments: [0.5, -0.5]) mutating func theStateHasTheVelocityDuringAMoveOnly(velocity: Double) {
        harness.zoom(to: 2)
        #expect(harness.model.snapshot.velocity == nil)
        _ = move(velocity)
        #expect(harness.states.last?.zoom.velocity == velocity)
        harness.run(.milliseconds(300))
        #expect(harness.model.snapshot.velocity == velocity)
        harness.send(.stop)
        #expect(harness.states.last?.zoom.velocity == nil)
        _ = move(velocity)
        harness.run(.seconds(2))
        #expect(harness.states.last?.zoom.velocity == nil)
        harness.send(.go(ZoomGoal(.factor(4), rate: 1)))
        #expect(harness.model.snapshot.velocity == nil)
    }

    @Test mutating func aMoveInTheOtherDirectionTurnsAtOnce() {
        _ = move(1)
        harness.run(.milliseconds(800))
        _ = move(-1)
        harness.run(.milliseconds(300))
        #expect(harness.model.snapshot.factor < exp2(0.52))
    }

    @Test(arguments: [(8.0, 8.0), (-8, 1)]) mutating func aMoveEndsAtTheEndOfTheRange(
        velocity: Double, end: Double
    ) {
        harness.zoom(to: 2)
        let ticket = move(velocity, for: .seconds(10))
        harness.run(.seconds(1))
        #expect(harness.factor == end)
        #expect(harness.statuses(ticket) == [.done], "it does not wait for the timeout")
        _ = move(velocity)
        #expect(harness.lastStatuses == [.done])
    }

    @Test mutating func aMoveWithVelocityZeroIsAStop() {
        harness.zoom(to: 8, rate: 1)
        harness.run(.seconds(1))
        _ = move(0)
        #expect(harness.lastAnswers == [ZoomAnswer(.done)])
        #expect(harness.model.isSettled)
        #expect(near(harness.factor, 2, within: 0.02))
    }

    @Test mutating func aVelocityOutOfRangeIsClamped() {
        let fast = move(1e308, for: .seconds(10))
        harness.run(.seconds(1))
        #expect(harness.factor == 8)
        #expect(harness.answers[fast] == [ZoomAnswer(.done, clamped: true)])
        _ = move(-1e-300)
        #expect(harness.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        #expect(harness.factor == 8)
    }
}
