import Base

@testable import State

/// What a writer reported, for a test that waits for it.
final class Reports: Sendable {
    private struct Known {
        var stored: Set<Int> = []
        var failed: Set<Int> = []
        var recoveries = 0
    }

    private let known = Monitor(Known())

    func add(_ report: WriteReport) {
        known.change { known, _ in
            switch report {
            case .stored(let tickets):
                known.stored.formUnion(tickets)
                if tickets.isEmpty { known.recoveries += 1 }
            case .failed(let tickets, _): known.failed.formUnion(tickets)
            case .snapshotFailed: break
            }
        }
    }

    var stored: Set<Int> { known.change { known, _ in known.stored } }

    /// Waits for a report of each ticket. Returns whether all of them are stored.
    @discardableResult func wait(for tickets: some Sequence<Int>) -> Bool {
        let tickets = Set(tickets)
        return known.wait { known, _ in
            tickets.isSubset(of: known.stored.union(known.failed))
                ? .answer(tickets.isSubset(of: known.stored)) : .wait(until: nil)
        }
    }

    func waitForRecovery() {
        known.wait { known, _ in known.recoveries > 0 ? .answer(()) : .wait(until: nil) }
    }
}
