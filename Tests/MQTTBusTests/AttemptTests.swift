import Glibc
import LoopThread
import Testing

@testable import MQTTBus

/// One attempt in virtual time: the clock stands still until a test moves it.
private final class Bench {
    let clock = ManualClock()
    let loop: EventLoop
    let connector: Connector
    let settings: BusSettings
    private var attempt: Attempt?
    private(set) var addresses: Int?
    private(set) var result: Result<Attempt.Accepted, Attempt.Failure>?

    init(_ settings: BusSettings, on loop: EventLoop? = nil) {
        self.settings = settings
        self.loop = loop ?? EventLoop(clock: .manual(clock))
        connector = Connector(settings, on: self.loop)
    }

    func start(_ level: MQTTLevel = .v5) {
        let target = ConnectionPlan.Target(host: 0, address: 0, level: level)
        attempt = Attempt(target, settings, connector, on: loop) { [unowned self] in result = $0 }
        attempt?.start { [unowned self] in addresses = $0 }
    }

    /// The time limit of the suite ends the wait.
    func wait(until isDone: () -> Bool) {
        while !isDone() {
            loop.runOnce(timeout: .zero)
            sched_yield()
        }
    }

    func waitForFailure() -> Attempt.Failure? {
        wait { result != nil }
        if case .failure(let failure) = result { return failure }
        return nil
    }
}

private func settings(port: Int, _ version: BusSettings.Version = .automatic) -> BusSettings {
    BusSettings(host: "127.0.0.1", port: port, version: version, clientID: "test")
}

@Suite(.timeLimit(.minutes(5))) struct AttemptTests {
    @Test func aRefusedPortIsToldAtOnce() throws {
        let (socket, port) = freePort()
        defer { close(socket) }
        let bench = Bench(settings(port: port))
        bench.start()
        let failure = try #require(bench.waitForFailure())
        #expect(failure.reason == "127.0.0.1:\(port): refuses the connection: Connection refused")
        #expect(failure.kind == .other)
    }

    /// The queue of a listener that accepts nothing is full, so that the kernel drops all further packets.
    @Test func anAddressThatDropsPacketsIsGivenUpAfterTheLimit() throws {
        let (listener, port) = freePort()
        precondition(listen(listener, 0) == 0)
        defer { close(listener) }
        let queued = (0..<3).map { _ in connectingSocket(to: port) }
        defer { for socket in queued { close(socket) } }
        let bench = Bench(settings(port: port))
        bench.start()
        bench.wait { bench.addresses != nil }
        bench.clock.advance(by: .milliseconds(9999))
        bench.loop.runOnce(timeout: .zero)
        #expect(bench.result == nil)
        bench.clock.advance(by: .milliseconds(1))
        let failure = try #require(bench.waitForFailure())
        #expect(failure.reason == "127.0.0.1:\(port): does not answer: no TCP connection after 10 s")
    }

    @Test func aBrokerThatNeverAnswersIsGivenUpAfterTheLimit() throws {
        let clock = ManualClock()
        let loop = EventLoop(clock: .manual(clock))
        let broker = ScriptedBroker(.v5, on: loop)
        broker.conduct = .isSilent
        let bench = Bench(settings(port: broker.port), on: loop)
        bench.start()
        bench.wait { !broker.levels.isEmpty }
        clock.advance(by: .seconds(10))
        let failure = try #require(bench.waitForFailure())
        #expect(
            failure.reason == "127.0.0.1:\(broker.port): does not answer: no answer to CONNECT after 10 s")
        #expect(failure.kind == .other)
    }

    @Test func anUnknownNameHasNoAddress() throws {
        // No resolver knows a name in `.invalid` (RFC 6761).
        let bench = Bench(BusSettings(host: "broker.invalid", port: 1883, clientID: "test"))
        bench.start()
        let failure = try #require(bench.waitForFailure())
        #expect(failure.reason.hasPrefix("broker.invalid:1883: ") && failure.kind == .noAddress)
    }

    private func failure(
        _ conduct: ScriptedBroker.Conduct, _ version: BusSettings.Version = .automatic,
        _ level: MQTTLevel = .v5, acknowledgement: [UInt8] = []
    ) throws -> (kind: ConnectionPlan.Failure, reason: String) {
        let loop = EventLoop(clock: .manual(ManualClock()))
        let broker = ScriptedBroker(.v5, on: loop)
        (broker.conduct, broker.acknowledgement) = (conduct, acknowledgement)
        let bench = Bench(settings(port: broker.port, version), on: loop)
        bench.start(level)
        let failure = try #require(bench.waitForFailure())
        let place = "127.0.0.1:\(broker.port): "
        #expect(failure.reason.hasPrefix(place))
        return (failure.kind, String(failure.reason.dropFirst(place.count)))
    }

    @Test func aRefusalHasTheReasonOfTheBroker() throws {
        #expect(try failure(.refuses(0x87)) == (.other, "refuses the connection: Not authorized"))
        #expect(try failure(.refuses(5), .v311, .v311).reason.hasPrefix("refuses the connection: "))
        // The properties of CONNACK: a reason string, and another server.
        let text: [UInt8] = [0x1F, 0, 4] + Array("busy".utf8) + [0x1C, 0, 1] + Array("b".utf8)
        #expect(
            try failure(.refuses(0x9C), acknowledgement: text)
                == (.other, "refuses the connection: Use another server; \"busy\"; other server b"))
    }

    @Test(arguments: [ScriptedBroker.Conduct.refusesV5, .refuses(0x84)])
    func aBrokerThatSupportsOnly311IsToldWithTheKey(conduct: ScriptedBroker.Conduct) throws {
        #expect(
            try failure(conduct, .v5)
                == (.versionUnknown, "supports only MQTT 3.1.1; mqtt.protocol has to be auto or 3.1.1"))
    }

    @Test func aConnectionThatIsClosedInPlaceOfAnAnswerMayBeOneOf311() throws {
        let closes = "closes the connection without an answer to CONNECT"
        #expect(
            try failure(.closes, .v5) == (
                .versionUnknown,
                closes + "; if it supports only MQTT 3.1.1, mqtt.protocol has to be auto or 3.1.1"
            ))
        #expect(try failure(.closes) == (.versionUnknown, closes))
    }

    /// A lookup may block: the attempt ends, and its socket is never made.
    @Test func anAbandonedAttemptHasNoResult() throws {
        let (socket, port) = freePort()
        defer { close(socket) }
        let bench = Bench(settings(port: port))
        bench.start()
        bench.connector.abandon()
        bench.wait { !bench.connector.isPreparing(0) }
        #expect(bench.result == nil && bench.addresses == nil)
    }
}
