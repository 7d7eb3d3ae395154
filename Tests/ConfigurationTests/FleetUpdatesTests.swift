import Testing

@testable import Configuration
@testable import Contract

/// What an agent reports of the documents of its fleet, when it restarts, and how often.
@Suite struct FleetUpdatesTests {
    /// The updates of an agent whose checks end when the test says so. Times are in seconds since its start.
    private final class Bench {
        private let start = ContinuousClock.now
        private(set) var seconds = 0.0
        private let change: FleetUpdates.Change
        private var checks: [() -> Void] = []
        private(set) var updates: FleetUpdates!
        /// When each restart began.
        private(set) var restarts: [Double] = []
        private(set) var kept: [Int] = []
        private(set) var refusals: [FleetRefusal] = []
        private(set) var reports: [FleetFields?] = []
        private var next: ContinuousClock.Instant?

        /// - Parameters:
        ///   - version: that the device has in effect; nil: none.
        ///   - change: what each document changes.
        init(
            version: Int? = nil, change: FleetUpdates.Change = .restart, spread: Duration = .zero,
            isRestarted: Bool = false
        ) throws {
            self.change = change
            let fleet = try version.map { try FleetConfiguration(Bench.document($0)) }
            updates = FleetUpdates(
                fleet.map { .applied($0) }, spread: spread, restarted: isRestarted ? start : nil,
                clock: { [unowned self] in now },
                run: { [unowned self] work, then in checks.append { then(work()) } },
                check: { [change] _ in change })
            updates.restart = { [unowned self] in restarts.append(seconds) }
            updates.isKept = { [unowned self] in kept.append($0) }
            updates.refused = { [unowned self] in refusals.append($0) }
            updates.changed = { [unowned self] in reports.append(updates.fields) }
            updates.wakeUp = { [unowned self] in next = $0 }
        }

        static func document(_ version: Int, _ config: String = "{}") -> [UInt8] {
            Array("{\"version\": \(version), \"config\": \(config)}".utf8)
        }

        private var now: ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

        /// A document comes, and its check ends.
        func take(_ document: [UInt8]) {
            updates.take(document)
            endChecks()
        }

        func takeVersion(_ version: Int) { take(Self.document(version)) }

        func endChecks() { while !checks.isEmpty { checks.removeFirst()() } }

        func pass(_ time: Double) {
            let end = seconds + time
            while let due = next, due <= start.advanced(by: .seconds(end)) {
                seconds = max(seconds, start.duration(to: due) / .seconds(1))
                next = nil
                updates.wake()
                endChecks()
            }
            seconds = end
        }
    }

    @Test func aVersionIsKeptAndThenTheAgentRestartsAtOnce() throws {
        let bench = try Bench(version: 3)
        bench.takeVersion(4)
        #expect(bench.kept == [4] && bench.restarts == [0] && bench.reports.isEmpty)
        #expect(bench.updates.fields == FleetFields(version: 3), "the next run has it in effect")
    }

    @Test func aVersionThatChangesNothingIsInEffectAtOnce() throws {
        let bench = try Bench(version: 3, change: .none)
        bench.takeVersion(4)
        #expect(bench.reports == [FleetFields(version: 4)] && bench.restarts.isEmpty)
    }

    @Test func eachAgentWaitsForItsPartOfTheSpread() throws {
        let bench = try Bench(spread: .seconds(300))
        bench.takeVersion(1)
        bench.pass(299)
        // A newer version does not begin the wait anew.
        bench.takeVersion(2)
        #expect(bench.restarts.isEmpty && bench.kept == [1, 2])
        bench.pass(1)
        #expect(bench.restarts == [300])
        bench.pass(3_600)
        #expect(bench.restarts == [300])
    }

    // MARK: Limits

    /// A run that began with a restart waits before the next one.
    @Test func restartsAreTenSecondsApart() throws {
        let bench = try Bench(version: 3, isRestarted: true)
        bench.pass(2)
        for version in 4...8 {
            bench.takeVersion(version)
            bench.pass(1)
        }
        #expect(bench.restarts.isEmpty)
        bench.pass(3)
        #expect(bench.restarts == [10] && bench.kept == [4, 5, 6, 7, 8])
    }

    @Test func ofManyDocumentsOnlyTheNewestCounts() throws {
        let bench = try Bench()
        for version in 1...20 { bench.updates.take(Bench.document(version)) }
        // The first one is being checked meanwhile.
        bench.endChecks()
        #expect(bench.kept == [1, 20])
    }

