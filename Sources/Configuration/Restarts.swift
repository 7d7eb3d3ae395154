internal import Base
package import Contract

/// Decides when the agent restarts: because its user or a device asks for it, or because of a document that a
/// fleet manager publishes for all agents. Pure: the service tells it what happens, and does what follows.
///
/// Before a restart the configuration is checked, and the end of recordings is awaited, up to a limit. A
/// document is checked together with all other layers, kept on the disk, and then applied: by a restart, if
/// it changes anything. A restart is reported by the run that follows, which has it in effect.
///
/// Documents and restarts because of them are limited, because each one costs every agent of the fleet
/// something: of documents that come faster, only the newest counts.
package struct Restarts {
    package typealias Instant = ContinuousClock.Instant

    package enum Event {
        /// A restart is asked for.
        case request
        /// A document of the fleet, as it was published. One that is known already changes nothing.
        case document([UInt8])
        /// The end of ``Action/check(_:)``: whether it needs a restart, or why the agent can't use it.
        case checked(FleetConfiguration?, Result<Bool, any Error>)
        case recordingEnded
        /// ``nextTime`` has come.
        case timePassed
    }

    package enum Action {
        /// Check on a thread of its own, as it reads and writes files: whether the program could run again
        /// now, or a document, and keep that.
        case check(FleetConfiguration?)
        /// Log that the restart waits for recordings.
        case wait
        /// Stop, and run the program again.
        case restart
        /// Log why the agent does not restart.
        case stay(reasons: String)
        /// Log the version of a document that is kept and needs a restart.
        case kept(version: Int)
        /// Log why a document is refused.
        case refused(FleetRefusal)

        /// Whether it is for a document of the fleet.
        package var isOfDocument: Bool {
            switch self {
            case .check(let fleet): fleet != nil
            case .kept, .refused: true
            case .wait, .restart, .stay: false
            }
        }
    }

    /// Whether what is kept on the disk is in effect.
    private enum State {
        /// It is, or nothing is kept.
        case inEffect
        /// The restart begins at this time.
        case waiting(until: Instant)
        /// The restart has begun. Recordings may delay it.
        case restarting
        /// The agent could not restart with it.
        case refused
    }

    /// From one restart because of the fleet to the next.
    private static let interval = Duration.seconds(10)

    private let spread: Duration
    private let longestRecording: Duration
    /// What is kept on the disk.
    private var kept: FleetConfiguration?
    private var state = State.inEffect
    /// When the last restart began; nil: there was none.
    private var last: Instant?
    /// Whether a document is being checked.
    private var isChecking = false
    /// The newest document that was not read yet.
    private var next: [UInt8]?
    private var allowance = DocumentAllowance()
    /// When a restart stops waiting for recordings; nil: none waits.
    private var deadline: Instant?
    /// What follows from the event that is being handled.
    private var actions: [Action] = []

    /// For the agent's `info`.
    package private(set) var fields: FleetFields?
    /// When ``Event/timePassed`` is due; nil: never.
    package private(set) var nextTime: Instant?

    /// - Parameters:
    ///   - outcome: what became of the document that the device had kept when this run began.
    ///   - spread: how long this agent waits before a restart because of the fleet.
    ///   - longestRecording: how long a restart waits for recordings.
    ///   - restarted: when this run began, if it is a restart; nil: it isn't.
    package init(
        _ outcome: FleetOutcome?, spread: Duration, longestRecording: Duration, restarted: Instant?
    ) {
        (self.spread, self.longestRecording, last) = (spread, longestRecording, restarted)
        switch outcome {
        case .applied(let fleet)?:
            kept = fleet
            fields = FleetFields(version: fleet.version)
        case .refused(let refusal)?: fields = FleetFields(refused: refusal)
        case nil: break
        }
    }

    /// Returns what is to be done now, in this order.
    package mutating func handle(_ event: Event, at now: Instant, isRecording: Bool = false) -> [Action] {
        actions = []
        switch event {
        case .request: actions.append(.check(nil))
        case .document(let payload): next = payload
        case .checked(nil, .success): restart(at: now, isRecording: isRecording)
        case .checked(nil, .failure(let error)): stay("\(error)")
        case .checked(let fleet?, let result): checked(fleet, result, at: now)
        // The configuration may have changed meanwhile.
        case .recordingEnded: if deadline != nil { actions.append(.check(nil)) }
        case .timePassed: if let deadline, deadline <= now { actions.append(.check(nil)) }
        }
        if case .waiting(let time) = state, time <= now {
            (state, last) = (.restarting, now)
            actions.append(.check(nil))
        }
        readNext(at: now)
        var times: [Instant] = []
        if let deadline, deadline > now { times.append(deadline) }
        if case .waiting(let time) = state { times.append(time) }
        if next != nil && !isChecking, let time = allowance.next { times.append(time) }
        nextTime = times.min()
        return actions
    }

    private mutating func restart(at now: Instant, isRecording: Bool) {
        let limit = deadline ?? now.advanced(by: longestRecording)
        guard isRecording, now < limit else { return actions.append(.restart) }
        if deadline == nil { actions.append(.wait) }
        deadline = limit
    }

    private mutating func stay(_ reasons: String) {
        deadline = nil
        actions.append(.stay(reasons: reasons))
        guard case .restarting = state, let kept else { return }
        state = .refused
        let first = reasons.split(separator: "\n").first ?? ""
        refuse(.badPayload, "it is kept, but the agent can't restart with it: \(first)", kept)
    }

    // MARK: Documents of the fleet

    private mutating func readNext(at now: Instant) {
        guard !isChecking, let payload = next else { return }
        if let kept, payload == kept.payload {
            next = nil
            // What was wrong may have been corrected.
            if case .refused = state { return waitForRestart(at: now) }
            return accept(fields?.version)
        }
        guard allowance.take(at: now) else { return }
        next = nil
        do throws(FleetRefusal) {
            let fleet = try FleetConfiguration(payload)
            if let problem = fleet.problem(after: kept) { throw problem }
            isChecking = true
            actions.append(.check(fleet))
        } catch {
            refuse(error)
        }
    }

    private mutating func checked(
        _ fleet: FleetConfiguration, _ result: Result<Bool, any Error>, at now: Instant
    ) {
        isChecking = false
        switch result {
        case .success(let needsRestart):
            kept = fleet
            if needsRestart {
                actions.append(.kept(version: fleet.version))
                return waitForRestart(at: now)
            }
            if case .restarting = state {} else { state = .inEffect }
            accept(fleet.version)
        case .failure(let refusal as FleetRefusal): refuse(refusal)
        // There is no thread for the check.
        case .failure(let error as LoopError): refuse(.storageFull, "\(error)", fleet)
        case .failure(let error): refuse(.badPayload, "\(error)", fleet)
        }
    }

    /// A restart that waits, or has begun, takes the newest version too.
    private mutating func waitForRestart(at now: Instant) {
        switch state {
        case .waiting, .restarting: break
        case .inEffect, .refused:
            let time = now.advanced(by: spread)
            state = .waiting(until: max(time, last?.advanced(by: Self.interval) ?? time))
        }
    }

    /// - Parameter version: that is in effect from now on.
    private mutating func accept(_ version: Int?) { fields = version.map { FleetFields(version: $0) } }

    private mutating func refuse(_ code: CommandError.Code, _ reason: String, _ fleet: FleetConfiguration) {
        refuse(FleetRefusal(version: fleet.version, error: CommandError(code, reason)))
    }

    private mutating func refuse(_ refusal: FleetRefusal) {
        let new = FleetFields(version: fields?.version, refused: refusal)
        if new != fields { actions.append(.refused(refusal)) }
        fields = new
    }
}

/// How many documents are read: a few at once, and one in each ``interval`` on average.
private struct DocumentAllowance {
    private static let maxAtOnce = 16
    private static let interval = Duration.seconds(10)

    /// When the whole allowance is available again; nil: nothing was used yet.
    private var full: ContinuousClock.Instant?

    /// When the next document may be read; nil: at any time.
    var next: ContinuousClock.Instant? { full?.advanced(by: Self.interval * (1 - Self.maxAtOnce)) }

    /// Returns whether a document may be read now, which it uses up then.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        if let next, next > now { return false }
        full = max(full ?? now, now).advanced(by: Self.interval)
        return true
    }
}
