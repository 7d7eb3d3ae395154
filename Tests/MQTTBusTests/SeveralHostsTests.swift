import Base
import Glibc
import Settings
import TestSupport
import Testing

@testable import Bus

/// A bus with several brokers, in virtual time, and what it reported.
private final class Bench {
    let clock = ManualClock()
    let loop: EventLoop
    let brokers: [ScriptedBroker]
    let bus: MQTTBus
    private(set) var sessions: [BusSession] = []
    private(set) var ends: [(reason: String, delay: Duration)] = []

    init(
        _ conducts: ScriptedBroker.Conduct..., version: MQTTVersion = .v5,
        filters: [BusFilter] = [], acknowledgement: [UInt8] = [], keepAlive: Int = 15,
        spread: Int = 0, firstWait: Duration = .zero
    ) throws {
        let loop = EventLoop(clock: clock)
        self.loop = loop
        brokers = conducts.map { conduct in
            let broker = ScriptedBroker(.v5, on: loop)
            (broker.conduct, broker.acknowledgement) = (conduct, acknowledgement)
            return broker
        }
        var settings = BusSettings(port: 1883, version)
        (settings.mqtt.keepAlive, settings.mqtt.spread) = (keepAlive, spread)
        settings.mqtt.hosts = brokers.map { BrokerAddress("127.0.0.1", port: $0.port) }
        bus = try MQTTBus(settings, filters: filters, on: loop)
        bus.connectionChanged = { [unowned self] event in
            switch event {
            case .connected(let session): sessions.append(session)
            case .disconnected(let reason, let delay): ends.append((reason, delay))
            case .subscribed, .subscriptionRefused: break
            }
        }
        bus.start(after: firstWait)
    }

    /// Gives the loop the opportunity to do what it should not do yet.
    func turn() { for _ in 0..<100 { loop.runOnce(timeout: .zero) } }

    func wait(until isDone: () -> Bool) {
        while !isDone() {
            loop.runOnce(timeout: .zero)
            sched_yield()
        }
    }

    func waitForSession(_ count: Int = 1) -> BusSession {
        wait { sessions.count == count }
        return sessions[count - 1]
    }

    func place(_ index: Int) -> String { "127.0.0.1:\(brokers[index].port)" }
}

/// How long a client of a fleet waits before it connects.
@Suite(.timeLimit(.minutes(5))) struct SpreadOfConnectionsTests {
    private let wait = Spread.wait(seconds: 3_600, of: "test")

    @Test func theFirstConnectionWaits() throws {
        let bench = try Bench(.accepts, firstWait: wait)
        bench.clock.advance(by: wait - .milliseconds(1))
        bench.turn()
        #expect(bench.brokers[0].levels.isEmpty)
        bench.clock.advance(by: .milliseconds(1))
        _ = bench.waitForSession()
        #expect(bench.ends.isEmpty)
    }

    /// With two hosts there is no other delay.
    @Test func theConnectionAfterAGoodOneWaits() throws {
        let bench = try Bench(.accepts, .accepts, spread: 3_600)
        _ = bench.waitForSession()
        bench.clock.advance(by: HostPlan.stableAfter)
        bench.brokers[0].closeConnection()
        bench.wait { !bench.ends.isEmpty }
        #expect(bench.ends.map(\.delay) == [wait])
        bench.clock.advance(by: wait - .milliseconds(1))
        bench.turn()
        #expect(bench.brokers[1].levels.isEmpty)
        bench.clock.advance(by: .milliseconds(1))
        _ = bench.waitForSession(2)
    }

    @Test func theConnectionAfterAShortOneDoesNotWait() throws {
        let bench = try Bench(.accepts, spread: 3_600)
        _ = bench.waitForSession()
        bench.clock.advance(by: HostPlan.stableAfter - .milliseconds(1))
        bench.brokers[0].closeConnection()
        bench.wait { !bench.ends.isEmpty }
        #expect(bench.ends[0].delay <= HostPlan.firstDelay)
    }

    @Test func anAttemptAfterAFailureDoesNotWait() throws {
        let bench = try Bench(.refuses(0x87), spread: 3_600)
        bench.wait { !bench.ends.isEmpty }
        #expect(bench.ends[0].delay <= HostPlan.firstDelay)
    }
}

