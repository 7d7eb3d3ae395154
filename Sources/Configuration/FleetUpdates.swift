package import Contract

/// Takes the documents that a fleet manager publishes for all agents, one after the other, and decides what
/// is reported of them, and when the agent restarts.
///
/// A document is checked together with all other layers, kept on the disk, and then applied: by a restart, if
/// it changes anything. A restart is reported by the run that follows, which has it in effect.
///
/// Documents and restarts are limited, because each one costs every agent of the fleet something: of
/// documents that come faster, only the newest counts.
package final class FleetUpdates {
    /// What follows from a document that is kept on the disk by now.
    package enum Change: Sendable {
        /// All settings stay as they are.
        case none
        case restart
    }

    /// Checks a document and keeps it. For a thread of its own, as it reads and writes files.
    package typealias Check = @Sendable (FleetConfiguration) throws -> Change

    package typealias Outcome = Result<Change, FleetRefusal>
    /// Does work on a thread of its own, then calls back. Throws why there is no thread.
    package typealias Worker = (
        _ work: @escaping @Sendable () -> Outcome, _ then: @escaping (Outcome) -> Void
    ) throws -> Void

    /// Whether what is kept on the disk is in effect.
    private enum State {
        /// It is, or nothing is kept.
        case inEffect
        /// The restart begins at this time.
        case waiting(until: ContinuousClock.Instant)
        /// The restart has begun. Recordings may delay it.
        case restarting
        /// The agent could not restart with it.
        case refused
    }

    /// From one restart to the next.
    static let restartInterval = Duration.seconds(10)

    private let spread: Duration
    private let clock: () -> ContinuousClock.Instant
    private let check: Check
    private let run: Worker
    /// What is kept on the disk.
    private var kept: FleetConfiguration?
    private var state = State.inEffect
    /// When the last restart began; nil: there was none.
    private var lastRestart: ContinuousClock.Instant?
    /// The document that is being checked; nil: none is.
    private var checking: FleetConfiguration?
    /// The newest document that was not read yet.
    private var next: [UInt8]?
    private var allowance = DocumentAllowance()

    /// For the agent's `info`.
    package private(set) var fields: FleetFields?
    /// Called when ``fields`` has changed.
    package var changed: () -> Void = {}
    /// Called with a version that is kept and needs a restart.
    package var isKept: (_ version: Int) -> Void = { _ in }
    /// Called when the restart is to begin. It takes what is kept then.
    package var restart: () -> Void = {}
    /// Called when a document is refused.
    package var refused: (FleetRefusal) -> Void = { _ in }
    /// Called with the time at which ``wake()`` is to be called; nil: at none.
    package var wakeUp: (ContinuousClock.Instant?) -> Void = { _ in }

    /// - Parameters:
    ///   - outcome: what became of the document that the device had kept when this run began.
    ///   - spread: how long this agent waits before a restart.
    ///   - restarted: when this run began, if it is a restart; nil: it isn't.
    ///   - clock: the time.
    ///   - run: does work on a thread of its own, then calls back.
    package init(
        _ outcome: FleetOutcome?, spread: Duration, restarted: ContinuousClock.Instant?,
        clock: @escaping () -> ContinuousClock.Instant, run: @escaping Worker, check: @escaping Check
    ) {
        (self.spread, lastRestart, self.clock) = (spread, restarted, clock)
        (self.run, self.check) = (run, check)
        switch outcome {
        case .applied(let fleet)?:
            kept = fleet
            fields = FleetFields(version: fleet.version)
        case .refused(let refusal)?: fields = FleetFields(refused: FleetFields.Refusal(refusal))
        case nil: break
        }
    }

    /// Takes a document as it was published. One that is known already changes nothing.
    package func take(_ payload: [UInt8]) {
        next = payload
        wake()
    }

    /// Does what is due: begins the restart, or reads the newest document.
    package func wake() {
        if case .waiting(let time) = state, time <= clock() {
            (state, lastRestart) = (.restarting, clock())
            restart()
        }
        readNext()
        wakeUp(nextTime)
    }

    private var nextTime: ContinuousClock.Instant? {
        var times: [ContinuousClock.Instant] = []
        if case .waiting(let time) = state { times.append(time) }
        if next != nil && checking == nil, let time = allowance.next { times.append(time) }
        return times.min()
    }

    private func readNext() {
        guard checking == nil, let payload = next else { return }
        if let kept, payload == kept.payload {
            next = nil
            return takeAgain()
        }
        guard allowance.take(at: clock()) else { return }
        next = nil
        do throws(FleetRefusal) {
            let fleet = try FleetConfiguration(payload)
            if let problem = fleet.problem(after: kept) { throw problem }
            begin(fleet)
        } catch {
            refuse(error)
        }
    }

    /// The document that is kept has come once more.
    private func takeAgain() {
        switch state {
        case .inEffect, .waiting, .restarting: accept(nil)
        // What was wrong may have been corrected.
        case .refused: waitForRestart()
        }
    }

    private func begin(_ fleet: FleetConfiguration) {
        checking = fleet
        do {
            try run({ [check] in
                do {
                    return .success(try check(fleet))
                } catch let refusal as FleetRefusal {
                    return .failure(refusal)
                } catch {
                    return .failure(FleetRefusal(.invalid, "\(error)", version: fleet.version))
                }
            }) { [weak self] in self?.checked($0) }
        } catch {
            checking = nil
            refuse(FleetRefusal(.unsaved, "\(error)", version: fleet.version))
        }
    }

    private func checked(_ result: Outcome) {
        guard let fleet = checking else { return }
        checking = nil
        switch result {
        case .success(let change):
            kept = fleet
            switch change {
            case .none:
                if case .restarting = state {} else { state = .inEffect }
                accept(fleet.version)
            case .restart:
                isKept(fleet.version)
                waitForRestart()
            }
        case .failure(let refusal): refuse(refusal)
        }
        wake()
    }

    /// A restart that waits, or has begun, takes the newest version too.
    private func waitForRestart() {
        switch state {
        case .waiting, .restarting: break
        case .inEffect, .refused:
            let earliest = lastRestart?.advanced(by: Self.restartInterval)
            let time = clock().advanced(by: spread)
            state = .waiting(until: max(time, earliest ?? time))
        }
    }

    /// Reports the version that is kept as refused: the agent can't restart, and goes on without it.
    ///
    /// - Parameter reasons: why it can't restart, one in each line. The first one is reported.
    package func restartIsRefused(_ reasons: String) {
        guard case .restarting = state, let kept else { return }
        state = .refused
        let first = reasons.split(separator: "\n").first ?? ""
        refuse(
            FleetRefusal(
                .invalid, "it is kept, but the agent can't restart with it: \(first)",
                version: kept.version))
        wakeUp(nextTime)
    }

    /// - Parameter version: that is in effect from now on; nil: the one before.
    private func accept(_ version: Int?) {
        report((version ?? fields?.version).map { FleetFields(version: $0) })
    }

    private func refuse(_ refusal: FleetRefusal) {
        if report(FleetFields(version: fields?.version, refused: FleetFields.Refusal(refusal))) {
            refused(refusal)
        }
    }

    /// Returns whether it differs from what was reported before.
    @discardableResult private func report(_ new: FleetFields?) -> Bool {
        guard new != fields else { return false }
        fields = new
        changed()
        return true
    }
}

/// How many documents are read: a few at once, and one in each ``interval`` on average.
private struct DocumentAllowance {
    private static let maxAtOnce = 16
    private static let interval = Duration.seconds(10)

    /// When nothing will be used up; nil: nothing was used yet.
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

extension FleetFields.Refusal {
    /// As the agent's `info` has it.
    init(_ refusal: FleetRefusal) {
        let code: CommandError.Code =
            switch refusal.reason {
            case .invalid: .badPayload
            case .notPermitted: .forbidden
            case .stale: .stale
            case .tooLarge: .tooLarge
            case .unsaved: .storageFull
            }
        self.init(
            version: refusal.version, error: CommandError(code, refusal.message, field: refusal.key))
    }
}
