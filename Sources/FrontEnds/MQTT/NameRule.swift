/// Decides whether the agent's name is free, on each connection before anything is published.
///
/// The agent reads its own retained `info`, and requests that the agent which has the name publish it again.
/// It has the name if the broker had no `info`, or one with the identity of this device; otherwise if no
/// answer comes in time. With one client identifier, the agent that has the name is thrown out by the
/// connection of the other one, and comes back, which throws that one out of its check. Not all brokers tell
/// why a connection has ended (mosquitto 2.0.11 does not).
///
/// A pure state machine: time is an argument.
struct NameRule {
    /// Who published an `info`.
    struct Sender: Equatable {
        /// Of the device: its state keeps it. Nil: of an agent of an earlier version.
        var instance: String?
        /// Of the run of the program.
        var run: String?

        init(instance: String?, run: String?) { (self.instance, self.run) = (instance, run) }
    }

    enum Step: Sendable, Equatable {
        case nothing
        /// The name is free.
        case publish
        /// Another device has published under the name, and gives way: what it has overwritten is to be
        /// published again.
        case replace
        /// Another device has the name: this one disconnects, and connects again after a time.
        case giveWay
    }

    /// How long a device that has the name may take to answer.
    static let answerTime = Duration.seconds(3)
    /// After a shorter connection, the identity of this device alone is no proof: another one may have a copy
    /// of its state.
    private static let doubtTime = Duration.seconds(60)

    private enum Phase {
        case disconnected
        /// - hasOther: the broker had the `info` of another device.
        case checking(hasOther: Bool)
        case free
    }

    private let own: Sender
    private var phase = Phase.disconnected
    private var connected: ContinuousClock.Instant?
    private var isInDoubt = false
    /// Whether this run has published, so that no earlier one is the last that did.
    private var hasPublished = false

    init(instance: String, run: String) { own = Sender(instance: instance, run: run) }

    var isFree: Bool { if case .free = phase { true } else { false } }

    mutating func connected(at now: ContinuousClock.Instant) {
        (phase, connected) = (.checking(hasOther: false), now)
    }

    /// An `info` of the agent's name came.
    ///
    /// - Parameter isRetained: whether the broker had kept it; otherwise it was just published.
    mutating func infoCame(from sender: Sender, isRetained: Bool) -> Step {
        switch phase {
        case .checking where isRetained:
            let isCopy = isInDoubt && hasPublished && sender.run != own.run
            if sender.instance != own.instance || isCopy { phase = .checking(hasOther: true) }
            return .nothing
        case .checking: return sender == own ? .nothing : giveWay()
        case .free where !isRetained && sender != own:
            // Both found the name free. An agent of an earlier version has a rule of its own, by which it
            // gives way.
            guard sender.instance != nil, let other = sender.run, let run = own.run, other < run else {
                return .replace
            }
            return giveWay()
        case .disconnected, .free: return .nothing
        }
    }

    /// The broker has acknowledged the request: what it had kept has come before.
    mutating func requestReceived() -> Step {
        guard case .checking(hasOther: false) = phase else { return .nothing }
        return publish()
    }

    /// The time for an answer has passed.
    mutating func answerTimePassed() -> Step {
        guard case .checking(hasOther: true) = phase else { return .nothing }
        return publish()
    }

    /// A connection has ended that the broker had accepted.
    ///
    /// - Parameter isTakeover: whether the broker says that another client took over the session.
    /// - Returns: ``Step/giveWay``, or ``Step/replace`` if this device connects again at once.
    mutating func connectionEnded(isTakeover: Bool, at now: ContinuousClock.Instant) -> Step {
        let wasShort = connected.map { $0.duration(to: now) < Self.doubtTime } ?? true
        let isSecondTime = isInDoubt && wasShort
        let before = phase
        (phase, isInDoubt) = (.disconnected, wasShort)
        switch before {
        case .checking(let hasOther): return isTakeover || hasOther ? giveWay() : .nothing
        case .free: return isTakeover && !isSecondTime ? .replace : .nothing
        case .disconnected: return .nothing
        }
    }

    private mutating func publish() -> Step {
        (phase, hasPublished) = (.free, true)
        return .publish
    }

    private mutating func giveWay() -> Step {
        (phase, isInDoubt) = (.disconnected, true)
        return .giveWay
    }
}
