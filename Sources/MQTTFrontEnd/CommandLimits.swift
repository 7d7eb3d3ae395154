internal import CameraCore
internal import Clients
internal import Logging
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import Settings

/// The limits that decide whether a message is read, and whether its command is carried out: of all clients
/// together, and of each client.
struct CommandLimits {
    private let rules: ClientRules
    private var totals: TotalLimits
    private var each: RateLimits
    private var photoLimits: RateLimits
    /// Of all clients together.
    private var photos: TokenBucket
    /// Of each known client, for when all clients together have used up theirs.
    private var reserves: RateLimits
    private var knownClients = KnownClients()
    private let unreadLog: UnreadMessagesLog

    init(_ settings: LimitSettings, _ rules: ClientRules, _ logger: Logger, on loop: EventLoop) {
        self.rules = rules
        unreadLog = UnreadMessagesLog(logger, on: loop)
        let now = loop.now
        totals = TotalLimits(settings, at: now)
        each = RateLimits(rate: Double(settings.commandRate))
        photoLimits = RateLimits(rate: Double(settings.photoRate) / 60, burst: Double(settings.photoRate))
        photos = TokenBucket(
            rate: Double(settings.totalPhotoRate) / 60, capacity: Double(settings.totalPhotoRate), at: now)
        let reserve = max(1, Double(settings.totalPhotoRate) / Double(KnownClients.maxCount))
        reserves = RateLimits(rate: reserve / 60, burst: reserve)
    }

    /// How the sender of a command stands where clients make room for each other. Notes the command.
    mutating func standing(
        of client: ClientIdentity?, at now: ContinuousClock.Instant
    ) -> ClientStanding {
        guard rules.mayBeInvented(client) else { return .proved }
        return knownClients.note(client, at: now) ? .known : .new
    }

    /// Whether a message is read at all. It counts once, however many cameras it is for.
    ///
    /// - Parameter account: at the end of its topic.
    mutating func unreadVerdict(
        on message: BusMessage, of account: String?, for purpose: TotalLimits.Purpose,
        at now: ContinuousClock.Instant
    ) -> RateLimits.Verdict {
        let verdict = totals.verdict(
            on: message.payload, of: account.flatMap { rules.requiresProof(of: $0) ? $0 : nil },
            for: purpose, isAcknowledged: message.qos != .atMostOnce, at: now)
        if verdict != .permitted { unreadLog.note() }
        return verdict
    }

    /// Whether one more message of a client is handled.
    mutating func admission(of client: ClientIdentity?, at now: ContinuousClock.Instant) -> Admission {
        Admission(each.verdict(on: client, at: now), clientLimitError(client))
    }

    var totalLimitError: CommandError {
        CommandError(
            .rateLimited,
            "All clients together sent more than this agent reads (\(totals.commandRate) commands in a second); this one was not executed. Send commands that have to arrive with QoS 1."
        )
    }

    /// What the limits of a client say of its command.
    enum Admission {
        case permitted
        case refused(CommandError)
        /// Refused without an answer.
        case dropped

        init(_ verdict: RateLimits.Verdict, _ error: @autoclosure () -> CommandError) {
            switch verdict {
            case .permitted: self = .permitted
            case .refused: self = .refused(error())
            case .dropped: self = .dropped
            }
        }
    }

    /// A message counts once, however many cameras it is for; its photos count for each.
    ///
    /// - Parameters:
    ///   - content: a decoded command, or why the payload is none.
    ///   - releasesButton: whether a command ends a press of this client; that is never refused, and the
    ///     photo was counted when the press began.
    mutating func admission(
        of content: Result<Command.Body, CommandError>, by client: ClientIdentity?,
        _ standing: ClientStanding,
        cameras: Int,
        at now: ContinuousClock.Instant, releasesButton: (Command.Body) -> Bool
    ) -> Admission {
        var photos = 0
        if case .success(let body) = content {
            let policy = body.policy
            guard policy.isRateLimited else { return .permitted }
            if releasesButton(body) { return .permitted }
            photos = policy.photos * cameras
        }
        let admission = admission(of: client, at: now)
        guard case .permitted = admission, photos > 0 else { return admission }
        let photoVerdict = photoLimits.verdict(on: client, taking: Double(photos), at: now)
        guard photoVerdict == .permitted else { return Admission(photoVerdict, photoLimitError(client)) }
        // The limit of all is for clients that can give themselves another name each time.
        if standing == .proved || self.photos.take(Double(photos), at: now) { return .permitted }
        // A sender with many new names can use up the limit of all, but not the reserve of a known client.
        if standing == .known, reserves.verdict(on: client, taking: Double(photos), at: now) == .permitted {
            return .permitted
        }
        return .refused(totalPhotoLimitError)
    }

    private func photoLimitError(_ client: ClientIdentity?) -> CommandError {
        CommandError(
            .rateLimited,
            "\(client?.name ?? "Clients without a name") took more than \(Int(photoLimits.burst)) photos in a minute; no photo was taken."
        )
    }

    private var totalPhotoLimitError: CommandError {
        CommandError(
            .rateLimited,
            "All clients together took more than \(Int(photos.capacity)) photos in a minute; no photo was taken."
        )
    }

    private func clientLimitError(_ client: ClientIdentity?) -> CommandError {
        let sender = client?.name ?? "Clients without a name"
        return CommandError(
            .rateLimited,
            "\(sender) sent more than \(Int(each.rate)) commands in a second; further ones are not executed, and this error is sent once a second."
        )
    }
}
