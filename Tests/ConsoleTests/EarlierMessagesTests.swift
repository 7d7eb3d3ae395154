import Testing

@testable import Bus
@testable import Contract
@testable import Server

/// What was removed from the broker while the console had no connection.
@Suite struct EarlierMessagesTests {
    private func reconnect(_ bench: Bench) {
        bench.console.brokerDisconnected()
        bench.connect()
    }

    private func cameras(_ connection: RecordedConnection) -> [String] {
        defer { _ = connection.newTexts() }
        return connection.texts("cameras")
    }

    @Test func anAgentThatDoesNotComeAgainDisappears() {
        let bench = Bench()
        bench.add("porch/door", "yard/gate")
        let (page, connection) = bench.open()
        bench.receive(#"{"watch":[{"camera":"yard/gate","width":320,"fps":5}]}"#, from: page)
        _ = connection.newTexts()
        reconnect(bench)
        bench.add("porch/door")
        // It is read twice, and asked.
        bench.wait(seconds: 14)
        #expect(cameras(connection).isEmpty)
        bench.wait(seconds: 4)
        #expect(cameras(connection).last == #"{"cameras":{"yard/gate":null}}"#)
        #expect(bench.bus.filters.isEmpty, "its pictures are not subscribed to any more")
        bench.add("yard/gate")
        #expect(cameras(connection).count > 0, "one that comes later is taken as new")
        bench.wait(seconds: 20)
        #expect(cameras(connection).isEmpty)
    }

    @Test func aCameraThatItsAgentListsNoMoreDisappears() {
        let bench = Bench()
        bench.add("porch/door", "porch/gate")
        let (_, connection) = bench.open()
        _ = connection.newTexts()
        reconnect(bench)
        bench.wait(seconds: 1)
        #expect(cameras(connection).isEmpty)
        bench.publishInfo(of: "porch", cameras: ["door"])
        #expect(cameras(connection).last == #"{"cameras":{"porch/gate":null}}"#)
    }

    @Test func nothingDisappearsBeforeTheSubscriptionsAreAnswered() {
        let bench = Bench()
        bench.add("porch/door")
        let (_, connection) = bench.open()
        _ = connection.newTexts()
        bench.console.brokerDisconnected()
        bench.wait(seconds: 20)
        bench.console.brokerConnected()
        bench.wait(seconds: 20)
        #expect(cameras(connection).isEmpty)
        bench.console.brokerSubscribed()
        bench.console.brokerDisconnected()
        bench.wait(seconds: 20)
        #expect(cameras(connection).isEmpty)
    }

    /// The broker has forgotten its availability; the camera's other states stay as they were.
    @Test func anAgentWithoutAvailabilityIsSilent() {
        let bench = Bench(account: "cams")
        bench.add("porch/door", isProved: true)
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.publish("porch/door/zoom", #"{"factor":2}"#)
        reconnect(bench)
        bench.publishInfo(of: "porch", isProved: true)
        _ = connection.newTexts()
        bench.wait(seconds: 18)
        #expect(connection.texts("state").isEmpty)
        #expect(connection.texts("cameras").count == 1)
        #expect(connection.texts("cameras").first?.contains(#""agent_online":false"#) == true)
        // Before that the agent was asked for them.
        #expect(bench.bus.newMessages().allSatisfy { $0.topic.contains("/refresh/set") })
        bench.command(page, "zoom", #"{"factor":2}"#)
        #expect(bench.bus.messages.map(\.topic) == ["v4l2mqtt/porch/door/zoom/set/cams"])
    }
}