    @Test func aFloodOfBadDocumentsIsReportedSeldom() throws {
        let bench = try Bench(version: 3)
        for number in 0..<3_000 { bench.take(Array("{\(number)".utf8)) }
        for number in 0..<3_000 {
            bench.take(Bench.document(100 + number, #"{"zoom": {"live_rate": 500}}"#))
        }
        #expect(bench.refusals.count == 16 && bench.reports.count == 16)
        // The newest one is refused at last, and a good one is taken.
        bench.pass(10)
        #expect(bench.refusals.last?.version == 3_099 && bench.refusals.count == 17)
        bench.pass(10)
        bench.takeVersion(4)
        #expect(bench.kept == [4] && bench.restarts.count == 1)
        bench.pass(3_600)
        #expect(bench.refusals.count == 17)
    }

    @Test func theAllowanceComesBack() throws {
        let bench = try Bench(change: .none)
        for version in 1...16 { bench.takeVersion(version) }
        bench.takeVersion(17)
        #expect(bench.updates.fields?.version == 16)
        bench.pass(170)
        for version in 18...33 { bench.takeVersion(version) }
        #expect(bench.updates.fields?.version == 33)
    }

    /// A broker delivers it at each connection.
    @Test func theKnownDocumentUsesNoAllowance() throws {
        let bench = try Bench(version: 3)
        for _ in 0..<100 { bench.takeVersion(3) }
        #expect(bench.reports.isEmpty)
        bench.takeVersion(4)
        #expect(bench.restarts == [0])
    }

    // MARK: Refusals

    @Test func aRefusalEndsWhenTheKnownDocumentComesAgain() throws {
        let bench = try Bench(version: 3)
        bench.takeVersion(2)
        #expect(bench.updates.fields?.version == 3 && bench.updates.fields?.refused?.version == 2)
        #expect(bench.updates.fields?.refused?.error.code == .stale)
        bench.takeVersion(3)
        #expect(bench.updates.fields == FleetFields(version: 3))
    }

    /// The file of the agent was changed in the meantime.
    @Test func aVersionWithWhichTheAgentCannotRestartIsReported() throws {
        let bench = try Bench(version: 3)
        bench.takeVersion(4)
        bench.updates.restartIsRefused("porch.yaml:1: log.level: expected info\nmore")
        let refused = try #require(bench.updates.fields?.refused)
        #expect(bench.updates.fields?.version == 3 && refused.version == 4)
        #expect(refused.error.code == .badPayload)
        #expect(
            refused.error.message
                == "it is kept, but the agent can't restart with it: porch.yaml:1: log.level: expected info")
        // The same document once more: it is tried again, and reported until it is in effect.
        bench.takeVersion(4)
        bench.pass(9)
        #expect(bench.restarts == [0] && bench.updates.fields?.refused != nil)
        bench.pass(1)
        #expect(bench.restarts == [0, 10])
        bench.updates.restartIsRefused("the same")
        bench.pass(20)
        bench.takeVersion(5)
        #expect(bench.restarts == [0, 10, 30])
    }

    /// Of an operator's reload, which is not for the fleet.
    @Test func anotherRestartThatIsRefusedSaysNothingOfTheFleet() throws {
        let bench = try Bench(version: 3)
        bench.updates.restartIsRefused("log.level: expected info")
        #expect(bench.refusals.isEmpty && bench.updates.fields == FleetFields(version: 3))
    }

    @Test func aVersionThatTakesTheChangesBackCancelsTheRestart() throws {
        final class Changes: @unchecked Sendable { var all: [FleetUpdates.Change] = [.restart, .none] }
        let changes = Changes()
        let time = ContinuousClock.now
        var (restarts, seconds) = (0, 0)
        let updates = FleetUpdates(
            nil, spread: .seconds(60), restarted: nil, clock: { time.advanced(by: .seconds(seconds)) },
            run: { work, then in then(work()) }, check: { _ in changes.all.removeFirst() })
        updates.restart = { restarts += 1 }
        updates.take(Bench.document(1))
        updates.take(Bench.document(2))
        #expect(updates.fields == FleetFields(version: 2))
        seconds = 61
        updates.wake()
        #expect(restarts == 0)
    }
}
