import Testing

@testable import Bus
@testable import Contract
@testable import Server

/// What was removed from the broker while the console had no connection.
@Suite struct EarlierMessagesTests {
    private func reconnect(_ bench: Bench) {
        bench.console.brokerDisconnected()
        bench.console.brokerConnected()
        bench.console.brokerSubscribed()
    }

    private func wait(_ bench: Bench, seconds: Int) {
        for _ in 0..<seconds {
            bench.now += .seconds(1)
            bench.tick()
        }
    }

    private func cameras(_ connection: RecordedConnection) -> [String] {
        defer { _ = connection.newTexts() }
        return connection.texts("cameras")
    }

    @Test func aCameraThatDoesNotComeAgainDisappears() {
        let bench = Bench()
        bench.add("porch/door", "porch/gate")
        let (page, connection) = bench.open()
        bench.receive(#"{"watch":[{"camera":"porch/gate","width":320,"fps":5}]}"#, from: page)
        _ = connection.newTexts()
        reconnect(bench)
        bench.add("porch/door")
        wait(bench, seconds: 4)
        #expect(cameras(connection).isEmpty)
        wait(bench, seconds: 1)
        #expect(cameras(connection).last == #"{"cameras":{"porch/gate":null}}"#)
        #expect(bench.bus.filters.isEmpty, "its pictures are not subscribed to any more")
        bench.add("porch/gate")
        #expect(cameras(connection).count > 0, "one that comes later is taken as new")
        wait(bench, seconds: 20)
        #expect(cameras(connection).isEmpty)
    }

    @Test func aMessageThatComesAgainMakesTheOthersWait() {
        let bench = Bench()
        bench.add("porch/door", "porch/gate", "porch/yard")
        let (_, connection) = bench.open()
        _ = connection.newTexts()
        reconnect(bench)
        for name in ["porch/door", "porch/gate", "porch/yard"] {
            wait(bench, seconds: 4)
            bench.add(name)
        }
        wait(bench, seconds: 20)
        #expect(cameras(connection).isEmpty)
    }

    @Test func nothingDisappearsBeforeTheSubscriptionsAreAnswered() {
        let bench = Bench()
        bench.add("porch/door")
        let (_, connection) = bench.open()
        _ = connection.newTexts()
        bench.console.brokerDisconnected()
        wait(bench, seconds: 20)
        bench.console.brokerConnected()
        wait(bench, seconds: 20)
        #expect(cameras(connection).isEmpty)
        bench.console.brokerSubscribed()
        bench.console.brokerDisconnected()
        wait(bench, seconds: 20)
        #expect(cameras(connection).isEmpty)
    }

    @Test func agentsAndStatesDisappearToo() {
        let bench = Bench(account: "cams")
        bench.add("porch/door", isProved: true)
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.publish("porch/door/zoom", #"{"factor":2}"#)
        bench.publish("porch/door/presets", #"{"presets":{}}"#)
        _ = connection.newTexts()
        reconnect(bench)
        bench.publish("porch/door/info", #"{"model":"Simulated","groups":["outside"]}"#)
        bench.publish("porch/door/availability", #"{"state":"online"}"#)
        bench.publish("porch/door/zoom", #"{"factor":2}"#)
        _ = connection.newTexts()
        wait(bench, seconds: 5)
        #expect(
            connection.texts("state")
                == [#"{"state":{"camera":"porch/door","node":"presets","payload":null}}"#])
        #expect(connection.texts("cameras").count == 1)
        #expect(connection.texts("cameras").first?.contains(#""agent_online":false"#) == true)
        // Before that the agent was asked for them.
        #expect(bench.bus.newMessages().allSatisfy { $0.topic.contains("/refresh/set") })
        bench.command(page, "zoom", #"{"factor":2}"#)
        #expect(bench.bus.messages.map(\.topic) == ["v4l2mqtt/porch/door/zoom/set"])
    }
}
