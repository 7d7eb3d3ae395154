internal import Base
internal import Bus
internal import Settings

/// Publishes everything retained once more when a client asks for it: on a broker of several nodes, a client
/// may find nothing of what agents published on another node.
///
/// A few messages are published at a time, and everything once in ten seconds: a client that asks all the
/// time doesn't fill the broker. A request that comes earlier waits until then: its sender may have connected
/// after the messages of the earlier request.
final class RetainedRefresh {
    private static let leastInterval = Duration.seconds(10)
    private static let messagesPerTurn = 16
    private static let turnInterval = Duration.milliseconds(50)

    private let bus: any BusPublisher
    /// How long a request that other agents have too waits.
    private let wait: Duration
    private let loop: EventLoop
    /// What is still to be published.
    private var due: Set<String> = []
    /// When the last publication was begun, and when the next one will be.
    private var last, next: ContinuousClock.Instant?
    private lazy var beginning = loop.timer { [weak self] in self?.begin() }
    private lazy var turn = loop.timer { [weak self] in self?.publishNext() }

    init(_ frontEnd: MQTTFrontEnd, on loop: EventLoop) {
        (bus, wait, self.loop) = (frontEnd.bus, Spread.wait(frontEnd.settings.mqtt), loop)
    }

    /// Publishes now, or ten seconds after the last time.
    ///
    /// - Parameter isOfMany: whether other agents have the same request: then each waits for its part of
    ///   `mqtt.spread_s`.
    func request(isOfMany: Bool) {
        let earliest = max(loop.now, last.map { $0 + Self.leastInterval } ?? loop.now)
        let time = isOfMany ? earliest + wait : earliest
        if let next, next <= time { return }
        next = time
        beginning.set(at: time)
    }

    private func begin() {
        (last, next) = (loop.now, nil)
        due.formUnion(bus.retainedTopics)
        publishNext()
    }

    /// They keep the order of their first use, so that `online` follows the states that it stands for.
    private func publishNext() {
        // The next connection publishes everything.
        guard bus.isConnected else { return due.removeAll() }
        guard bus.hasCapacity else { return turn.set(after: Self.turnInterval) }
        let messages = Set(bus.retainedTopics.lazy.filter(due.contains).prefix(Self.messagesPerTurn))
        guard !messages.isEmpty else { return due.removeAll() }
        due.subtract(messages)
        bus.republish(messages)
        if !due.isEmpty { turn.set(after: Self.turnInterval) }
    }
}
