internal import Configuration
internal import Messages

/// Takes the documents that a fleet manager publishes for all agents, one after the other, and decides what
/// is reported of them.
///
/// A document is checked together with all other layers, kept on the disk, and then applied: by a restart, if
/// it changes anything. A restart is reported by the run that follows, which has it in effect.
final class FleetUpdates {
    /// What follows from a document that is kept on the disk by now.
    enum Change: Sendable {
        /// All settings stay as they are.
        case none
        case restart
    }

    /// Checks a document and keeps it. For a thread of its own, as it reads and writes files.
    typealias Check = @Sendable (FleetConfiguration) throws -> Change

    typealias Outcome = Result<Change, FleetRefusal>
    /// Does work on a thread of its own, then calls back. Throws why there is no thread.
    typealias Worker = (_ work: @escaping @Sendable () -> Outcome, _ then: @escaping (Outcome) -> Void) throws
        -> Void

    private let check: Check
    private let run: Worker
    /// What is kept on the disk.
    private var kept: FleetConfiguration?
    /// The document that is being checked; nil: none is.
    private var checking: FleetConfiguration?
    /// The newest document that came meanwhile.
    private var next: [UInt8]?

    /// For the agent's `info`.
    private(set) var fields: FleetFields?
    /// Called when ``fields`` may have changed.
    var changed: () -> Void = {}
    /// Called with a version that is kept and needs a restart.
    var needsRestart: (_ version: Int) -> Void = { _ in }
    /// Called when a document is refused.
    var refused: (FleetRefusal) -> Void = { _ in }

    /// - Parameters:
    ///   - outcome: what became of the document that the device had kept when this run began.
    ///   - run: does work on a thread of its own, then calls back.
    init(
        _ outcome: FleetOutcome?,
        run: @escaping Worker, check: @escaping Check
    ) {
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
    func take(_ payload: [UInt8]) {
        guard checking == nil else {
            next = payload
            return
        }
        do throws(FleetRefusal) {
            let fleet = try FleetConfiguration(payload)
            if let problem = fleet.problem(after: kept) { throw problem }
            if let kept, fleet.isSame(as: kept) { return accept(nil) }
            begin(fleet)
        } catch {
            refuse(error)
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
            case .none: accept(fleet.version)
            case .restart: needsRestart(fleet.version)
            }
        case .failure(let refusal): refuse(refusal)
        }
        if let payload = next {
            next = nil
            take(payload)
        }
    }

    /// - Parameter version: that is in effect from now on; nil: the one before.
    private func accept(_ version: Int?) {
        let version = version ?? fields?.version
        fields = version.map { FleetFields(version: $0) }
        changed()
    }

    private func refuse(_ refusal: FleetRefusal) {
        let fields = FleetFields(version: fields?.version, refused: FleetFields.Refusal(refusal))
        guard fields != self.fields else { return }
        self.fields = fields
        refused(refusal)
        changed()
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
