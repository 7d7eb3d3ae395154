internal import Clients
package import LoopThread
package import MQTTBus
package import Messages

/// Keeps the agent from publishing before its name is free, waits while another device has it, and notices
/// other devices that want it (``NameRule``).
package final class NameCheck: MessageListener {
    package enum Standing: Sendable, Equatable {
        /// No other device is known.
        case alone
        /// Another device uses the name too. This one has it, and goes on.
        case first
        /// Another device has the name. This one waits between its attempts, and publishes nothing.
        case second
    }

    /// What an agent's `info` says about the device.
    private struct Info: Decodable {
        var instance: String?
        var run: String?
        var host: String?
        var numbers: Int?
    }

    /// The wait between two attempts, to which a random part of a minute is added: of two devices that both
    /// wait, one is to come first.
    private static let wait = Duration.seconds(600)
    private static let jitter = 0.0...60
    /// After this time without a sign, the other device counts as gone. It makes an attempt in each ``wait``.
    private static let memory = Duration.seconds(1_500)
    /// Until what another device has overwritten is published again: it may still publish.
    private static let replacementDelay = Duration.seconds(1)
    /// Between two answers to those who ask.
    private static let answerInterval = Duration.seconds(1)
    /// Bytes of another device's host name, and of that of this one in a request.
    private static let (maxHost, maxID) = (253, 64)

    private let topics: Topics
    private let bus: any BusPublisher
    private let loop: EventLoop
    private let refreshTopic: String
    private let request: (topic: String, payload: [UInt8])
    private var rule: NameRule
    package private(set) var standing = Standing.alone
    /// The name of the other device's machine; nil: it isn't known.
    package private(set) var host: String?
    /// When the last sign of the other device was noticed, as RFC 3339 has it.
    private var noticed = ""
    /// `numbers` of the `info` that the broker had kept on this connection.
    private var numbers: Int?
    private var lastAnswer: ContinuousClock.Instant?
    private lazy var checkTimer = loop.timer { [weak self] in
        if let self { take(rule.answerTimePassed()) }
    }
    private lazy var memoryTimer = loop.timer { [weak self] in self?.change(to: .alone, nil) }
    private lazy var replacement = loop.timer { [weak self] in self?.bus.republish() }
    private lazy var answerTimer = loop.timer { [weak self] in self?.answer() }

    /// Called when the name is free, once for each connection. Nothing is published before.
    ///
    /// - Parameter numbers: a number that no revision of the run before is above, as the broker knew it.
    package var becameFree: (_ numbers: Int?) -> Void = { _ in }
    /// Disconnects, and connects again after a time.
    package var pause: (Duration) -> Void = { _ in }
    /// Called when ``standing`` or ``fields`` has changed.
    package var changed: () -> Void = {}

    /// - Parameters:
    ///   - instance: the identity of the device.
    ///   - run: the identity of this run.
    ///   - host: the name of the machine.
    ///   - isProved: whether agents take only requests whose topic names the client.
    package init(
        _ frontEnd: MQTTFrontEnd, instance: String, run: String, host: String, isProved: Bool,
        on loop: EventLoop
    ) {
        (topics, bus, self.loop) = (frontEnd.topics, frontEnd.bus, loop)
        rule = NameRule(instance: instance, run: run)
        refreshTopic = topics.refresh()
        request = (
            isProved ? "\(refreshTopic)/\(topics.agent)" : refreshTopic,
            JSON.bytes(NameRequest(client: topics.agent, id: host.ending(Self.maxID)))
        )
    }

    /// The subscription to the agent's own `info`.
    package static func filter(_ topics: Topics) -> BusFilter {
        BusFilter(topics.agentInfo, .retainedThenNew, qos: .atLeastOnce)
    }

    package var isFree: Bool { rule.isFree }

    /// The other device, for the agent's `info`; nil: there is none. The second device publishes nothing.
    package var fields: SameNameFields? {
        standing == .first ? SameNameFields(host: host, at: noticed) : nil
    }

    // MARK: The connection

    package func connected() {
        numbers = nil
        rule.connected(at: loop.now)
    }

    /// The broker has answered the subscription to `info`.
    package func subscribed() {
        checkTimer.set(after: NameRule.answerTime)
        bus.publishAhead(request.topic, request.payload) { [weak self] in
            if let self { take(rule.requestReceived()) }
        }
    }

    /// How long to wait after a connection.
    package func delay(after end: ConnectionEnd, usual: Duration) -> Duration {
        checkTimer.cancel()
        switch rule.connectionEnded(isTakeover: end.isTakeover, at: loop.now) {
        case .nothing, .publish: return usual
        case .replace:
            change(to: .first, nil)
            return .zero
        case .giveWay:
            change(to: .second, nil)
            return Self.nextWait
        }
    }

    private static var nextWait: Duration { wait + .seconds(Double.random(in: jitter)) }

    private func take(_ step: NameRule.Step, from other: String? = nil) {
        switch step {
        case .nothing: break
        case .publish:
            checkTimer.cancel()
            if standing == .second { change(to: .alone, nil) }
            becameFree(numbers)
        case .replace:
            change(to: .first, other)
            if !replacement.isSet { replacement.set(after: Self.replacementDelay) }
        case .giveWay:
            checkTimer.cancel()
            change(to: .second, other)
            pause(Self.nextWait)
        }
    }

    private func change(to standing: Standing, _ other: String?) {
        let isNews = self.standing != standing || standing == .first
        host = standing == .alone ? nil : other ?? host
        self.standing = standing
        noticed = Timestamp.text()
        if standing == .first { memoryTimer.set(after: Self.memory) } else { memoryTimer.cancel() }
        if isNews { changed() }
    }

    // MARK: Messages

    package func received(_ message: BusMessage) -> Bool {
        if message.topic == topics.agentInfo {
            infoCame(message)
            return true
        }
        if message.topic == refreshTopic || message.topic.hasPrefix(refreshTopic + "/") { asked(message) }
        return false
    }

    private func infoCame(_ message: BusMessage) {
        guard let info = JSON.value(Info.self, from: message.payload) else { return }
        if message.isRetained && !isFree { numbers = info.numbers }
        let host = info.host.map { String(decoding: $0.utf8.prefix(Self.maxHost), as: UTF8.self) }
        let sender = NameRule.Sender(instance: info.instance, run: info.run)
        take(rule.infoCame(from: sender, isRetained: message.isRetained), from: host)
    }

    /// Someone asks for everything that is retained. Another device with the name does that in its check,
    /// and waits for the answer for three seconds: `info` comes at once, whatever comes later.
    private func asked(_ message: BusMessage) {
        guard isFree, !message.isRetained else { return }
        if let next = lastAnswer?.advanced(by: Self.answerInterval), next > loop.now {
            answerTimer.set(at: next)
        } else {
            answer()
        }
        let envelope = Envelope(sentIn: message.payload)
        if envelope.client?.name == topics.agent { change(to: .first, envelope.id) }
    }

    private func answer() {
        lastAnswer = loop.now
        bus.republish([topics.agentInfo])
    }
}

/// Asks the device that has the name to publish everything again. Its `client` is the agent's name, its `id`
/// the name of the machine.
private struct NameRequest: Encodable {
    let client: String
    let id: String
}
