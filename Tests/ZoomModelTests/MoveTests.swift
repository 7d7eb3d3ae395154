import Glibc
import Testing
import ZoomModel

/// A zoom that goes on as long as a button is held.
struct MoveTests {
    var bench = Bench()

    private mutating func move(_ velocity: Double, for timeout: Duration = .seconds(1)) -> Ticket {
        bench.send(.move(velocity: velocity, timeout: timeout))
    }

    @Test(arguments: [(1.0, 4.0, 500), (-0.5, 4, 1000), (2, 1, 10)])
    mutating func itEndsByItself(velocity: Double, from: Double, milliseconds: Int) {
        bench.zoom(to: from)
        let ticket = move(velocity, for: .milliseconds(milliseconds))
        // Rounding may make a ramp a billionth longer.
        bench.run(.milliseconds(milliseconds) + .microseconds(1))
        #expect(near(bench.factor, from * exp2(velocity * Double(milliseconds) / 1000)))
        #expect(bench.statuses(ticket) == [.done])
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.states.last?.zoom.target == bench.factor)
        bench.run(.seconds(5))
        #expect(bench.model.wake == nil)
    }

    @Test(arguments: [8, 10, 100, 900]) mutating func renewedInTimeItGoesOnWithoutAHitch(milliseconds: Int) {
        let renewals = 1200 / milliseconds
        for _ in 0..<renewals {
            _ = move(1)
            bench.run(.milliseconds(milliseconds))
            #expect(bench.model.snapshot.ramping)
        }
        _ = move(1, for: .milliseconds(500))
        bench.run(.seconds(1))
        #expect(near(bench.factor, exp2(Double(renewals * milliseconds) / 1000 + 0.5)))
    }

    @Test mutating func renewedItGoesOnAlsoWhenTheLensIsSlow() {
        bench = Bench(opticalMax: 8, lens: FakeLens(latency: .milliseconds(50)))
        for _ in 0..<100 {
            _ = move(1)
            bench.run(.milliseconds(10))
        }
        bench.send(.stop)
        bench.run(.seconds(1))
        #expect(bench.factor == bench.lensFactor)
        #expect(exp2(0.85)...2 ~= bench.factor)
    }

    /// Where a move is to end nobody has said; where a ramp is to end, somebody has.
    @Test(arguments: [0.5, -0.5]) mutating func itSaysHowFastUntilItIsOver(velocity: Double) {
        bench.zoom(to: 2)
        #expect(bench.model.snapshot.velocity == nil)
        _ = move(velocity)
        #expect(bench.states.last?.zoom.velocity == velocity)
        bench.run(.milliseconds(300))
        #expect(bench.model.snapshot.velocity == velocity)
        bench.send(.stop)
        #expect(bench.states.last?.zoom.velocity == nil)
        _ = move(velocity)
        bench.run(.seconds(2))
        #expect(bench.states.last?.zoom.velocity == nil)
        bench.send(.go(to: .factor(4), rate: 1, anchor: nil))
        #expect(bench.model.snapshot.velocity == nil)
    }

    @Test mutating func turningRoundIsAtOnce() {
        _ = move(1)
        bench.run(.milliseconds(800))
        _ = move(-1)
        bench.run(.milliseconds(300))
        #expect(bench.model.snapshot.factor < exp2(0.52))
    }

    @Test(arguments: [(8.0, 8.0), (-8, 1)]) mutating func itEndsAtTheEnds(velocity: Double, end: Double) {
        bench.zoom(to: 2)
        let ticket = move(velocity, for: .seconds(10))
        bench.run(.seconds(1))
        #expect(bench.factor == end)
        #expect(bench.statuses(ticket) == [.done], "it needn't wait for its time to be over")
        _ = move(velocity)
        #expect(bench.lastStatuses == [.done])
    }

    @Test mutating func aMoveWithoutVelocityIsAStop() {
        bench.zoom(to: 8, rate: 1)
        bench.run(.seconds(1))
        _ = move(0)
        #expect(bench.lastAnswers == [ZoomAnswer(.done)])
        #expect(bench.model.isSettled)
        #expect(near(bench.factor, 2, within: 0.02))
    }

    @Test mutating func aVelocityBeyondWhatIsPossibleIsClampedAndTheAnswerSaysSo() {
        let fast = move(1e308, for: .seconds(10))
        bench.run(.seconds(1))
        #expect(bench.factor == 8)
        #expect(bench.answers[fast] == [ZoomAnswer(.done, clamped: true)])
        _ = move(-1e-300)
        #expect(bench.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        #expect(bench.factor == 8)
    }
}
