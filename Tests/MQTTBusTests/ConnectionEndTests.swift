import Base
import Glibc
import Settings
import TestSupport
import Testing

@testable import Bus

/// How connections end, who decides what follows, and pauses.
@Suite(.timeLimit(.minutes(5))) struct ConnectionEndTests {
    private final class Bench {
        let clock = ManualClock()
        let loop: EventLoop
        let broker: ScriptedBroker
        let bus: MQTTBus
        private(set) var sessions = 0
        private(set) var ends: [(reason: String, delay: Duration)] = []
        var decisions: [(end: ConnectionEnd, usual: Duration)] = []

        init(_ version: MQTTVersion = .v5, filters: [BusFilter] = []) throws {
            let loop = EventLoop(clock: clock)
            self.loop = loop
            broker = ScriptedBroker(version, on: loop)
            bus = try MQTTBus(broker.settings(), filters: filters, on: loop)
            bus.connectionChanged = { [unowned self] event in
                switch event {
                case .connected: sessions += 1
                case .disconnected(let reason, let delay): ends.append((reason, delay))
                case .subscribed, .subscriptionRefused: break
                }
            }
            bus.start()
            wait { sessions == 1 }
        }

        func wait(until isDone: () -> Bool) {
            while !isDone() {
                loop.runOnce(timeout: .zero)
                sched_yield()
            }
        }

        var place: String { "127.0.0.1:\(broker.port)" }
    }

    @Test func aTakeoverIsToldFromOtherEnds() throws {
        let bench = try Bench()
        bench.bus.retryDelay = { [unowned bench] end, usual in
            bench.decisions.append((end, usual))
            return end.isTakeover ? .seconds(600) : usual
        }
        bench.clock.advance(by: .seconds(7))
        bench.broker.disconnect(reason: 0x8E)
        bench.wait { bench.ends.count == 1 }
        #expect(bench.decisions.map(\.end) == [ConnectionEnd(length: .seconds(7), isTakeover: true)])
        #expect(bench.ends[0].delay == .seconds(600))
        #expect(bench.ends[0].reason == "\(bench.place): Session taken over")
        bench.clock.advance(by: .seconds(599))
        for _ in 0..<100 { bench.loop.runOnce(timeout: .zero) }
        #expect(bench.sessions == 1)
        bench.clock.advance(by: .seconds(1))
        bench.wait { bench.sessions == 2 }
        // Another reason, and an end without one.
        bench.broker.disconnect(reason: 0x8B)
        bench.wait { bench.ends.count == 2 }
        bench.clock.advance(by: bench.ends[1].delay)
        bench.wait { bench.sessions == 3 }
        bench.broker.closeConnection()
        bench.wait { bench.ends.count == 3 }
        #expect(bench.decisions.map(\.end.isTakeover) == [true, false, false])
        #expect(bench.ends.dropFirst().map(\.delay) == bench.decisions.dropFirst().map(\.usual))
    }

    @Test(arguments: [MQTTVersion.v5, .v311])
    func aPauseEndsTheConnectionWithoutTheWill(version: MQTTVersion) throws {
        let bench = try Bench(version)
        bench.bus.pause(for: .seconds(600), "the reason")
        #expect(bench.ends.map(\.delay) == [.seconds(600)])
        #expect(bench.ends[0].reason == "\(bench.place): the reason" && !bench.bus.isConnected)
        bench.wait { bench.broker.received.contains(.disconnect) }
        bench.clock.advance(by: .seconds(599))
        for _ in 0..<100 { bench.loop.runOnce(timeout: .zero) }
        #expect(bench.sessions == 1)
        bench.clock.advance(by: .seconds(1))
        bench.wait { bench.sessions == 2 }
        // Without a connection there is nothing to end.
        bench.broker.closeConnection()
        bench.wait { bench.ends.count == 2 }
        bench.bus.pause(for: .seconds(600), "the reason")
        #expect(bench.ends.count == 2)
    }

    /// Several messages come at once, and the receiver of the first one pauses.
    @Test func noMessageFollowsAPause() throws {
        let bench = try Bench()
        var topics: [String] = []
        bench.bus.received = { [unowned bench] message in
            topics.append(message.topic)
            bench.bus.pause(for: .seconds(600), "the reason")
        }
        for topic in ["a", "b", "c"] { bench.broker.send(topic) }
        bench.wait { !bench.ends.isEmpty }
        for _ in 0..<100 { bench.loop.runOnce(timeout: .zero) }
        #expect(topics == ["a"] && bench.ends.count == 1)
        bench.clock.advance(by: .seconds(600))
        bench.wait { bench.sessions == 2 }
    }

    /// The subscription options of MQTT 5, 3.8.3.1: Retain Handling, Retain As Published, No Local, QoS.
    @Test(
        arguments: zip(
            [BusFilter.Kind.includingRetained, .newOnly, .retainedThenNew],
            [UInt8(0x0E), 0x26, 0x02]))
    func theKindOfAFilterGivesItsOptions(kind: BusFilter.Kind, options: UInt8) throws {
        let bench = try Bench(filters: [BusFilter("a", kind)])
        bench.wait { !bench.broker.subscriptionOptions.isEmpty }
        #expect(bench.broker.subscriptionOptions == [options])
    }
}
