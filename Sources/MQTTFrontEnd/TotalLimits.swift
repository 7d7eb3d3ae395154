package import Settings

/// Limits the messages of all clients together, before they are read; of proved clients, each by itself. The
/// names in payloads are of no help against a flood: its sender may give another name each time, and to read
/// them costs more than to drop the message.
///
/// Messages with QoS 0, and those with QoS 1 or 2, each have an allowance of their own: a flood with QoS 0
/// takes nothing from a client that waits for acknowledgements.
package struct TotalLimits {
    /// What a message is for. Each has buckets of its own, so that a flood of one leaves room for the others.
    package enum Purpose {
        case command
        /// A sample of a gesture.
        case sample
        /// A command of `privacy`, which comes seldom.
        case privacy
    }

    /// What messages with one kind of QoS may use up.
    private struct Allowance {
        var commands: TokenBucket
        var samples: TokenBucket
        var bytes: TokenBucket
        var privacy: TokenBucket
        /// Refused messages that are answered.
        var answers: TokenBucket

        init(
            _ settings: LimitSettings, burstSeconds: Double, answers: Double, at now: ContinuousClock.Instant
        ) {
            func bucket(_ rate: Int) -> TokenBucket {
                TokenBucket(rate: Double(rate), capacity: (Double(rate) * burstSeconds).rounded(.up), at: now)
            }
            commands = bucket(settings.totalCommandRate)
            samples = bucket(settings.totalSampleRate)
            bytes = bucket(settings.totalByteRate)
            privacy = TokenBucket(rate: privacyRate, capacity: privacyRate, at: now)
            self.answers = TokenBucket(rate: answers, capacity: answers, at: now)
        }

        mutating func verdict(
            on payload: [UInt8], for purpose: Purpose, at now: ContinuousClock.Instant
        ) -> RateLimits.Verdict {
            hasRoom(for: payload.count, purpose, at: now)
                ? .permitted : answers.take(at: now) ? .refused : .dropped
        }

        private mutating func hasRoom(
            for bytes: Int, _ purpose: Purpose, at now: ContinuousClock.Instant
        ) -> Bool {
            switch purpose {
            case .command: commands.take(at: now) && self.bytes.take(Double(bytes), at: now)
            case .sample: samples.take(at: now) && self.bytes.take(Double(bytes), at: now)
            // A switch has a few bytes: a larger message is none, and counts as any other.
            case .privacy:
                bytes <= maxPrivacyBytes
                    ? privacy.take(at: now) : hasRoom(for: bytes, .command, at: now)
            }
        }
    }

    /// A burst is what the limit permits in so many seconds. Messages that waited while the loop was busy
    /// come as a burst. One with QoS 0 delays the commands after it, so it is short. Of messages with QoS 1
    /// and 2 the broker sends only a few before their acknowledgements; the retained commands of all cameras
    /// come at once when the agent connects.
    private static let burstSeconds = (unacknowledged: 0.2, acknowledged: 1.0)
    /// Refusals per second that are answered.
    private static let answers = (unacknowledged: 1.0, acknowledged: 100.0)

    /// Commands of `privacy` per second, and the bytes of one.
    private static let privacyRate = 20.0
    private static let maxPrivacyBytes = 1_024

    /// Accounts with limits of their own. A broker has fewer; with more, all begin anew.
    private static let maxAccounts = 1_024

    /// The allowances of messages with QoS 0, and of those with QoS 1 and 2.
    private struct Allowances {
        var unacknowledged: Allowance
        var acknowledged: Allowance

        init(_ settings: LimitSettings, at now: ContinuousClock.Instant) {
            unacknowledged = Allowance(
                settings, burstSeconds: burstSeconds.unacknowledged, answers: answers.unacknowledged, at: now)
            acknowledged = Allowance(
                settings, burstSeconds: burstSeconds.acknowledged, answers: answers.acknowledged, at: now)
        }

        mutating func verdict(
            on payload: [UInt8], for purpose: Purpose, isAcknowledged: Bool, at now: ContinuousClock.Instant
        ) -> RateLimits.Verdict {
            isAcknowledged
                ? acknowledged.verdict(on: payload, for: purpose, at: now)
                : unacknowledged.verdict(on: payload, for: purpose, at: now)
        }
    }

    private let settings: LimitSettings
    private var unproved: Allowances
    private var accounts: [String: Allowances] = [:]

    package init(_ settings: LimitSettings, at now: ContinuousClock.Instant) {
        self.settings = settings
        unproved = Allowances(settings, at: now)
    }

    /// Commands per second.
    var commandRate: Int { settings.totalCommandRate }

    /// Whether one more message is read.
    ///
    /// - Parameters:
    ///   - account: the proved sender, which has the limits for itself; nil: it is none, and shares them with
    ///     all others.
    ///   - isAcknowledged: its QoS is 1 or 2.
    package mutating func verdict(
        on payload: [UInt8], of account: String? = nil, for purpose: Purpose, isAcknowledged: Bool,
        at now: ContinuousClock.Instant
    ) -> RateLimits.Verdict {
        guard let account else {
            return unproved.verdict(on: payload, for: purpose, isAcknowledged: isAcknowledged, at: now)
        }
        if accounts.count >= Self.maxAccounts, accounts[account] == nil { accounts = [:] }
        let full = settings
        return accounts[account, default: Allowances(full, at: now)]
            .verdict(on: payload, for: purpose, isAcknowledged: isAcknowledged, at: now)
    }
}
