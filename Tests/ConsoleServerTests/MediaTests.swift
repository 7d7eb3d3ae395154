import NIOHTTP1
import Testing

@testable import Server

/// Which requests for parts of files an agent has at a time.
@Suite struct MediaTurnsTests {
    private final class Log {
        var begun: [String] = []
    }

    private let turns = MediaTurns()
    private let log = Log()

    private func turn(_ name: String, agent: String = "porch", client: String = "tablet") -> MediaTurns.Turn {
        let log = log
        let turn = MediaTurns.Turn(of: MediaTurns.Owner(agent: agent, client: client)) {
            log.begun.append(name)
        }
        turns.add(turn)
        return turn
    }

    @Test func twoRequestsOfAClientAreUnderWay() {
        let all = ["a", "b", "c", "d"].map { turn($0) }
        #expect(log.begun == ["a", "b"])
        turns.end(all[1])
        #expect(log.begun == ["a", "b", "c"])
        turns.end(all[0])
        #expect(log.begun == ["a", "b", "c", "d"])
        for turn in all { turns.end(turn) }
        #expect(turns.isEmpty, "a turn that is over is forgotten")
    }

    @Test func otherClientsAndAgentsHavePlacesOfTheirOwn() {
        let all = ["a", "b", "c"].map { turn($0) } + [turn("x", client: "phone"), turn("y", agent: "yard")]
        #expect(log.begun == ["a", "b", "x", "y"])
        for turn in all { turns.end(turn) }
        #expect(turns.isEmpty)
    }

    /// The browser has closed the connection of a download that waits.
    @Test func aTurnThatEndsBeforeItBeginsIsLeftOut() {
        let all = ["a", "b", "c", "d"].map { turn($0) }
        turns.end(all[2])
        turns.end(all[0])
        #expect(log.begun == ["a", "b", "d"])
    }

    @Test func aTurnMayEndWhileItBegins() {
        let log = log, turns = turns
        var failing: MediaTurns.Turn?
        failing = MediaTurns.Turn(of: MediaTurns.Owner(agent: "porch", client: "tablet")) {
            log.begun.append("failing")
            if let failing { turns.end(failing) }
        }
        let all = ["a", "b"].map { turn($0) }
        if let failing { turns.add(failing) }
        let last = turn("c")
        turns.end(all[0])
        #expect(log.begun == ["a", "b", "failing", "c"])
        for turn in all + [last] { turns.end(turn) }
        #expect(turns.isEmpty)
        // It owns itself by its closure.
        failing = nil
    }
}

/// The user properties of a part of a file.
@Suite struct ReceivedPartFieldsTests {
    private func part(_ changes: [String: String?] = [:]) -> ReceivedPartFields? {
        var fields = [
            "name": "a.jpg", "offset": "131072", "total": "530000", "version": "Zk4W0T7jS2yHn1bQxw8a",
        ]
        for (name, value) in changes { fields[name] = value }
        return ReceivedPartFields(fields.map { ($0.key, $0.value) })
    }

    @Test func aPartHasItsPlaceAndItsVersion() {
        #expect(part()?.offset == 131_072 && part()?.total == 530_000)
        #expect(part()?.version == "Zk4W0T7jS2yHn1bQxw8a")
    }

    @Test(arguments: [
        ("offset", nil), ("total", nil), ("version", nil), ("offset", "-1"), ("total", "-1"),
        ("total", "131071"),
        ("offset", "1e3"), ("total", "9223372036854775808"), ("version", ""),
        ("version", String(repeating: "v", count: 65)),
    ])
    func whatNoAgentWritesIsNoPart(name: String, value: String?) { #expect(part([name: value]) == nil) }
}

/// `Range`, `If-Range` and `If-None-Match`.
@Suite struct MediaConditionsTests {
    private func result(
        _ headers: [(String, String)], method: HTTPMethod = .GET, total: Int = 1000, tag: String? = "\"v1\""
    ) -> MediaConditions.Result {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: HTTPHeaders(headers))
        return MediaConditions(head).result(total: total, tag: tag)
    }

    @Test func aRangeIsAPart() {
        #expect(result([]) == .whole)
        #expect(result([("Range", "bytes=10-19")]) == .part(10..<20))
        #expect(result([("Range", "bytes=0-")]) == .part(0..<1000))
        #expect(result([("Range", "bytes=10-19")], method: .HEAD) == .whole)
        #expect(result([("Range", "bytes=1000-")]) == .beyond)
        #expect(result([("Range", "bytes=0-")], total: 0) == .beyond)
        #expect(result([], total: 0) == .whole)
    }

    /// The part of one version is not added to the parts of another one.
    @Test(arguments: ["\"v2\"", "W/\"v1\"", "v1", "Mon, 23 Nov 2026 03:00:00 GMT", "", "\"v1\", \"v2\"", "*"])
    func aRangeOfAnotherVersionIsTheWholeFile(tag: String) {
        #expect(result([("Range", "bytes=10-19"), ("If-Range", tag)]) == .whole)
        #expect(result([("Range", "bytes=5000-"), ("If-Range", tag)]) == .whole)
    }

    @Test func aRangeOfThisVersionIsAPart() {
        #expect(result([("Range", "bytes=10-19"), ("If-Range", "\"v1\"")]) == .part(10..<20))
        #expect(result([("Range", "bytes=5000-"), ("If-Range", "\"v1\"")]) == .beyond)
        #expect(result([("Range", "bytes=10-19"), ("If-Range", "\"v1\"")], tag: nil) == .whole)
        #expect(result([("If-Range", "\"v1\"")]) == .whole)
    }

    @Test(arguments: ["\"v1\"", "W/\"v1\"", "\"a,b\", \"v1\"", "\"v0\",W/\"v1\"", "*"])
    func aKnownVersionIsNotSentAgain(tags: String) {
        #expect(result([("If-None-Match", tags)]) == .unchanged)
        #expect(result([("If-None-Match", tags), ("Range", "bytes=5000-")]) == .unchanged)
        #expect(result([("If-None-Match", tags)], method: .HEAD) == .unchanged)
    }

    @Test(arguments: ["\"v2\"", "v1", "\"\"", "\"v2\", \"v3\"", "v1\"", ""])
    func anUnknownVersionIsSent(tags: String) { #expect(result([("If-None-Match", tags)]) == .whole) }

    @Test func severalHeadersAreOneList() {
        #expect(result([("If-None-Match", "\"v0\""), ("If-None-Match", "\"v1\"")]) == .unchanged)
    }

    @Test(arguments: ["a b", "a\"b", "ä", "a\r\nX: y"])
    func aVersionThatIsNoTagHasNone(version: String) {
        let part = ReceivedPartFields([("offset", "0"), ("total", "1"), ("version", version)])
        #expect(part != nil && part?.tag == nil)
        let tagged = ReceivedPartFields([("offset", "0"), ("total", "1"), ("version", "v-1_")])
        #expect(tagged?.tag == "\"v-1_\"")
    }
}
