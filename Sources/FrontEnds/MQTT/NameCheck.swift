package import Base
package import Bus
package import Contract
internal import Settings

/// Who has the agent's name.
package enum NameOwnership: Sendable, Equatable {
    /// No other device is known.
    case alone
    /// Another device uses the name too. This one has it, and goes on.
    case owner
    /// Another device has the name. This one waits between its attempts, and publishes nothing.
    case other
}

/// Keeps the agent from publishing before its name is free, waits while another device has it, and notices
/// other devices that want it (``NameRule``).
package final class NameCheck {
    /// What an agent's `info` says about the device.
    private struct Info: Form {
        var instance: String?
        var run: String?
        var host: String?
        var numbers: Int?
        var sameName: SameNameFields?

        init(_ f: inout some FormVisitor<Self>) {
            instance = f.maybe("instance", \.instance, .any, "")
            run = f.maybe("run", \.run, .any, "")
            host = f.maybe("host", \.host, .any, "")
            numbers = f.maybe("numbers", \.numbers, .count, "")
            sameName = f.maybe("same_name", \.sameName, .any, "")
        }
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
    /// Bytes of another device's host name.
    private static let maxHost = 253

    private let topics: Topics
    private let bus: any BusPublisher
    private let loop: EventLoop
    private let own: NameRule.Sender
    /// The name of this machine.
    private let ownHost: String
    /// The topic of requests to publish everything again, and that of the own one.
    private let refreshTopic, requestTopic: String
    private var rule: NameRule
    package private(set) var ownership = NameOwnership.alone
    /// The name of the other device's machine; nil: it isn't known.
    package private(set) var host: String?
    /// That of the device whose `info` the broker had on this connection.
    private var lastHost: String?
    /// What this device has written into that `info`, until it comes back.
    private var report: [UInt8]?
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
    /// Called when ``ownership`` or ``fields`` has changed.
    package var changed: () -> Void = {}

    /// - Parameters:
    ///   - instance: the identity of the device.
    ///   - run: the identity of this run.
    ///   - host: the name of the machine.
    package init(
        _ frontEnd: MQTTFrontEnd, instance: String, run: String, host: String, on loop: EventLoop
    ) {
        (topics, bus, self.loop) = (frontEnd.topics, frontEnd.bus, loop)
        (own, ownHost) = (NameRule.Sender(instance: instance, run: run), host)
        rule = NameRule(instance: instance, run: run)
        refreshTopic = topics.refresh()
        let isProved = frontEnd.settings.clients.mode == .proved
        requestTopic = isProved ? "\(refreshTopic)/\(topics.agent)" : refreshTopic
    }

    /// The filter of ``subscription``.
    package static func filter(_ topics: Topics) -> BusFilter {
        BusFilter(topics.agentInfo, .retainedThenNew, qos: .atLeastOnce)
    }

    /// The subscription to the agent's own `info`.
    package var subscription: Subscription {
        Subscription(
            filter: Self.filter(topics), ifRefused: "another device with this name may not be noticed"
        ) { [weak self] in self?.infoCame($0) }
    }

    package var isFree: Bool { rule.isFree }

    /// The other device, for the agent's `info`; nil: there is none, or it has the name.
    package var fields: SameNameFields? {
        ownership == .owner ? SameNameFields(host: host, at: noticed) : nil
    }

    // MARK: The connection

    package func connected() {
        (numbers, lastHost, report) = (nil, nil, nil)
        rule.connected(at: loop.now)
    }

    /// The broker has answered the subscription to `info`.
    package func subscribed() {
        checkTimer.set(after: NameRule.answerTime)
        bus.publishAhead(requestTopic, [], retain: false) { [weak self] in
            if let self { take(rule.requestReceived()) }
        }
    }

    /// How long to wait after a connection.
    package func delay(after end: ConnectionEnd, usual: Duration) -> Duration {
        checkTimer.cancel()
        switch rule.connectionEnded(isTakeover: end.isTakeover, at: loop.now) {
        case .nothing, .publish: return usual
        case .replace:
            change(to: .owner, nil)
            return .zero
        case .giveWay:
            change(to: .other, lastHost)
            return Self.nextWait
        }
    }

    private static var nextWait: Duration { wait + .seconds(Double.random(in: jitter)) }

    private func take(_ step: NameRule.Step, from other: String? = nil) {
        switch step {
        case .nothing: break
        case .publish:
            checkTimer.cancel()
            if ownership == .other { change(to: .alone, nil) }
            becameFree(numbers)
        case .replace:
            change(to: .owner, other)
            if !replacement.isSet { replacement.set(after: Self.replacementDelay) }
        case .giveWay:
            checkTimer.cancel()
            change(to: .other, other)
            pause(Self.nextWait)
        }
    }

    private func change(to ownership: NameOwnership, _ other: String?) {
        let isNews = self.ownership != ownership || ownership == .owner
        host = ownership == .alone ? nil : other ?? host
        self.ownership = ownership
        noticed = Timestamp.text()
        if ownership == .owner { memoryTimer.set(after: Self.memory) } else { memoryTimer.cancel() }
        if isNews { changed() }
    }

    // MARK: Messages

    private func infoCame(_ message: BusMessage) {
        if !message.isRetained, message.payload == report { return report = nil }
        guard let info = JSON.value(Info.self, from: message.payload) else { return }
        let sender = NameRule.Sender(instance: info.instance, run: info.run)
        let host = info.host.map { String(decoding: $0.utf8.prefix(Self.maxHost), as: UTF8.self) }
        if message.isRetained && !isFree {
            numbers = info.numbers
            if sender.instance != own.instance { report(to: message.payload, of: host) }
        }
        if sender == own, let other = info.sameName, other.at != noticed { wasReported(by: other.host) }
        take(rule.infoCame(from: sender, isRetained: message.isRetained), from: host)
    }

    /// Tells the device whose `info` the broker has, and all who read it, that this one wants its name: with
    /// one client identifier that device has just lost its connection, and finds it when it comes back.
    private func report(to info: [UInt8], of host: String?) {
        lastHost = host
        guard var fields = JSON(info)?.object else { return }
        fields["same_name"] = .object(["host": .text(ownHost), "at": .text(Timestamp.text())])
        let report = JSON.bytes(JSON.object(fields))
        self.report = report
        bus.publishAhead(topics.agentInfo, report, retain: true) {}
    }

    /// Another device has written into the `info` of this run. What this one has published itself may come
    /// back late, so only what is new is published.
    private func wasReported(by other: String?) {
        if ownership == .owner && (host != nil || other == nil) {
            memoryTimer.set(after: Self.memory)
        } else {
            change(to: .owner, other)
        }
    }

    /// Notes whether a client asks for everything that is retained, which the router answers. Another device
    /// with the name does that in its check, and waits for the answer for three seconds: `info` comes at
    /// once, whatever comes later.
    package func noteRequest(_ message: BusMessage) {
        guard isFree, !message.isRetained, message.topic.utf8.starts(with: refreshTopic.utf8) else { return }
        if let next = lastAnswer?.advanced(by: Self.answerInterval), next > loop.now {
            answerTimer.set(at: next)
        } else {
            answer()
        }
    }

    private func answer() {
        lastAnswer = loop.now
        bus.republish([topics.agentInfo])
    }
}
