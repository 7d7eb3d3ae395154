import Base
import Settings
import Testing

@testable import Bus

/// A bus that is connected to a scripted broker, and what it reported.
private final class Bench {
    enum Report: Equatable {
        case connected, disconnected, subscribed
        case refused(String)
    }

    let loop = EventLoop()
    let broker: ScriptedBroker
    let bus: MQTTBus
    var reports: [Report] = []
    var messages: [BusMessage] = []

    init(
        _ version: MQTTVersion = .v5, _ filters: [BusFilter] = [],
        maxPacketSize: UInt32 = BusSettings.usualMaxPacketSize, readsUserProperties: Bool = false
    ) throws {
        broker = ScriptedBroker(version, on: loop)
        bus = try MQTTBus(
            broker.settings(maxPacketSize: maxPacketSize, readsUserProperties: readsUserProperties),
            filters: filters, on: loop)
        bus.received = { [unowned self] in messages.append($0) }
        bus.connectionChanged = { [unowned self] event in
            switch event {
            case .connected: reports.append(.connected)
            case .disconnected: reports.append(.disconnected)
            case .subscribed: reports.append(.subscribed)
            case .subscriptionRefused(let filter): reports.append(.refused(filter))
            }
        }
    }

    /// Runs the loop until something is as expected. The time limit of the suite ends the wait.
    func wait(until isDone: () -> Bool) {
        while !isDone() { loop.runOnce(timeout: .milliseconds(100)) }
    }

    /// Runs the loop until there is a report more.
    func waitForReport() {
        let count = reports.count
        wait { reports.count > count }
    }

    func connect() {
        bus.start()
        wait { reports.contains(.connected) }
    }

    /// Waits until the broker has received and answered all packets that were sent before.
    func waitForMessages(_ count: Int) { wait { messages.count == count } }
}

@Suite(.timeLimit(.minutes(10))) struct SubscriptionTests {
    let a = BusFilter("a", .newOnly)
    let b = BusFilter("b/#", .includingRetained)

    @Test(arguments: [MQTTVersion.v5, .v311])
    func anAddedSubscriptionIsMadeAtOnceAndOnEachLaterConnection(version: MQTTVersion) throws {
        let bench = try Bench(version, [a])
        bench.connect()
        bench.waitForReport()
        #expect(bench.broker.takeReceived() == [.connect, .subscribe("a")])
        bench.bus.subscribe([b])
        bench.waitForReport()
        #expect(bench.broker.takeReceived() == [.subscribe("b/#")])
        #expect(bench.reports == [.connected, .subscribed, .subscribed])
        bench.broker.closeConnection()
        bench.wait { bench.reports.count == 6 }
        #expect(bench.reports.dropFirst(3) == [.disconnected, .connected, .subscribed])
        #expect(bench.broker.takeReceived() == [.connect, .subscribe("a"), .subscribe("b/#")])
    }

    @Test func aSubscriptionBeforeTheConnectionIsMadeByTheConnection() throws {
        let bench = try Bench()
        bench.bus.subscribe([a, b])
        bench.connect()
        bench.waitForReport()
        #expect(bench.broker.takeReceived() == [.connect, .subscribe("a"), .subscribe("b/#")])
        #expect(bench.reports == [.connected, .subscribed])
    }

    @Test func aFilterIsSubscribedToOnce() throws {
        let bench = try Bench(.v5, [a])
        bench.connect()
        bench.bus.subscribe([a, b, b])
        bench.bus.subscribe([b])
        bench.waitForReport()
        #expect(bench.broker.takeReceived() == [.connect, .subscribe("a"), .subscribe("b/#")])
        // A broker replaces a subscription to the same filter, so one call ends it.
        bench.bus.unsubscribe([b])
        bench.broker.closeConnection()
        bench.wait { bench.reports.count == 5 }
        #expect(bench.broker.takeReceived().suffix(2) == [.connect, .subscribe("a")])
    }

    /// With other options it is the same subscription, which the broker replaces.
    @Test func otherOptionsReplaceASubscription() throws {
        let bench = try Bench(.v5, [a])
        bench.connect()
        bench.waitForReport()
        _ = bench.broker.takeReceived()
        bench.bus.subscribe([BusFilter("a", .includingRetained)])
        bench.waitForReport()
        #expect(bench.broker.takeReceived() == [.subscribe("a")])
        bench.bus.unsubscribe([a])
        bench.broker.closeConnection()
        bench.wait { bench.reports.suffix(2) == [.disconnected, .connected] }
        #expect(!bench.broker.takeReceived().contains(.subscribe("a")))
    }

    @Test func aRefusalOfAnAddedSubscriptionIsReported() throws {
        let bench = try Bench(.v5, [a])
        bench.broker.refused = ["b/#"]
        bench.connect()
        bench.waitForReport()
        bench.bus.subscribe([b])
        bench.wait { bench.reports.count == 4 }
        #expect(bench.reports == [.connected, .subscribed, .refused("b/#"), .subscribed])
    }

    /// Many subscriptions go in one packet. Each is answered, and each that is no filter is refused alone.
    @Test(arguments: [MQTTVersion.v5, .v311])
    func manySubscriptionsAreMadeAndEndedTogether(version: MQTTVersion) throws {
        let bench = try Bench(version)
        bench.broker.refused = ["t7"]
        bench.connect()
        let filters = (0..<150).map { BusFilter("t\($0)", .includingRetained) }
        bench.bus.subscribe(filters + [BusFilter("x#", .newOnly), a])
        bench.wait { bench.reports.count == 4 }
        #expect(bench.reports.dropFirst() == [.refused("x#"), .refused("t7"), .subscribed])
        let made = filters.map { ScriptedBroker.Received.subscribe($0.filter) } + [.subscribe("a")]
        #expect(bench.broker.takeReceived() == [.connect] + made)
        #expect(bench.broker.subscriptionOptions.count == 4, "64 in a packet, with the same options")
        bench.bus.unsubscribe(filters)
        bench.bus.subscribe([b])
        bench.wait { bench.reports.count == 5 }
        #expect(
            bench.broker.takeReceived() == filters.map { .unsubscribe($0.filter) } + [.subscribe("b/#")])
    }

    /// A filter that MQTT does not permit is never sent. It is refused, and the others are answered.
    @Test func aFilterThatIsNotPermittedIsRefused() throws {
        let bench = try Bench(.v5, [a, BusFilter("a#", .newOnly)])
        bench.connect()
        bench.wait { bench.reports.count == 3 }
        #expect(bench.reports == [.connected, .refused("a#"), .subscribed])
        bench.bus.subscribe([BusFilter("", .newOnly)])
        bench.wait { bench.reports.count == 5 }
        #expect(bench.reports.suffix(2) == [.refused(""), .subscribed])
    }
}

