internal import Base
internal import Bus
internal import Fleet
internal import Glibc
internal import NIOCore

/// The metrics of the fleet for all readers: of a connection to the broker that does nothing else, so that
/// the page is not asked for what only Prometheus wants.
final class MetricsFeed {
    /// In bytes, of what the broker sends. A larger payload would be left out (``FleetMetrics``).
    private static let maxPacketSize: UInt32 = 128 << 10
    /// The newest text, and those that slow readers still take. While there are so many, none is made.
    private static let maxTexts = 4

    /// The metrics of one moment. A reader holds it until the network has taken all of it.
    final class Text {
        let body: ByteBuffer

        init(_ text: String) { body = ByteBuffer(string: text) }
    }

    private struct Made {
        weak var text: Text?
    }

    private let metrics: FleetMetrics
    private let broker: BusSettings
    private let changed: (BusEvent) -> Void
    private let log: (String) -> Void
    private var bus: BusConnection?
    private var newest: (text: Text, time: ContinuousClock.Instant)?
    private var made: [Made] = []
    /// Calls the metrics each second.
    private var timer: RepeatedTask?

    /// - Parameters:
    ///   - changed: called when the connection to the broker changes.
    ///   - log: takes a line for the log.
    init(
        _ metrics: FleetMetrics, _ broker: BusSettings, changed: @escaping (BusEvent) -> Void,
        log: @escaping (String) -> Void
    ) {
        var broker = broker
        broker.maxPacketSize = Self.maxPacketSize
        (self.metrics, self.broker, self.changed, self.log) = (metrics, broker, changed, log)
    }

    /// Connects to the broker, unless it has.
    ///
    /// - Throws: `BusError` for settings that cannot be used, or `LoopError`.
    func start(on loop: any NIOCore.EventLoop) throws {
        guard bus == nil else { return }
        let bus = try BusConnection(on: loop)
        try bus.start(broker, filters: metrics.filters) { [weak self] message in
            self?.metrics.receive(message, at: .now, seconds: Double(ServerState.milliseconds) / 1000)
            self?.carryOut()
        } changed: { [weak self] event in
            self?.take(event)
        }
        self.bus = bus
        let bound = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            bound.value.secondPassed()
        }
    }

    private func take(_ event: BusEvent) {
        switch event {
        case .connected: metrics.connected(at: .now)
        case .disconnected: metrics.disconnected()
        case .subscribed: metrics.subscribed(at: .now)
        case .subscriptionRefused: break
        }
        carryOut()
        changed(event)
    }

    private func secondPassed() {
        if let count = metrics.secondPassed(at: .now) {
            log(
                "warning: incomplete: not all retained messages of \(count) \(count == 1 ? "camera" : "cameras") have come. The broker may drop what it can't send at once."
            )
        }
        carryOut()
    }

    /// Begins and ends the subscriptions that the metrics need.
    private func carryOut() {
        for action in metrics.takeActions() {
            if case .unsubscribe = action {
                bus?.unsubscribe(action.filters)
            } else {
                bus?.subscribe(action.filters)
            }
        }
    }

    /// Disconnects from the broker.
    func stop() -> EventLoopFuture<Void>? {
        timer?.cancel()
        return bus?.stop()
    }

    /// The metrics now, or up to a second ago; later, if several readers have not taken older texts.
    func text(at time: ContinuousClock.Instant) -> Text {
        made.removeAll { $0.text == nil }
        if let newest, time - newest.time < .seconds(1) || made.count >= Self.maxTexts { return newest.text }
        let text = Text(metrics.text(at: time))
        newest = (text, time)
        made.append(Made(text: text))
        return text
    }
}
