import Base
import Testing

@testable import Bus

@Suite struct SpreadTests {
    @Test func aClientWaitsForTheSameTimeInEachRun() {
        #expect(Spread(seconds: 60, of: "v4l2mqtt-porch").wait == .milliseconds(27_773))
        #expect(Spread(seconds: 120, of: "v4l2mqtt-porch").wait / .milliseconds(27_773) > 1.999)
        #expect(Spread(seconds: 0, of: "v4l2mqtt-porch").wait == .zero)
        #expect(Spread.none.wait == .zero)
    }

    /// Ten thousand names that differ in their last digits only: each tenth of the time has about a tenth of
    /// them.
    @Test func theWaitsOfAFleetAreEvenlyDistributed() {
        var tenths = [Int](repeating: 0, count: 10)
        for number in 0..<10_000 {
            let wait = Spread(seconds: 60, of: "v4l2mqtt-cam\(number)").wait
            #expect(wait < .seconds(60))
            tenths[Int(wait / .seconds(6))] += 1
        }
        #expect(tenths.allSatisfy { (850...1_150).contains($0) }, "\(tenths)")
    }

    @Test func onlyAGoodConnectionIsFollowedByAWait() {
        let spread = Spread(seconds: 60, of: "a")
        #expect(spread.wait > .zero)
        #expect(spread.wait(afterConnectionOf: HostPlan.stableAfter) == spread.wait)
        #expect(spread.wait(afterConnectionOf: HostPlan.stableAfter - .milliseconds(1)) == .zero)
    }
}
