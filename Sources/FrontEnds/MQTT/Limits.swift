internal import Bus
internal import Contract
internal import Core
internal import Settings
internal import ZoomModel

/// How much the clients may send: all limits of messages are in this file.
///
/// A message takes from a bucket before it is read. The names in payloads are of no help against a flood: its
/// sender may give another name each time, and to read them costs more than to drop the message. Proved
/// accounts have a ``Lane`` each, and all others share two: a flood with QoS 0 takes nothing from a client
/// that waits for acknowledgements. What is read then counts against the limits of its client; they bind only
/// clients that can't invent names.
struct Limits {
    enum Verdict: Equatable {
        case permitted
        /// Refused, and answered with this error.
        case refused(CommandError)
        /// Refused without an answer.
        case dropped
    }

    /// What a message is for.
    enum Purpose {
        case command
        /// A sample of a gesture.
        case sample
        /// A command of `privacy`, which comes seldom.
        case privacy
    }

    /// A burst is what the limit permits in so many seconds. Messages that waited while the loop was busy
    /// come as a burst. One with QoS 0 delays the commands after it, so it is short. Of messages with QoS 1
    /// and 2 the broker sends only a few before their acknowledgements; the retained commands of all cameras
    /// come at once when the agent connects.
    private static let burstSeconds = (unacknowledged: 0.2, acknowledged: 1.0)
    /// What a message takes, in commands: at least this, and 1 for each KiB of its payload.
    private static let sampleCost = 0.2
    /// Commands of `privacy` per second, and the bytes of one. A larger message is none, and counts as any
    /// other.
    private static let privacyRate = 20.0
    private static let maxPrivacyBytes = 1_024
    /// Between two refusals of messages with QoS 0 that are answered: of those that are not read, and of one
    /// client.
    private static let answerInterval = Duration.seconds(1)

    private let settings: LimitSettings
    /// Those of messages with QoS 0, and with QoS 1 and 2.
    private var unacknowledged: Lane
    private var acknowledged: Lane
    private var accounts = Shares<String, Lane>()
    private var commands = Shares<ClientIdentity?, Allowance>()
    private var photos = Shares<ClientIdentity?, Allowance>()
    /// Of all clients that may invent their names.
    private var allPhotos: TokenBucket

    init(_ settings: LimitSettings, at now: ContinuousClock.Instant) {
        self.settings = settings
        let rate = Double(settings.totalCommandRate)
        unacknowledged = Lane(rate: rate, burst: Self.burstSeconds.unacknowledged, at: now)
        acknowledged = Lane(rate: rate, burst: Self.burstSeconds.acknowledged, at: now)
        let photoRate = Double(settings.totalPhotoRate)
        allPhotos = TokenBucket(rate: photoRate / 60, capacity: photoRate, at: now)
    }

    /// A refusal that is answered, or one too many. The sender of a message with QoS 1 or 2 waits: it learns
    /// each time that the message was not carried out.
    private static func refusal(
        _ message: @autoclosure () -> String, isAcknowledged: Bool, at now: ContinuousClock.Instant,
        _ answered: inout ContinuousClock.Instant?
    ) -> Verdict {
        if isAcknowledged { return refused(message()) }
        if let last = answered, last.duration(to: now) < answerInterval { return .dropped }
        answered = now
        return refused(message())
    }

    private static func refused(_ message: String) -> Verdict {
        .refused(CommandError(.rateLimited, message))
    }

    // MARK: Before a message is read

    /// The buckets of those who share a limit: for all messages, and for commands of `privacy`.
    private struct Lane {
        var messages: TokenBucket
        var privacy: TokenBucket
        var answered: ContinuousClock.Instant?

        init(rate: Double, burst: Double, at now: ContinuousClock.Instant) {
            messages = TokenBucket(rate: rate, capacity: (rate * burst).rounded(.up), at: now)
            privacy = TokenBucket(rate: privacyRate, capacity: privacyRate, at: now)
        }
    }

