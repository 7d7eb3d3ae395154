import Testing

@testable import Configuration
@testable import Contract

/// What an agent reports of the documents of its fleet, when it restarts, and how often.
@Suite struct RestartsTests {
    /// An agent whose checks of documents end when the test says so. Times are in seconds since its start.
    private final class Bench {
        private let start = ContinuousClock.now
        private(set) var seconds = 0.0
        /// Whether documents need a restart.
        var needsRestart: Bool
        private var machine: Restarts
        private var checks: [FleetConfiguration] = []
        /// When each restart because of the fleet began.
        private(set) var restarts: [Double] = []
        private(set) var kept: [Int] = []
        private(set) var refusals: [FleetRefusal] = []
        private(set) var reports: [FleetFields?] = []
        private(set) var waits = 0
        private(set) var ends = 0
        var isRecording = false

        var fields: FleetFields? { machine.fields }

        /// - Parameter version: that the device has in effect; nil: none.
        init(
            version: Int? = nil, needsRestart: Bool = true, spread: Duration = .zero,
            isRestarted: Bool = false
        ) throws {
            self.needsRestart = needsRestart
            let fleet = try version.map { try FleetConfiguration(Bench.document($0)) }
            machine = Restarts(
                fleet.map { .applied($0) }, spread: spread, longestRecording: .seconds(60),
                restarted: isRestarted ? start : nil)
        }

        static func document(_ version: Int, _ config: String = "{}") -> [UInt8] {
            Array("{\"version\": \(version), \"config\": \(config)}".utf8)
        }

        func handle(_ event: Restarts.Event) {
            let before = fields
            let now = start.advanced(by: .seconds(seconds))
            for action in machine.handle(event, at: now, isRecording: isRecording) {
                switch action {
                case .check(let fleet?): checks.append(fleet)
                case .check(nil): restarts.append(seconds)
                case .kept(let version): kept.append(version)
                case .refused(let refusal): refusals.append(refusal)
                case .wait: waits += 1
                case .restart: ends += 1
                case .stay: break
                }
            }
            if fields != before { reports.append(fields) }
        }

        /// A document comes, and its check ends.
        func take(_ document: [UInt8]) {
            handle(.document(document))
            endChecks()
        }

        func takeVersion(_ version: Int) { take(Self.document(version)) }

        func endChecks() {
            while !checks.isEmpty { handle(.checked(checks.removeFirst(), .success(needsRestart))) }
        }

        /// The agent could not run again.
        func refuse(_ reasons: String) { handle(.checked(nil, .failure(Reasons(description: reasons)))) }

        func pass(_ time: Double) {
            let end = seconds + time
            while let due = machine.nextTime, due <= start.advanced(by: .seconds(end)) {
                seconds = max(seconds, start.duration(to: due) / .seconds(1))
                handle(.timePassed)
                endChecks()
            }
            seconds = end
        }
    }

    private struct Reasons: Error, CustomStringConvertible { let description: String }

    // MARK: Recordings

    @Test func aRestartWaitsForTheEndOfRecordings() throws {
        let bench = try Bench()
        bench.isRecording = true
        bench.handle(.request)
        bench.handle(.checked(nil, .success(true)))
        #expect(bench.waits == 1 && bench.ends == 0)
        bench.pass(30)
        bench.isRecording = false
        bench.handle(.recordingEnded)
        // The configuration is checked once more.
        #expect(bench.restarts == [0, 30] && bench.ends == 0)
        bench.handle(.checked(nil, .success(true)))
        #expect(bench.waits == 1 && bench.ends == 1)
    }

    @Test func aRestartDoesNotWaitForLong() throws {
        let bench = try Bench()
        bench.isRecording = true
        bench.handle(.request)
        bench.handle(.checked(nil, .success(true)))
        bench.pass(59)
        #expect(bench.restarts == [0])
        bench.pass(1)
        #expect(bench.restarts == [0, 60])
        bench.handle(.checked(nil, .success(true)))
        #expect(bench.ends == 1)
    }

    @Test func aRecordingEndsNothingWhereNoRestartWaits() throws {
        let bench = try Bench()
        bench.handle(.recordingEnded)
        bench.isRecording = true
        bench.handle(.request)
        bench.handle(.checked(nil, .success(true)))
        bench.refuse("log.level: expected info")
        bench.handle(.recordingEnded)
        bench.pass(120)
        #expect(bench.restarts == [0])
    }

    // MARK: Documents of the fleet

    @Test func aVersionIsKeptAndThenTheAgentRestartsAtOnce() throws {
        let bench = try Bench(version: 3)
        bench.takeVersion(4)
        #expect(bench.kept == [4] && bench.restarts == [0] && bench.reports.isEmpty)
        #expect(bench.fields == FleetFields(version: 3), "the next run has it in effect")
    }

    @Test func aVersionThatChangesNothingIsInEffectAtOnce() throws {
        let bench = try Bench(version: 3, needsRestart: false)
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
        for version in 1...20 { bench.handle(.document(Bench.document(version))) }
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
        let bench = try Bench(needsRestart: false)
        for version in 1...16 { bench.takeVersion(version) }
        bench.takeVersion(17)
        #expect(bench.fields?.version == 16)
        bench.pass(170)
        for version in 18...33 { bench.takeVersion(version) }
        #expect(bench.fields?.version == 33)
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
        #expect(bench.fields?.version == 3 && bench.fields?.refused?.version == 2)
        #expect(bench.fields?.refused?.error.code == .stale)
        bench.takeVersion(3)
        #expect(bench.fields == FleetFields(version: 3))
    }

    /// The file of the agent was changed in the meantime.
    @Test func aVersionWithWhichTheAgentCannotRestartIsReported() throws {
        let bench = try Bench(version: 3)
        bench.takeVersion(4)
        bench.refuse("porch.yaml:1: log.level: expected info\nmore")
        let refused = try #require(bench.fields?.refused)
        #expect(bench.fields?.version == 3 && refused.version == 4)
        #expect(refused.error.code == .badPayload)
        #expect(
            refused.error.message
                == "it is kept, but the agent can't restart with it: porch.yaml:1: log.level: expected info")
        // The same document once more: it is tried again, and reported until it is in effect.
        bench.takeVersion(4)
        bench.pass(9)
        #expect(bench.restarts == [0] && bench.fields?.refused != nil)
        bench.pass(1)
        #expect(bench.restarts == [0, 10])
        bench.refuse("the same")
        bench.pass(20)
        bench.takeVersion(5)
        #expect(bench.restarts == [0, 10, 30])
    }

    /// Of an operator's reload, which is not for the fleet.
    @Test func anotherRestartThatIsRefusedSaysNothingOfTheFleet() throws {
        let bench = try Bench(version: 3)
        bench.refuse("log.level: expected info")
        #expect(bench.refusals.isEmpty && bench.fields == FleetFields(version: 3))
    }

    @Test func aVersionThatTakesTheChangesBackCancelsTheRestart() throws {
        let bench = try Bench(spread: .seconds(60))
        bench.takeVersion(1)
        bench.needsRestart = false
        bench.takeVersion(2)
        #expect(bench.fields == FleetFields(version: 2))
        bench.pass(61)
        #expect(bench.restarts.isEmpty)
    }
}
