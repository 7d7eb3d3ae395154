import Base
import Testing

@testable import Bus

@Suite struct SpreadTests {
    @Test func aClientWaitsForTheSameTimeInEachRun() {
        #expect(Spread.wait(seconds: 60, of: "v4l2mqtt-porch") == .milliseconds(27_773))
        #expect(Spread.wait(seconds: 120, of: "v4l2mqtt-porch") / .milliseconds(27_773) > 1.999)
        #expect(Spread.wait(seconds: 0, of: "v4l2mqtt-porch") == .zero)
    }

    /// Ten thousand names that differ in their last digits only: each tenth of the time has about a tenth of
    /// them.
    @Test func theWaitsOfAFleetAreEvenlyDistributed() {
        var tenths = [Int](repeating: 0, count: 10)
        for number in 0..<10_000 {
            let wait = Spread.wait(seconds: 60, of: "v4l2mqtt-cam\(number)")
            #expect(wait < .seconds(60))
            tenths[Int(wait / .seconds(6))] += 1
        }
        #expect(tenths.allSatisfy { (850...1_150).contains($0) }, "\(tenths)")
    }
}
