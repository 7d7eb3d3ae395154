import FoundationEssentials
import ScenarioPlayer
import Testing

/// The scenarios of the contract, against an agent in virtual time.
struct ScenarioTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Scenarios").path
    private static let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []

    private static func failures(_ text: String) throws -> [Scenario.Failure] {
        try ScenarioPlayer.failures(of: try Scenario(text)) { try AgentStage($0) }
    }

    @Test(arguments: names) func aScenarioHolds(name: String) throws {
        let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
        let failures = try Self.failures(text)
        #expect(failures.isEmpty, "\(name), \(failures.map(\.description).joined(separator: "\n"))")
    }

    @Test func thereAreScenarios() { #expect(Self.names.count >= 10) }

    @Test(arguments: [
        "A> zoom 2 < error", "A> zoom 2 < done, done", "A> zoom 2 < -", "A> zoom 0 < error device",
        "A> zoom 2 < done {\"factor\": 3}", "A> zoom 2\n= zoom {\"factor\": 3}", "= zoom {\"absent\": 1}",
        "= zoom {\"factor\": \"-\"}", "! event {\"event\": \"captured\"}", "device fail nothing",
        "= cellar/zoom {}",
    ])
    func whatDoesNotHoldIsReported(text: String) throws { #expect(try Self.failures(text).count == 1) }

    @Test(arguments: ["A> zoom 2 < done {", "+2", "= zoom", "zoom 2", "device"])
    func aLineThatIsNotUnderstoodIsReported(text: String) {
        #expect(throws: Scenario.Failure.self) { try Scenario(text) }
    }

    @Test func revisionsStartsAndTimesAreRanks() {
        let lines = [
            #"< t {"rev":70,"boot":3,"ts":"2026-11-21T09:46:34.152Z","run":"a1"}"#,
            #"< t {"rev":9,"ts":"2026-11-21T09:46:34.151Z","message":"The camera is at rev 70, not 9."}"#,
        ]
        #expect(
            RecordedSequence.ranked(lines) == [
                #"< t {"boot":b1,"rev":r2,"run":"*","ts":"t2"}"#,
                #"< t {"message":"The camera is at rev r2, not 9.","rev":r1,"ts":"t1"}"#,
            ])
    }
}