    /// Whether a message is read at all. It counts once, however many cameras it is for.
    ///
    /// - Parameters:
    ///   - account: the proved sender; nil: it is none.
    ///   - isAcknowledged: its QoS is 1 or 2.
    mutating func reads(
        bytes: Int, of account: String?, for purpose: Purpose, isAcknowledged: Bool,
        at now: ContinuousClock.Instant
    ) -> Verdict {
        let rate = settings.totalCommandRate
        func verdict(_ lane: inout Lane) -> Verdict {
            let isSwitch = purpose == .privacy && bytes <= Self.maxPrivacyBytes
            let cost = max(purpose == .sample ? Self.sampleCost : 1, Double(bytes) / 1_024)
            if isSwitch ? lane.privacy.take(at: now) : lane.messages.take(cost, at: now) { return .permitted }
            // In a flood most messages are dropped: their text isn't made.
            func message() -> String {
                "All clients together sent more than this agent reads (\(rate) commands in a second); this one was not executed. Send commands that have to arrive with QoS 1."
            }
            return Self.refusal(message(), isAcknowledged: isAcknowledged, at: now, &lane.answered)
        }
        if let account {
            return accounts.use(
                account, new: Lane(rate: Double(rate), burst: Self.burstSeconds.acknowledged, at: now),
                verdict)
        }
        return isAcknowledged ? verdict(&acknowledged) : verdict(&unacknowledged)
    }

    // MARK: Before a command is carried out

    /// What one client may send.
    private struct Allowance {
        var bucket: TokenBucket
        var answered: ContinuousClock.Instant?
    }

    /// Whether a command of a client is carried out. Clients without a name count as one.
    ///
    /// The last command of a client may take more photos than there is room for; the client is refused until
    /// that is made up for.
    ///
    /// - Parameters:
    ///   - policy: of the command; nil: the message is none, and counts as one.
    ///   - cameras: how many it is for. It counts once; its photos count for each.
    ///   - isProved: whether the client's name can't be invented.
    ///   - isAcknowledged: the QoS of the message is 1 or 2.
    mutating func admits(
        _ policy: CommandPolicy?, cameras: Int, by client: ClientIdentity?, isProved: Bool,
        isAcknowledged: Bool, at now: ContinuousClock.Instant
    ) -> Verdict {
        guard policy?.isRateLimited ?? true else { return .permitted }
        func verdict(
            _ allowance: inout Allowance, _ amount: Double, _ message: @autoclosure () -> String
        ) -> Verdict {
            allowance.bucket.take(amount, at: now)
                ? .permitted
                : Self.refusal(message(), isAcknowledged: isAcknowledged, at: now, &allowance.answered)
        }
        let sender = client?.name ?? "Clients without a name"
        let (rate, photoRate) = (settings.commandRate, settings.photoRate)
        let admission = commands.use(
            client,
            new: Allowance(bucket: TokenBucket(rate: Double(rate), capacity: Double(rate), at: now))
        ) {
            verdict(
                &$0, 1,
                "\(sender) sent more than \(rate) commands in a second; further ones are not executed. Those with QoS 0 have this answer once a second."
            )
        }
        guard admission == .permitted, let photos = policy?.photos, photos > 0 else { return admission }
        let count = Double(photos * cameras)
        let ofClient = self.photos.use(
            client,
            new: Allowance(
                bucket: TokenBucket(rate: Double(photoRate) / 60, capacity: Double(photoRate), at: now))
        ) {
            verdict(
                &$0, count, "\(sender) took more than \(photoRate) photos in a minute; no photo was taken.")
        }
        guard ofClient == .permitted, !isProved else { return ofClient }
        // For clients that can give themselves another name each time.
        return allPhotos.take(count, at: now)
            ? .permitted
            : Self.refused(
                "All clients together took more than \(settings.totalPhotoRate) photos in a minute; no photo was taken."
            )
    }
}
