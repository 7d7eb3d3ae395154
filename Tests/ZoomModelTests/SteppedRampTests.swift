import Glibc
import TestSupport
import Testing
import ZoomModel

/// A ramp of a lens that stops at multiples of a step only: with real drivers the guest tests show the order
/// of the steps, and only here, where no machine is too busy, that none is left out.
struct SteppedRampTests {
    private static let step = 0.05
    var harness = ZoomHarness(opticalMax: 3, lens: FakeLens(step: step))

    @Test(arguments: [0.1, 0.4, 1.5]) mutating func itTakesEachStepInOrderAndInItsTime(rate: Double) {
        var steps: [(number: Int, time: Duration)] = []
        harness.zoom(to: 2, rate: rate)
        let end = Duration.seconds(1 / rate)
        while harness.time < end + .milliseconds(100) {
            let number = Int((harness.lensFactor / Self.step).rounded())
            if number != steps.last?.number ?? 20 { steps.append((number, harness.time)) }
            harness.run(.milliseconds(1))
        }
        #expect(steps.map(\.number) == Array(21...40))
        for step in steps {
            let due = log2(Double(step.number) * Self.step) / rate
            let late = step.time / .seconds(1) - due
            // A step is due with the next tick of the ramp.
            #expect((-0.001...0.04).contains(late), "step \(step.number) is \(late) s late")
        }
    }
}