@Suite(.timeLimit(.minutes(10))) struct MaximumPacketSizeTests {
    /// MQTT 5, 3.1.2.11.4.
    @Test(arguments: [UInt32(128 << 10), 1 << 20, 16 << 20])
    func theBrokerIsToldWhatIsReceivedAtMost(size: UInt32) throws {
        let bench = try Bench(maxPacketSize: size)
        bench.connect()
        let announced = [0x27] + withUnsafeBytes(of: size.bigEndian, Array.init)
        #expect(bench.broker.connectProperties.prefix(5) == announced[...])
    }

    /// A payload of the size itself does not fit into a packet of it, but no broker breaks the protocol by
    /// what is almost too large.
    @Test func aBrokerThatSendsMoreHasBrokenTheProtocol() throws {
        let bench = try Bench(maxPacketSize: 1_000)
        bench.connect()
        bench.broker.send("a", bytes: 1_000)
        bench.waitForMessages(1)
        bench.broker.send("a", bytes: 1_001)
        bench.wait { bench.reports.contains(.disconnected) || bench.messages.count > 1 }
        #expect(bench.messages.map(\.payload.count) == [1_000])
    }

    /// A broker of MQTT 3.1.1 does not know the size.
    @Test func theRestOfALargerMessageIsLeftOutWithMQTT311() throws {
        let bench = try Bench(.v311, maxPacketSize: 1_000)
        bench.connect()
        bench.broker.send("a", bytes: 5_000)
        bench.broker.send("a", bytes: 10)
        bench.waitForMessages(2)
        #expect(bench.messages.map(\.payload.count) == [1_000, 10])
    }
}

@Suite(.timeLimit(.minutes(10))) struct UserPropertyTests {
    private func texts(_ message: BusMessage) -> [String] { message.user.map { "\($0.name)=\($0.value)" } }

    @Test func theyAreReadWhereTheyAreWanted() throws {
        let bench = try Bench(readsUserProperties: true)
        bench.connect()
        bench.broker.send("a", user: [("frame", "7"), ("", ""), ("frame", "é")])
        bench.broker.send("a")
        bench.waitForMessages(2)
        #expect(texts(bench.messages[0]) == ["frame=7", "=", "frame=é"])
        #expect(bench.messages[1].user.isEmpty)
    }

    @Test func theyAreNotReadOtherwise() throws {
        let bench = try Bench()
        bench.connect()
        bench.broker.send("a", user: [("frame", "7")])
        bench.waitForMessages(1)
        #expect(bench.messages[0].user.isEmpty)
    }

    @Test func thereAreNoneWithMQTT311() throws {
        let bench = try Bench(.v311, readsUserProperties: true)
        bench.connect()
        bench.broker.send("a")
        bench.waitForMessages(1)
        #expect(bench.messages[0].user.isEmpty)
    }

    @Test func moreThan32AreIgnored() throws {
        let bench = try Bench(readsUserProperties: true)
        bench.connect()
        bench.broker.send("a", user: (0..<40).map { ("n\($0)", "v") })
        bench.waitForMessages(1)
        #expect(texts(bench.messages[0]) == (0..<32).map { "n\($0)=v" })
    }
}
