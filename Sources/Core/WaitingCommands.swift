internal import Base
internal import Cameras
internal import Contract
internal import FoundationEssentials

/// The commands of one camera that wait for the time in their field `at`.
///
/// ``add(_:_:_:)`` checks expiry, the time, the clock, that there is a device, duplicate ids, and how many
/// wait. When its time has come, ``begin`` checks `if_rev`, the device and the lease. Waiting commands don't
/// outlive the agent.
final class WaitingCommands: BasedNode {
    private struct Entry {
        let body: Command.Body
        let request: Request
        let policy: CommandPolicy
        let at: Date
        /// ``at`` on the clock of the loop. It changes when the time of day is set.
        var due: ContinuousClock.Instant
    }

    /// Commands of a camera that wait, and of them those of one client.
    private static let maxCount = 64
    private static let maxOfClient = 8
    /// How far ahead a time may be, in seconds.
    private static let maxAhead = 3_600.0
    /// A command isn't begun when its time has passed for longer, in seconds: the clock was set, or the
    /// machine slept. Others have carried out theirs at the right time.
    private static let maxLateness = 1.0
    /// A timer that fires earlier than this before the time of day is there is set again.
    private static let tolerance = Duration.milliseconds(1)
    /// So long before a photo or a recording frames begin to come, and how often they are requested until
    /// then. A device stops when none is requested for a while.
    private static let wakeLead = Duration.seconds(3)
    private static let wakeInterval = Duration.seconds(1)

    let base: NodeBase
    private let gate: CommandGate
    /// Carries out a command whose time has come, or refuses it.
    var begin: (Command.Body, Request, CommandPolicy) -> Void = { _, _, _ in }
    /// In the order in which they came.
    private var entries: [Entry] = []
    private var lastWake: ContinuousClock.Instant?
    /// Reports that the clock was set, while commands wait.
    private var steps: AnyObject?
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    init(_ base: NodeBase, gate: CommandGate) { (self.base, self.gate) = (base, gate) }

    // MARK: Commands

    /// Keeps a command until its time, and answers it as accepted; or refuses it.
    func add(_ body: Command.Body, _ request: Request, _ policy: CommandPolicy) {
        var request = request
        guard let at = request.envelope.at else { return }
        do throws(CommandError) {
            let error =
                gate.refusalOnArrival(of: request) ?? refusal(of: at, request, policy)
                ?? repetition(of: request) ?? gate.repetition(request, policy)
            if let error { throw error }
            request.isRecorded = policy.runsOnce
            try makeRoom(for: request)
        } catch {
            return context.refuse(request, error)
        }
        entries.append(
            Entry(body: body, request: request, policy: policy, at: at, due: context.instant(at: at)))
        context.reply(.accepted, to: request)
        schedule()
    }

    /// Cancels a command of the request's client that waits on the same node.
    func cancel(_ id: String, _ request: Request) throws(CommandError) {
        let place = entries.firstIndex {
            $0.request.node == request.node && $0.request.client == request.client
                && $0.request.envelope.id == id
        }
        guard let place else {
            throw CommandError(
                .badPayload, "cancel: no command of this client with the id \(id) waits here.",
                field: "cancel")
        }
        let entry = entries.remove(at: place)
        schedule()
        context.refuse(entry.request, CommandError(.cancelled, "The command was cancelled before its time."))
        context.reply(.done, to: request)
    }

    /// Why a command can't wait for this time; nil: it can.
    private func refusal(of at: Date, _ request: Request, _ policy: CommandPolicy) -> CommandError? {
        let ahead = at.timeIntervalSince(context.wallNow)
        if ahead < 0 {
            return CommandError(
                .stale, "at: \(Timestamp.text(at)) has passed; it is \(context.timestamp) here.", field: "at")
        }
        if ahead > Self.maxAhead {
            return CommandError(
                .badPayload,
                "at: a time at most an hour ahead; it is \(context.timestamp) here.", field: "at")
        }
        if !request.envelope.isForAnyClock && !context.isClockSynchronized {
            return CommandError(
                .unavailable,
                "at: the clock of this machine isn't synchronised. Synchronise it, or send at_any_clock:true.",
                field: "at")
        }
        // A device that is closed for privacy may be open by then; one that is away fails what waits for it.
        if policy.needsDevice, let absence = device.absence, absence.code != .private { return absence }
        return nil
    }

