import Messages
import Testing

@testable import Swarm

/// The figures of a report, its limits, and its forms.
struct SwarmReportTests {
    /// Ten messages in the hundredth of a second before second 1, ten in the one after, one at second 2.5.
    private var counts: MessageCounts {
        var counts = MessageCounts()
        for _ in 0..<10 { counts.add(bytes: 5, at: .milliseconds(995)) }
        for _ in 0..<10 { counts.add(bytes: 5, at: .milliseconds(1_005)) }
        counts.add(bytes: 7, at: .milliseconds(2_500))
        return counts
    }

    @Test func theBusiestSecondMayBeginAnywhere() {
        #expect(counts.perSecond == [10, 10, 1])
        #expect(counts.peak(in: .zero..<Duration.seconds(3)) == 20)
        #expect(counts.peak(in: .seconds(1)..<Duration.seconds(3)) == 10)
        #expect(counts.peak(in: .seconds(2)..<Duration.seconds(9)) == 1)
        #expect(counts.peak(in: .seconds(5)..<Duration.seconds(9)) == 0)
        #expect(counts.total == 21 && counts.bytes == 107)
        #expect(counts.count(in: .zero..<Duration.milliseconds(999)) == 10)
    }

    @Test func messagesAThirdOfASecondApartCountTogetherForOneSecondOnly() {
        var counts = MessageCounts()
        for index in 0..<30 { counts.add(bytes: 1, at: .milliseconds(index * 330)) }
        #expect(counts.peak(in: .zero..<Duration.seconds(20)) == 4)
    }

    @Test func timesOfAgentsThatAreOnlyCounted() {
        var times = AgentTimes(agents: 4)
        times.follow(count: 2, at: .seconds(1))
        times.follow(count: 1, at: .seconds(2))
        #expect(times.count == 1)
        times.follow(count: 2, at: .seconds(3))
        times.follow(count: 9, at: .seconds(4))
        #expect(times.isComplete)
        #expect(times.statistics(since: .zero) == .init(first: 1, median: 3, last: 4))
        times.follow(count: 0, at: .seconds(5))
        #expect(times.missing == 4)
        #expect(AgentTimes(agents: 4).statistics(since: .zero) == nil)
    }

    private func scenario(_ name: String, last: Duration, missing: Bool = false) -> SwarmReport.Scenario {
        var times = AgentTimes(agents: 2)
        times.note(0, at: last)
        if !missing { times.note(1, at: last) }
        return .init(name: name, begin: .zero, end: .seconds(3), times, counts)
    }

    private var report: SwarmReport {
        var report = SwarmReport(
            version: "1", started: "now", hosts: ["a<b>:1883"], agents: 2, processes: 1, spread: 60)
        report.scenarios = [
            scenario("connect", last: .seconds(2)), scenario("group", last: .seconds(1)),
            scenario("birth", last: .seconds(1)), scenario("group", last: .milliseconds(1_500)),
        ]
        report.broker_memory = .init(before: 1000, after: 51_000, cameras: 2)
        report.seconds = [.init(connected: 1, messages: 10), .init(connected: 2, messages: 30)]
        return report
    }

    @Test(arguments: [
        ("connect_s=2", true), ("connect_s=1.9", false), ("answer_s=1.5", true), ("answer_s=1.4", false),
        ("birth_messages_per_s=20", true), ("birth_messages_per_s=19", false),
        ("memory_bytes_per_camera=25000", true), ("memory_bytes_per_camera=24999", false),
        ("restart_s=100", false),
    ]) func aLimitIsJudgedByTheWorstValue(text: String, isKept: Bool) throws {
        var report = report
        report.judge(by: [try #require(SwarmLimit(text))])
        #expect(report.failures.isEmpty == isKept, "\(report.failures)")
    }

    @Test(arguments: ["answer_s", "answer_s=", "answer_s=x", "answer_s=-1", "answer_s=inf", "last_s=1", "=1"])
    func otherTextsAreNoLimits(text: String) { #expect(SwarmLimit(text) == nil) }

    @Test func missingAgentsAreAFailure() {
        var report = report
        report.scenarios.append(scenario("restart", last: .seconds(1), missing: true))
        report.judge(by: [])
        #expect(report.failures == ["restart: 1 of 2 agents are missing"])
    }

    @Test func jsonHasAllOfIt() throws {
        let read = JSON.value(SwarmReport.self, from: Array(report.json.utf8))
        #expect(read == report)
    }

    @Test func thePlotHasThePointsOfBothPanels() {
        let svg = ReportPage(report).svg
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.hasSuffix("</svg>"))
        // The upper panel ends at 230 for 0, at 40 for 2 agents; the lower one at 290 for 50 messages.
        #expect(svg.contains("points=\"80,230 510,135 940,40\""))
        #expect(svg.contains("points=\"80,480 510,442 940,366 940,480\""))
        for name in ["connect", "group", "birth"] { #expect(svg.contains(">\(name)</text>")) }
    }

    @Test func thePageHasTheFiguresAndNoMarkupOfNames() {
        var report = report
        report.failures = ["too <slow>"]
        let html = ReportPage(report).html
        #expect(html.contains("<td>group</td><td>0.0</td><td>1.0</td>"))
        #expect(
            html.contains("a&lt;b&gt;:1883") && html.contains("too &lt;slow&gt;") && !html.contains("a<b>"))
        #expect(html.contains("<svg"))
    }

    @Test func aRunWithoutASecondHasAPlotToo() {
        var report = report
        (report.scenarios, report.seconds) = ([], [])
        #expect(!ReportPage(report).svg.contains("nan"))
    }

    @Test(arguments: [(0, 1), (1, 1), (1.5, 2), (3, 5), (6, 10), (10_000, 10_000), (10_001, 20_000)])
    func scalesEndAtRoundNumbers(value: Double, end: Double) { #expect(ReportPage.ceiling(value) == end) }

    @Test func memoryIsReadFromTheLinesOfTheKernel() {
        let text = "Rss:    100 kB\nPss:      12 kB\nPss_Dirty: 3 kB\n"
        #expect(ProcessMemory.kilobytes("Pss:", in: text) == 12)
        #expect(ProcessMemory.kilobytes("VmRSS:", in: text) == nil)
        #expect(ProcessMemory.bytes(ofProcess: 1 << 30) == nil)
    }
}