@Suite(.timeLimit(.minutes(5))) struct SeveralHostsTests {
    /// In virtual time: no delay passes.
    @Test func theNextHostIsTriedAtOnceAfterARefusal() throws {
        let bench = try Bench(.refuses(0x88), .accepts)
        let session = bench.waitForSession()
        #expect(session.host.port == bench.brokers[1].port)
        #expect(session.failures == ["\(bench.place(0)): refuses the connection: Server unavailable"])
        #expect(bench.ends.isEmpty)
    }

    @Test func theNextHostIsTriedWhenTheFirstNeverAnswers() throws {
        let bench = try Bench(.isSilent, .accepts)
        bench.wait { !bench.brokers[0].levels.isEmpty }
        bench.clock.advance(by: .seconds(10))
        let session = bench.waitForSession()
        #expect(session.host.port == bench.brokers[1].port)
        #expect(
            session.failures == ["\(bench.place(0)): does not answer: no answer to CONNECT after 10 s"])
    }

    @Test func aRoundWithoutAConnectionIsReportedWithAllReasons() throws {
        let bench = try Bench(.refuses(0x87), .closes)
        bench.wait { !bench.ends.isEmpty }
        #expect(
            bench.ends[0].reason
                == "\(bench.place(0)): refuses the connection: Not authorized; "
                + "\(bench.place(1)): closes the connection without an answer to CONNECT; "
                + "if it supports only MQTT 3.1.1, mqtt.protocol has to be 3.1.1")
        #expect(bench.ends[0].delay >= HostPlan.firstDelay / 2)
        // Nothing happens before the delay is over.
        for _ in 0..<100 { bench.loop.runOnce(timeout: .zero) }
        #expect(bench.brokers[0].levels.count == 1)
        bench.clock.advance(by: bench.ends[0].delay)
        bench.wait { bench.ends.count == 2 }
        #expect(bench.brokers[0].levels == [5, 5] && bench.brokers[1].levels == [5, 5])
    }

    @Test func aLostConnectionIsFollowedByTheNextHostAtOnce() throws {
        let bench = try Bench(.accepts, .accepts)
        #expect(bench.waitForSession().host.port == bench.brokers[0].port)
        bench.clock.advance(by: HostPlan.stableAfter)
        bench.brokers[0].closeConnection()
        #expect(bench.waitForSession(2).host.port == bench.brokers[1].port)
        #expect(bench.ends.map(\.delay) == [.zero])
        #expect(bench.ends[0].reason.hasPrefix("\(bench.place(0)): "))
    }

    /// A balancer with a dead node does so: the next attempt uses MQTT 5 too.
    @Test func aBrokerThatClosesOnceIsUsedWithMQTT5() throws {
        let bench = try Bench(.closes, filters: [BusFilter("a", .newOnly, needsV5: true)])
        bench.wait { bench.ends.count == 1 }
        bench.brokers[0].conduct = .accepts
        bench.clock.advance(by: bench.ends[0].delay)
        #expect(bench.waitForSession().isV5)
        #expect(bench.brokers[0].levels == [5, 5])
    }

    @Test func a311BrokerIsUsedWhereThatIsSet() throws {
        let bench = try Bench(
            .refusesV5, version: .v311,
            filters: [BusFilter("a", .newOnly, needsV5: true), BusFilter("b", .newOnly)])
        let session = bench.waitForSession()
        #expect(!session.isV5 && session.failures.isEmpty)
        #expect(session.summary == "\(bench.place(0)) with MQTT 3.1.1")
        #expect(bench.brokers[0].levels == [4])
        bench.wait { bench.brokers[0].received.count == 2 }
        #expect(bench.brokers[0].received.last == .subscribe("b"))
    }

    @Test func aStopEndsAnAttemptWithoutWaiting() throws {
        let bench = try Bench(.isSilent)
        bench.wait { !bench.brokers[0].levels.isEmpty }
        var hasStopped = false
        bench.bus.stop { hasStopped = true }
        #expect(hasStopped)
        bench.clock.advance(by: .seconds(60))
        for _ in 0..<100 { bench.loop.runOnce(timeout: .zero) }
        #expect(bench.brokers[0].levels == [5] && bench.ends.isEmpty)
    }
}

/// The properties of CONNACK (MQTT 5, 3.2.2.3).
@Suite(.timeLimit(.minutes(5))) struct BrokerLimitsTests {
    @Test func whatDiffersFromTheDefaultsIsReported() throws {
        let bench = try Bench(
            .accepts,
            acknowledgement: [
                0x21, 0, 20, 0x22, 0, 10, 0x27, 0, 0, 16, 0, 0x13, 0, 60, 0x11, 0, 0, 0, 5, 0x2A, 0, 0x29, 0,
            ]
        )
        #expect(
            bench.waitForSession().notes == [
                "keep-alive 60 s", "packets of at most 4096 bytes", "20 unacknowledged messages",
                "10 topic aliases", "session expiry 5 s", "no shared subscriptions",
                "no subscription identifiers",
            ])
        #expect(try Bench(.accepts).waitForSession().notes.isEmpty)
    }

    @Test func messagesHaveAtMostTheQoSOfTheBroker() throws {
        let bench = try Bench(.accepts, acknowledgement: [0x24, 0])
        _ = bench.waitForSession()
        bench.bus.retain("a", [1])
        bench.bus.publishQueued("b", [1])
        bench.wait { bench.brokers[0].publications.count == 2 }
        #expect(bench.brokers[0].publications == [0x31, 0x30])
        #expect(bench.bus.isDrained)
    }

    @Test func aBrokerThatRetainsNothingIsAWarning() throws {
        let session = try Bench(.accepts, acknowledgement: [0x25, 0]).waitForSession()
        #expect(session.warnings.count == 1 && session.warnings[0].hasPrefix("it keeps no retained messages"))
        #expect(try Bench(.accepts, acknowledgement: [0x28, 0]).waitForSession().warnings.count == 1)
    }

    /// libmosquitto measures time by itself: this takes about a second.
    @Test func theKeepAliveOfTheBrokerIsUsed() throws {
        let bench = try Bench(.accepts, acknowledgement: [0x13, 0, 1], keepAlive: 3600)
        _ = bench.waitForSession()
        bench.wait {
            bench.clock.advance(by: .seconds(1))
            usleep(10_000)
            return bench.brokers[0].pings > 0
        }
    }
}
