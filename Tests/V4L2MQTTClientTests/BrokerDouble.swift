import Base
import Fleet
import Settings
import Synchronization

@testable import Bus
@testable import V4L2MQTTClient

/// The time of a test.
final class TestClock: Sendable {
    private let offset = Mutex(Duration.zero)
    private let start = ContinuousClock.now

    var now: ContinuousClock.Instant { start + offset.withLock { $0 } }

    func advance(by time: Duration) { offset.withLock { $0 += time } }
}

/// A broker that retains messages, and the agents behind it. Only the thread of the client uses it, after it
/// was made.
final class BrokerDouble: ClientBus {
    var received: (BusMessage) -> Void = { _ in }
    var publicationRefused: (_ topic: String, _ reason: String) -> Void = { _, _ in }
    var connectionChanged: (BusEvent) -> Void = { _ in }

    /// Below the base topic.
    var retained: [String: String] = [:]
    /// What an agent does with a command.
    var commanded: (BrokerDouble, BusMessage) -> Void = { _, _ in }
    private(set) var commands: [BusMessage] = []
    /// The groups of messages that were withdrawn.
    private(set) var withdrawn: [String] = []
    let loop: EventLoop
    let clock: TestClock
    /// Ends with this double.
    var lifetime: AsyncStream<Void>.Continuation?
    private var filters: [BusFilter] = []
    private var stopped: () -> Void = {}
    /// What follows at the end of this turn of the loop.
    private var later: [() -> Void] = []
    private lazy var timer = loop.timer { [unowned self] in
        while !later.isEmpty { later.removeFirst()() }
    }

    init(on loop: EventLoop, _ clock: TestClock) { (self.loop, self.clock) = (loop, clock) }

    /// Does something at the end of this turn of the loop.
    func afterwards(_ body: @escaping () -> Void) {
        later.append(body)
        timer.set(after: .zero)
    }

    deinit { lifetime?.finish() }

    // MARK: What happens

    func connect() {
        connectionChanged(.connected(BusSession(host: .init("broker", port: 1883))))
        deliver(filters)
    }

    func disconnect() { connectionChanged(.disconnected(reason: "The broker is gone.", retryIn: .zero)) }

    /// An agent publishes a state.
    func publish(_ topic: String, _ payload: String) {
        retained[topic] = payload
        received(message("v4l2mqtt/\(topic)", payload))
    }

    /// A camera answers a command.
    func answer(_ command: BusMessage, _ payload: String, contentType: String? = nil) {
        afterwards { [self] in
            var answer = message(command.responseTopic ?? "", payload)
            (answer.correlation, answer.contentType) = (command.correlation, contentType)
            received(answer)
        }
    }

    private func message(_ topic: String, _ payload: String) -> BusMessage {
        BusMessage(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, isRetained: false)
    }

    /// All comes that is retained, and then nothing more for a second.
    private func deliver(_ filters: [BusFilter]) {
        afterwards { [self] in
            for filter in filters where filter.kind != .newOnly {
                for (topic, payload) in retained where matches("v4l2mqtt/\(topic)", filter.filter) {
                    received(message("v4l2mqtt/\(topic)", payload))
                }
            }
            connectionChanged(.subscribed)
            clock.advance(by: .seconds(1))
        }
    }

    private func matches(_ topic: String, _ filter: String) -> Bool {
        let (levels, names) = (filter.split(separator: "/"), topic.split(separator: "/"))
        return levels.count == names.count && zip(levels, names).allSatisfy { $0 == "+" || $0 == $1 }
    }

    // MARK: ClientBus

    func start(after wait: Duration) { connect() }

    func subscribe(_ filters: [BusFilter]) {
        self.filters += filters
        deliver(filters)
    }

    func unsubscribe(_ filters: [BusFilter]) {
        self.filters.removeAll { filter in filters.contains { $0.filter == filter.filter } }
    }

    func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties?,
        group: String?
    ) {
        var command = message(topic, String(decoding: payload, as: UTF8.self))
        (command.responseTopic, command.correlation) = (properties?.responseTopic, properties?.correlation)
        command.qos = qos
        commands.append(command)
        commanded(self, command)
    }

    func withdraw(group: String) { withdrawn.append(group) }

    func stop(then: @escaping () -> Void) {
        stopped = then
        afterwards { [self] in stopped() }
    }
}

/// A client of a broker with the agent `porch`, which has the camera `door`.
func makeClient() async throws -> (client: V4L2MQTTClient, broker: BrokerHandle) {
    let clock = TestClock()
    let broker = BrokerDouble(on: EventLoop(clock: { clock.now }), clock)
    broker.retained = [
        "porch/availability": #"{"state":"online","boot":1}"#, "porch/info": #"{"cameras":["door"]}"#,
        "porch/door/availability": #"{"state":"online"}"#, "porch/door/info": "{}",
        "porch/door/zoom": #"{"factor":1,"rev":3,"boot":1}"#,
    ]
    let handle = BrokerHandle(broker)
    let core = FleetClient(
        .init(base: "v4l2mqtt", client: "phone", clientID: "phone-1"), broker, on: broker.loop)
    return (try await V4L2MQTTClient(core), handle)
}

/// The broker, for calls on the thread of the client.
struct BrokerHandle: Sendable {
    nonisolated(unsafe) private let broker: BrokerDouble

    init(_ broker: BrokerDouble) { self.broker = broker }

    @discardableResult
    func callAsFunction<Result: Sendable>(
        _ client: V4L2MQTTClient, _ body: @escaping @Sendable (BrokerDouble) -> Result
    ) async -> Result {
        await client.run { [self] _ in body(broker) }
    }
}