    /// An id is known for ten minutes, and while its command waits.
    private func repetition(of request: Request) -> CommandError? {
        guard let id = request.envelope.id else { return nil }
        let isWaiting = entries.contains {
            $0.policy.runsOnce && $0.request.client == request.client && $0.request.envelope.id == id
        }
        return isWaiting
            ? CommandError(.duplicate, "\(id) waits already; a new command needs a new id.", field: "id")
            : nil
    }

    /// Ends a command of another client if too many wait.
    private func makeRoom(for request: Request) throws(CommandError) {
        let own = entries.count { $0.request.client == request.client }
        guard own < Self.maxOfClient else {
            throw CommandError(.busy, "\(own) commands of this client wait for their time already.")
        }
        guard entries.count >= Self.maxCount else { return }
        guard let place = FairShare.placeToFree(entries.map(\.request.owner), for: request.owner) else {
            throw CommandError(.busy, "\(entries.count) commands wait for their time already.")
        }
        context.refuse(
            entries.remove(at: place).request,
            CommandError(.busy, "The command made room for one of another client."))
    }

    func failPending(_ cause: PendingFailure) {
        let failed: [Entry]
        switch cause {
        // Privacy may be off again at the time of a command: it is checked then.
        case .privacy: return
        case .deviceGone:
            failed = entries.filter(\.policy.needsDevice)
            entries.removeAll(where: \.policy.needsDevice)
        case .stopping:
            failed = entries
            entries = []
        }
        schedule()
        for entry in failed { context.refuse(entry.request, cause.error) }
    }

    // MARK: Time

    private func schedule() {
        steps =
            entries.isEmpty
            ? nil : steps ?? context.observeClockSteps { [weak self] in self?.clockWasSet() }
        timer.set(at: [entries.map(\.due).min(), nextWake].compactMap { $0 }.min())
    }

    private func clockWasSet() {
        for place in entries.indices { entries[place].due = context.instant(at: entries[place].at) }
        schedule()
    }

    private func timerFired() {
        // One command may fail others, or the device.
        while let place = nextDue { begin(entryAt: place) }
        if let nextWake, nextWake <= context.now {
            lastWake = context.now
            if device.presence == .ready { device.frame(exposedAfter: context.now) { _ in } }
        }
        schedule()
    }

    /// The command whose time has passed first; of several, the one that came first.
    private var nextDue: Int? {
        let now = context.now
        return entries.indices.filter { entries[$0].due <= now }.min { entries[$0].due < entries[$1].due }
    }

    private func begin(entryAt place: Int) {
        // The clock may have been set, and not be reported yet.
        let due = context.instant(at: entries[place].at)
        let now = context.now
        guard due <= now.advanced(by: Self.tolerance) else { return entries[place].due = due }
        let entry = entries.remove(at: place)
        guard due.duration(to: now) <= .seconds(Self.maxLateness) else {
            return context.refuse(
                entry.request,
                CommandError(
                    .stale,
                    "at: \(Timestamp.text(entry.at)) passed unnoticed; it is \(context.timestamp) here.",
                    field: "at"))
        }
        var request = entry.request
        request.time = min(due, now)
        begin(entry.body, request, entry.policy)
    }

    /// When frames are requested next, so that they come at the time of a photo or a recording.
    private var nextWake: ContinuousClock.Instant? {
        guard let due = entries.filter(\.body.usesFrames).map(\.due).min() else { return nil }
        let first = due.advanced(by: Duration.zero - Self.wakeLead)
        let next = lastWake.map { max(first, $0.advanced(by: Self.wakeInterval)) } ?? first
        return next < due ? next : nil
    }
}
