import Base
import Glibc
import Settings
import TestSupport
import Testing

@testable import Bus

/// The first attempt of a link in virtual time: the clock stands still until a test moves it.
private final class Bench {
    let clock = ManualClock()
    let loop: EventLoop
    let link: Link
    private(set) var reasons: [String] = []
    private(set) var isRefusalOfV5 = false

    init(_ settings: BusSettings, on loop: EventLoop? = nil) throws {
        self.loop = loop ?? EventLoop(clock: clock)
        link = try Link(settings, filters: [], on: self.loop)
        link.handle = { [unowned self] in
            guard case .change(let event) = $0, case .disconnected(let reason, _) = event else { return }
            reasons.append(reason)
            isRefusalOfV5 = event.isRefusalOfV5
        }
        link.start(after: .zero)
    }

    /// The time limit of the suite ends the wait.
    func wait(until isDone: () -> Bool) {
        while !isDone() {
            loop.runOnce(timeout: .zero)
            sched_yield()
        }
    }

    func waitForFailure() -> String {
        wait { !reasons.isEmpty }
        return reasons[0]
    }
}

private func settings(port: Int, _ version: MQTTVersion = .v5) -> BusSettings {
    BusSettings(port: port, version)
}

@Suite(.timeLimit(.minutes(5))) struct LinkTests {
    @Test func aRefusedPortIsToldAtOnce() throws {
        let (socket, port) = freePort()
        defer { close(socket) }
        let bench = try Bench(settings(port: port))
        #expect(bench.waitForFailure() == "127.0.0.1:\(port): refuses the connection: Connection refused")
    }

    /// The queue of a listener that accepts nothing is full, so that the kernel drops all further packets.
    @Test func anAddressThatDropsPacketsIsGivenUpAfterTheLimit() throws {
        let (listener, port) = freePort()
        precondition(listen(listener, 0) == 0)
        defer { close(listener) }
        let queued = (0..<3).map { _ in connectingSocket(to: port) }
        defer { for socket in queued { close(socket) } }
        let bench = try Bench(settings(port: port))
        // CONNECT waits for the TCP connection.
        bench.wait { !bench.link.hasFlushed }
        bench.clock.advance(by: .milliseconds(9999))
        bench.loop.runOnce(timeout: .zero)
        #expect(bench.reasons.isEmpty)
        bench.clock.advance(by: .milliseconds(1))
        #expect(bench.waitForFailure() == "127.0.0.1:\(port): does not answer: no TCP connection after 10 s")
    }

    @Test func aBrokerThatNeverAnswersIsGivenUpAfterTheLimit() throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: clock)
        let broker = ScriptedBroker(.v5, on: loop)
        broker.conduct = .isSilent
        let bench = try Bench(settings(port: broker.port), on: loop)
        bench.wait { !broker.levels.isEmpty }
        clock.advance(by: .seconds(10))
        #expect(
            bench.waitForFailure()
                == "127.0.0.1:\(broker.port): does not answer: no answer to CONNECT after 10 s")
    }

    @Test func anUnknownNameHasNoAddress() throws {
        // No resolver knows a name in `.invalid` (RFC 6761).
        let bench = try Bench(BusSettings("broker.invalid", port: 1883))
        #expect(bench.waitForFailure().hasPrefix("broker.invalid:1883: "))
    }

    private func failure(
        _ conduct: ScriptedBroker.Conduct, _ version: MQTTVersion = .v5, acknowledgement: [UInt8] = []
    ) throws -> String {
        let loop = EventLoop(clock: ManualClock())
        let broker = ScriptedBroker(version, on: loop)
        (broker.conduct, broker.acknowledgement) = (conduct, acknowledgement)
        let bench = try Bench(settings(port: broker.port, version), on: loop)
        let reason = bench.waitForFailure()
        let place = "127.0.0.1:\(broker.port): "
        #expect(reason.hasPrefix(place))
        return String(reason.dropFirst(place.count))
    }

    @Test func aRefusalHasTheReasonOfTheBroker() throws {
        #expect(try failure(.refuses(0x87)) == "refuses the connection: Not authorized")
        #expect(try failure(.refuses(5), .v311).hasPrefix("refuses the connection: "))
        // The properties of CONNACK: a reason string, and another server.
        let text: [UInt8] = [0x1F, 0, 4] + Array("busy".utf8) + [0x1C, 0, 1] + Array("b".utf8)
        #expect(
            try failure(.refuses(0x9C), acknowledgement: text)
                == "refuses the connection: Use another server; \"busy\"; other server b")
    }

    @Test(arguments: [ScriptedBroker.Conduct.refusesV5, .refuses(0x84)])
    func aBrokerThatSupportsOnly311IsToldWithTheKey(conduct: ScriptedBroker.Conduct) throws {
        #expect(try failure(conduct) == "supports only MQTT 3.1.1; mqtt.protocol has to be 3.1.1")
    }

    @Test func aConnectionThatIsClosedInPlaceOfAnAnswerMayBeOneOf311() throws {
        let closes = "closes the connection without an answer to CONNECT"
        #expect(
            try failure(.closes)
                == closes + "; if it supports only MQTT 3.1.1, mqtt.protocol has to be 3.1.1")
        #expect(try failure(.closes, .v311) == closes)
    }

    /// A broker that stops, or a proxy without one, closes connections too: only a refusal is final.
    @Test(arguments: [
        ([ScriptedBroker.Conduct.refusesV5], true), ([.refuses(0x84)], true), ([.closes], false),
        ([.acceptsAs311], false), ([.refuses(0x87)], false), ([.refusesV5, .refusesV5], true),
        ([.refusesV5, .closes], false), ([.closes, .refusesV5], false),
    ])
    func onlyARefusalOfTheVersionIsFinal(conducts: [ScriptedBroker.Conduct], isFinal: Bool) throws {
        let loop = EventLoop(clock: ManualClock())
        let brokers = conducts.map { conduct in
            let broker = ScriptedBroker(.v5, on: loop)
            broker.conduct = conduct
            return broker
        }
        var settings = settings(port: 1883)
        settings.versionKey = nil
        settings.mqtt.hosts = brokers.map { BrokerAddress("127.0.0.1", port: $0.port) }
        let bench = try Bench(settings, on: loop)
        _ = bench.waitForFailure()
        #expect(bench.isRefusalOfV5 == isFinal)
    }

    /// A broker of MQTT 3.1.1 may accept CONNECT in its own form.
    @Test func anAnswerOf311NamesTheKey() throws {
        #expect(try failure(.acceptsAs311).contains("mqtt.protocol has to be 3.1.1"))
    }

    /// A loop of libmosquitto's own waits by select(2), which is for descriptors below 1,024.
    @Test func aDescriptorMayHaveAnyNumber() throws {
        let occupied = OccupiedDescriptors(below: 1_100)
        #expect(try failure(.refuses(0x87)) == "refuses the connection: Not authorized")
        let (listener, port) = freePort()
        precondition(listen(listener, 1) == 0)
        defer { close(listener) }
        var settings = settings(port: port)
        settings.mqtt.tls.isOn = true
        let bench = try Bench(settings)
        var accepted: Int32 = -1
        bench.loop.watch(listener) { _ in
            accepted = accept(listener, nil, nil)
            precondition(write(accepted, "220 mail\r\n", 10) == 10)
        }
        // The handshake was read.
        #expect(bench.waitForFailure().contains("the answer isn't TLS"))
        close(accepted)
        withExtendedLifetime(occupied) {}
    }

    /// A lookup may block: it is abandoned, and no socket is made.
    @Test func aStopDuringTheLookupHasNoResult() throws {
        let (socket, port) = freePort()
        defer { close(socket) }
        let bench = try Bench(settings(port: port))
        bench.link.stop {}
        for _ in 0..<100 { bench.loop.runOnce(timeout: .milliseconds(1)) }
        #expect(bench.reasons.isEmpty)
    }

    /// It is reported, and not awaited: there is no packet with an answer.
    @Test func aSubscriptionThatFailsIsReported() throws {
        let client = try Client(settings(port: 1))
        client.subscribe(to: [BusFilter("a", .newOnly)])
        guard case .subscription(.subscriptionRefused("a")) = client.takeEvent() else {
            return #expect(Bool(false))
        }
        guard case .subscription(.subscribed) = client.takeEvent() else { return #expect(Bool(false)) }
    }
}
