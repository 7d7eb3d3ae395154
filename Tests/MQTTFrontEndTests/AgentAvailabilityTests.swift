import Base
import TestSupport
import Testing

@testable import Bus
@testable import Contract
@testable import FrontEnds
@testable import Settings

struct AgentAvailabilityTests {
    private static let topic = "v4l2mqtt/porch/availability"

    private final class Bench {
        private let time = VirtualTime()
        let bus = CollectingBus()
        let availability: AgentAvailability

        init(keepAlive: Int = 15, agent: String = "porch") {
            let settings = AgentSettings(
                agent: agent, mqtt: MQTTSettings(keepAlive: keepAlive),
                cameras: [CameraSettings(id: "door")])
            availability = AgentAvailability(MQTTFrontEnd(settings, to: bus), on: time.loop)
        }

        var messages: [CollectingBus.Message] { bus.messages(on: AgentAvailabilityTests.topic) }

        func advance(by duration: Duration) { time.advance(by: duration) }
    }

    @Test func onlineIsRenewedInTimeAndTheBrokerForgetsItAfterThreeRenewals() {
        let bench = Bench()
        bench.availability.publish(.online, boot: 7)
        let text = #"{"boot":7,"renew_s":60,"state":"online"}"#
        #expect(bench.messages.map(\.json) == [JSONValue([UInt8](text.utf8))])
        #expect(bench.messages[0].properties?.expiry == 180)
        bench.advance(by: .seconds(60))
        #expect(bench.messages.count == 2 && bench.messages[1].payload == bench.messages[0].payload)
        #expect(bench.messages[1].properties?.expiry == 180)
        bench.advance(by: .seconds(600))
        #expect(bench.messages.count == 12)
    }

    /// A thousand agents that start at the same moment: each tenth of the period has about a tenth of their
    /// renewals.
    @Test func agentsThatStartTogetherDoNotRenewTogether() {
        var tenths = [Int](repeating: 0, count: 10)
        for number in 0..<1_000 {
            let bench = Bench(agent: "cam\(number)")
            bench.availability.publish(.online, boot: 7)
            for tenth in 0..<10 {
                let before = bench.bus.messages.count
                bench.advance(by: .seconds(6))
                tenths[tenth] += bench.bus.messages.count - before
            }
        }
        #expect(tenths.reduce(0, +) == 1_000 && tenths.allSatisfy { (65...135).contains($0) }, "\(tenths)")
    }

    @Test func withoutAConnectionNothingIsRenewed() {
        let bench = Bench()
        bench.availability.publish(.online, boot: 7)
        bench.bus.isConnected = false
        bench.advance(by: .seconds(300))
        #expect(bench.messages.count == 1)
        bench.bus.isConnected = true
        bench.advance(by: .seconds(60))
        #expect(bench.messages.count == 2)
    }

    @Test func anAgentThatStopsRenewsNothingAndNeverExpires() {
        let bench = Bench()
        bench.availability.publish(.online, boot: 7)
        bench.availability.publish(.stopped, boot: 7)
        bench.advance(by: .seconds(300))
        #expect(bench.messages.count == 2 && bench.messages[1].properties == nil)
        #expect(!bench.messages[1].text.contains("renew_s"))
    }

    /// Ten thousand agents with the default send 167 messages a second, a quarter of their pings.
    @Test(arguments: [(5, 60), (15, 60), (30, 60), (60, 120), (65_535, 131_070)])
    func thePeriodFollowsTheKeepAliveInterval(keepAlive: Int, period: Int) {
        #expect(AgentAvailability.period(keepAlive: keepAlive) == period)
    }

    @Test func theLifetimeIsThatOfAnAgentThatIsOnline() {
        #expect(Availability(.online, boot: 1, renewSeconds: 60).lifetimeSeconds == 180)
        #expect(Availability(.online, boot: 1).lifetimeSeconds == nil, "an earlier version")
        #expect(Availability(.offline, boot: 1, renewSeconds: 60).lifetimeSeconds == nil)
        #expect(Availability(.online, renewSeconds: 0).lifetimeSeconds == nil)
        #expect(Availability(.online, renewSeconds: .max).lifetimeSeconds ?? 0 > 0)
    }
}
