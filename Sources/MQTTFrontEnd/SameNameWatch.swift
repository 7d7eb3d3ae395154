package import LoopThread
package import MQTTBus
package import Messages

/// Watches for another device with the name of this agent, and waits if that was there before
/// (``NameConflict``).
package final class SameNameWatch {
    /// The parts of an agent's `info` that tell devices apart.
    private struct Identity: Decodable {
        var run: String?
        var host: String?
    }

    /// Until what the other device has published is replaced: it may still publish, and both give way if both
    /// answer at once.
    private static let replacementDelay = Duration.seconds(1)
    /// Bytes of another device's host name.
    private static let maxHost = 253

    private let topic: String
    private let run: String
    private let earlierRuns: Set<String>
    private let bus: any BusPublisher
    private let loop: EventLoop
    private var conflict: NameConflict
    /// The host name of the other device; nil: it isn't known.
    package private(set) var host: String?
    /// That of the last message of another run on this connection; it may be an earlier run of this agent.
    private var lastHost: String?
    /// When the last sign of the other device was noticed, as RFC 3339 has it.
    private var noticed = ""
    private lazy var timer = loop.timer { [weak self] in self?.check() }
    private lazy var replacement = loop.timer { [weak self] in self?.bus.republish() }

    /// Disconnects, and connects again after a time.
    package var pause: (Duration) -> Void = { _ in }
    /// Called when ``standing`` or ``fields`` has changed.
    package var changed: () -> Void = {}

    /// - Parameters:
    ///   - run: the identity of this run.
    ///   - earlierRuns: those of earlier runs of the same agent.
    package init(
        _ frontEnd: MQTTFrontEnd, run: String, earlierRuns: [String], spread: Spread, on loop: EventLoop
    ) {
        (topic, bus) = (frontEnd.topics.agentInfo, frontEnd.bus)
        (self.run, self.earlierRuns, self.loop) = (run, Set(earlierRuns), loop)
        // It differs between devices, and no more is needed of it.
        let jitter = Duration.milliseconds(
            Int(run.utf8.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) } % 30_000))
        conflict = NameConflict(run: run, spread: spread.wait, jitter: jitter)
    }

    /// The subscription to the agent's own `info`, in which another device with its name shows.
    package static func filter(_ topics: Topics) -> BusFilter {
        BusFilter(topics.agentInfo, .retainedThenNew, qos: .atLeastOnce)
    }

    /// Another text for each run.
    package static func newRun() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }

    package var standing: NameConflict.Standing { conflict.standing }

    /// The other device, for the agent's `info`; nil: there is none. The second device publishes nothing.
    package var fields: SameNameFields? {
        standing == .first ? SameNameFields(host: host, at: noticed) : nil
    }

    package func connected() {
        conflict.connected(at: loop.now)
        lastHost = nil
        timer.set(at: conflict.nextCheck)
    }

    /// How long to wait after a connection.
    package func delay(after end: ConnectionEnd, usual: Duration) -> Duration {
        observe { $0.connectionEnded(isTakeover: end.isTakeover, at: loop.now) } ?? usual
    }

    /// A message that a broker had kept from an earlier run says nothing: the broker may have restored it, or
    /// be another one than before. A message with the identity of an earlier run that is published now is of
    /// another device, which has a copy of the state.
    package func received(_ message: BusMessage) -> Bool {
        guard message.topic == topic else { return false }
        guard let identity = JSON.value(Identity.self, from: message.payload) else { return true }
        if message.isRetained, let other = identity.run, earlierRuns.contains(other) { return true }
        let step: NameConflict.Step
        if identity.run == run {
            step = observe(host: lastHost) { $0.ownInfoCame(at: loop.now) }
        } else {
            let other = identity.host.map { String(decoding: $0.utf8.prefix(Self.maxHost), as: UTF8.self) }
            if other != nil { lastHost = other }
            step = observe(host: other) {
                $0.otherInfoCame(identity.run, isRetained: message.isRetained, at: loop.now)
            }
        }
        switch step {
        case .nothing: break
        case .republish: if !replacement.isSet { replacement.set(after: Self.replacementDelay) }
        case .giveWay(let wait): pause(wait)
        }
        return true
    }

    private func check() { observe { $0.check(at: loop.now) } }

    /// Lets something happen to the conflict, and reports what follows.
    ///
    /// - Parameter other: the host name of the device that it is about; nil: it isn't known.
    @discardableResult
    private func observe<Result>(host other: String? = nil, _ event: (inout NameConflict) -> Result) -> Result
    {
        let before = (standing: conflict.standing, sign: conflict.lastSign, host: host)
        let result = event(&conflict)
        timer.set(at: conflict.nextCheck)
        host = conflict.standing == .alone ? nil : other ?? host
        let isSigned = conflict.lastSign != before.sign
        if isSigned { noticed = Timestamp.text() }
        let isFirst = conflict.standing == .first
        if conflict.standing != before.standing || isFirst && (isSigned || host != before.host) { changed() }
        return result
    }
}
