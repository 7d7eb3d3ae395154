internal import Base
internal import Cameras
internal import Contract
internal import FoundationEssentials

/// The commands of one camera that wait for the time in their field `at`.
///
/// ``add(_:)`` checks expiry, the time, the clock, that there is a device, duplicate ids, and how many
/// wait. When its time has come, ``begin`` checks `if_rev`, the device and the lease. Waiting commands don't
/// outlive the agent.
final class WaitingCommands: BasedNode {
    private struct Entry {
        let request: Request
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

    private let gate: CommandGate
    /// Carries out a command whose time has come, or refuses it.
    var begin: (Request) -> Void = { _ in }
    /// In the order in which they came.
    private var entries: [Entry] = []
    private var lastWake: ContinuousClock.Instant?
    /// Reports that the clock was set, while commands wait.
    private var steps: AnyObject?
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    init(_ base: NodeBase, gate: CommandGate) {
        self.gate = gate
        super.init(base)
    }

    // MARK: Commands

    /// Keeps a command until its time, and answers it as accepted; or refuses it.
    func add(_ request: Request) {
        guard let at = request.envelope.at else { return }
        do throws(CommandError) {
            let error =
                gate.refusalOnArrival(of: request) ?? refusal(of: at, request)
                ?? repetition(of: request) ?? gate.repetition(request)
            if let error { throw error }
            request.isRecorded = request.policy.runsOnce
            try makeRoom(for: request)
        } catch {
            return context.refuse(request, error)
        }
        // Privacy may be off again at the time of the command: it is checked then.
        request.needs.remove(.pictures)
        entries.append(Entry(request: request, at: at, due: context.instant(at: at)))
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
    private func refusal(of at: Date, _ request: Request) -> CommandError? {
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
                "at: the clock of this machine isn't synchronised. Synchronise it, or \(CommandError.Advice.anyClock.rawValue).",
                field: "at")
        }
        // A device that is closed for privacy may be open by then; one that is away fails what waits for it.
        guard request.policy.needsDevice, let absence = device.absence else { return nil }
        return absence.code == .private ? nil : absence
    }

    /// An id is known for ten minutes, and while its command waits.
    private func repetition(of request: Request) -> CommandError? {
        guard let id = request.envelope.id else { return nil }
        let isWaiting = entries.contains {
            $0.request.policy.runsOnce && $0.request.client == request.client
                && $0.request.envelope.id == id
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
        let place = try FairShare.place(
            for: request.owner, among: entries.map(\.request.owner), atMost: Self.maxCount,
            else: "\(entries.count) commands wait for their time already.")
        if let place { context.refuse(entries.remove(at: place).request, .madeRoom("command")) }
    }

    override func failPending(_ cause: PendingFailure) {
        context.end(entries.map(\.request), cause)
        entries.removeAll { !$0.request.isOpen }
        schedule()
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
        entry.request.needs = Request.Needs(entry.request.policy)
        entry.request.modelTime = min(due, now).forModel
        begin(entry.request)
    }

    /// When frames are requested next, so that they come at the time of a photo or a recording.
    private var nextWake: ContinuousClock.Instant? {
        let due = entries.filter { $0.request.policy.usesFrames }.map(\.due).min()
        guard let due else { return nil }
        let first = due.advanced(by: Duration.zero - Self.wakeLead)
        let next = lastWake.map { max(first, $0.advanced(by: Self.wakeInterval)) } ?? first
        return next < due ? next : nil
    }
}
