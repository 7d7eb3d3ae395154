/// Finds out whether another device uses the name of this agent, and decides which of the two waits.
///
/// A broker ends the session of a client when another one connects with its identifier. Two devices with one
/// name would do that to each other without end. An earlier run of this agent does not: a process that has
/// ended takes over no session, and publishes nothing after this one has published. What a broker has kept
/// from an earlier run never comes here (``SameNameWatch``). So these are signs of a second device:
///
/// - The broker says that another client took over the session (MQTT 5, reason code 0x8E). Not all brokers
///   do, and none with MQTT 3.1.1.
/// - After a connection on which the broker had the `info` of this run, it has the `info` of another run.
/// - The `info` of another run is published during a connection: the clients have different identifiers.
///
/// The device whose connection was short gives way: the other one was there before, and has come back at
/// once. It waits before its next attempt. If that connection ends soon too, the other device is still there.
/// An attempt costs the other device one reconnection.
///
/// A pure state machine: time is an argument.
package struct NameConflict {
    package enum Standing: Sendable, Equatable {
        /// No other device is known.
        case alone
        /// Another device uses the name too. This one was connected before it, and goes on.
        case first
        /// Another device was connected before this one, which waits between its attempts.
        case second
    }

    /// What follows from a message of another device.
    package enum Step: Sendable, Equatable {
        case nothing
        /// The other device has to learn of this one, and what it has published is to be replaced.
        case republish
        /// This device disconnects, and waits for so long.
        case giveWay(Duration)
    }

    /// The wait between two attempts of the second device, without ``jitter``.
    package static let wait = Duration.seconds(600)
    /// The first device reconnects after this time.
    private static let quickDelay = Duration.milliseconds(250)
    /// A shorter connection was begun while the other device was there, which then came back. More than the
    /// time that a reconnection takes.
    private static let shortConnection = Duration.seconds(60)
    /// After so many short connections in succession, the other device does not give way: this one does.
    private static let maxShortConnections = 6
    /// After so many messages that the broker kept from the other device, this one gives way although it has
    /// the smaller identity: the other one was there before.
    private static let maxKeptMessages = 3
    /// After this time without a sign, the other device counts as gone. It makes an attempt in each
    /// ``wait``.
    private static let memory = Duration.seconds(1_500)
    /// Messages within this time, after which two devices that both were there for long are told apart by
    /// their identities.
    private static let messageWindow = Duration.seconds(60)
    private static let maxMessages = 3

    /// The identity of this run.
    private let run: String
    private let longest: Duration
    private let jitter: Duration

    private enum Phase: Equatable {
        case alone
        /// There was one sign after a long connection, which may be an old message that a broker restored.
        case suspected
        case first
        /// This device gives way as soon as the broker has its `info` once more: the first device, which was
        /// just thrown out, finds it there.
        case leaving(Standing)
        /// This device waits, or makes an attempt.
        case second
    }

    private var phase = Phase.alone
    /// When the last sign of the other device was noticed.
    private(set) var lastSign: ContinuousClock.Instant?
    private var connected: ContinuousClock.Instant?
    private var wasShort = false
    /// Short connections in succession.
    private var shortConnections = 0
    /// Whether the broker had the `info` of this run: on this connection, and on an earlier one since the
    /// last wait.
    private var ownInfo = (now: false, before: false)
    /// Messages of the other device that the broker had after short connections in succession.
    private var keptMessages = 0
    /// When messages of the other device came on this connection.
    private var messages: [ContinuousClock.Instant] = []

    /// - Parameters:
    ///   - run: the identity of this run.
    ///   - spread: how long the other device may wait before it reconnects: as this one does, if both have
    ///     one client identifier.
    ///   - jitter: is added to each wait, so that two devices that give way at once don't return at once.
    package init(run: String, spread: Duration = .zero, jitter: Duration = .zero) {
        (self.run, self.jitter) = (run, jitter)
        longest = Self.shortConnection + spread + spread
    }

    package var standing: Standing {
        switch phase {
        case .alone, .suspected: .alone
        case .first: .first
        case .leaving(let standing): standing
        case .second: .second
        }
    }

    /// The broker has accepted a connection.
    package mutating func connected(at now: ContinuousClock.Instant) {
        connected = now
        messages = []
    }

    /// A connection has ended that the broker had accepted.
    ///
    /// - Returns: how long to wait before the next attempt; nil: the usual time.
    package mutating func connectionEnded(
        isTakeover: Bool, at now: ContinuousClock.Instant
    ) -> Duration? {
        wasShort = isShort(at: now)
        shortConnections = wasShort ? shortConnections + 1 : 0
        if !wasShort { keptMessages = 0 }
        ownInfo = (false, ownInfo.before || ownInfo.now)
        connected = nil
        switch phase {
        case .leaving: return giveWay(at: now)
        case .second:
            if wasShort { return giveWay(at: now) }
            phase = .alone
        case .alone, .suspected, .first: break
        }
        guard isTakeover else { return nil }
        if wasShort && !staysInShortConnections { return giveWay(at: now) }
        stay(at: now)
        return Self.quickDelay
    }

    /// The broker has the `info` of this run.
    package mutating func ownInfoCame(at now: ContinuousClock.Instant) -> Step {
        ownInfo.now = true
        if case .leaving = phase { return .giveWay(giveWay(at: now)) }
        return .nothing
    }

    /// The `info` of another run came.
    ///
    /// - Parameters:
    ///   - other: its identity; nil: it is of an earlier version, and has none.
    ///   - isRetained: whether the broker had kept it; otherwise it was just published.
    package mutating func otherInfoCame(
        _ other: String?, isRetained: Bool, at now: ContinuousClock.Instant
    ) -> Step {
        isRetained ? keptInfoCame(other, at: now) : newInfoCame(other, at: now)
    }

    private mutating func keptInfoCame(_ other: String?, at now: ContinuousClock.Instant) -> Step {
        guard ownInfo.before else { return .nothing }
        if wasShort && staysInShortConnections {
            stay(at: now)
        } else if wasShort {
            // If both have come just now, both find this: only one of them gives way.
            keptMessages += 1
            if run > other ?? "" || keptMessages >= Self.maxKeptMessages {
                phase = .leaving(standing)
            }
        } else if phase == .suspected || phase == .first {
            stay(at: now)
        } else {
            (phase, lastSign) = (.suspected, now)
        }
        // The connection has just begun, so everything is published anyway.
        return .nothing
    }

    private mutating func newInfoCame(_ other: String?, at now: ContinuousClock.Instant) -> Step {
        messages = messages.filter { $0.duration(to: now) < Self.messageWindow } + [now]
        let isPersistent = messages.count >= Self.maxMessages
        if isShort(at: now) || isPersistent && run > other ?? "" { return .giveWay(giveWay(at: now)) }
        stay(at: now)
        return .republish
    }

    /// Whether short connections are those of the first device, which the second one interrupts until it
    /// gives way.
    private var staysInShortConnections: Bool {
        (phase == .first || phase == .suspected) && shortConnections < Self.maxShortConnections
    }

    private mutating func stay(at now: ContinuousClock.Instant) {
        (phase, lastSign) = (.first, now)
    }

    private mutating func giveWay(at now: ContinuousClock.Instant) -> Duration {
        (phase, lastSign) = (.second, now)
        (shortConnections, keptMessages, wasShort) = (0, 0, false)
        // What the broker has after the wait may be of a device that is gone by then.
        ownInfo = (false, false)
        connected = nil
        return Self.wait + jitter
    }

    private func isShort(at now: ContinuousClock.Instant) -> Bool {
        connected.map { $0.duration(to: now) < longest } ?? true
    }

    // MARK: The end of a conflict

    /// When ``check(at:)`` has something to do; nil: never, unless something happens.
    package var nextCheck: ContinuousClock.Instant? {
        switch phase {
        case .alone, .leaving: nil
        case .suspected, .first: lastSign?.advanced(by: Self.memory)
        case .second: connected?.advanced(by: longest)
        }
    }

    /// Ends a conflict of which there was no sign for long.
    package mutating func check(at now: ContinuousClock.Instant) {
        if let nextCheck, nextCheck <= now { phase = .alone }
    }
}
