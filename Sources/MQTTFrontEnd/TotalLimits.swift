package import Settings

/// Limits the messages of all clients together, before they are read; of proved clients, each by itself. The
/// names in payloads are of no help against a flood: its sender may give another name each time, and to read
/// them costs more than to drop the message.
///
/// Messages with QoS 0, and those with QoS 1 or 2, each have an allowance of their own: a flood with QoS 0
/// takes nothing from a client that waits for receipts.
package struct TotalLimits {
    /// What messages of one kind may use up.
    private struct Allowance {
        var commands: TokenBucket
        var samples: TokenBucket
        var bytes: TokenBucket
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
            self.answers = TokenBucket(rate: answers, capacity: answers, at: now)
        }

        mutating func verdict(
            on payload: [UInt8], isSample: Bool, at now: ContinuousClock.Instant
        ) -> RateLimits.Verdict {
            let hasRoom = isSample ? samples.take(at: now) : commands.take(at: now)
            if hasRoom && bytes.take(Double(payload.count), at: now) { return .permitted }
            return answers.take(at: now) ? .refused : .dropped
        }
    }

    /// A burst is what the limit permits in so many seconds. Messages that waited while the loop was busy
    /// come as a burst. One with QoS 0 delays the commands after it, so it is short. Of messages with QoS 1
    /// and 2 the broker sends only a few before their receipts; the retained commands of all cameras come at
    /// once when the agent connects.
    private static let burstSeconds = (withoutReceipt: 0.2, withReceipt: 1.0)
    /// Refusals per second that are answered.
    private static let answers = (withoutReceipt: 1.0, withReceipt: 100.0)

    /// Accounts with limits of their own. A broker has fewer; with more, all begin anew.
    private static let maxAccounts = 1_024

    /// The allowances of messages with QoS 0, and of those with QoS 1 and 2.
    private struct Allowances {
        var withoutReceipt: Allowance
        var withReceipt: Allowance

        init(_ settings: LimitSettings, at now: ContinuousClock.Instant) {
            withoutReceipt = Allowance(
                settings, burstSeconds: burstSeconds.withoutReceipt, answers: answers.withoutReceipt, at: now)
            withReceipt = Allowance(
                settings, burstSeconds: burstSeconds.withReceipt, answers: answers.withReceipt, at: now)
        }

        mutating func verdict(
            on payload: [UInt8], hasReceipt: Bool, isSample: Bool, at now: ContinuousClock.Instant
        ) -> RateLimits.Verdict {
            hasReceipt
                ? withReceipt.verdict(on: payload, isSample: isSample, at: now)
                : withoutReceipt.verdict(on: payload, isSample: isSample, at: now)
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
    ///   - hasReceipt: its QoS is 1 or 2.
    ///   - isSample: it is for a node whose commands are samples of gestures.
    package mutating func verdict(
        on payload: [UInt8], of account: String? = nil, hasReceipt: Bool, isSample: Bool,
        at now: ContinuousClock.Instant
    ) -> RateLimits.Verdict {
        guard let account else {
            return unproved.verdict(on: payload, hasReceipt: hasReceipt, isSample: isSample, at: now)
        }
        if accounts.count >= Self.maxAccounts, accounts[account] == nil { accounts = [:] }
        let full = settings
        return accounts[account, default: Allowances(full, at: now)]
            .verdict(on: payload, hasReceipt: hasReceipt, isSample: isSample, at: now)
    }
}
