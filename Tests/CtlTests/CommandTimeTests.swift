import Ctl
import FoundationEssentials
import Testing

@testable import Contract

/// `--in` and `--at`: which words are times, and what is sent.
@Suite struct CommandTimeTests {
    @Test(arguments: [
        ("2s", Duration.seconds(2)), ("2", .seconds(2)), ("0.5s", .milliseconds(500)),
        ("500ms", .milliseconds(500)), ("5m", .seconds(300)), ("1e1s", .seconds(10)),
        ("60m", .seconds(3_600)),
    ])
    func aDelayIsANumberWithAUnit(word: String, delay: Duration) {
        #expect(CommandTime(delay: word) == .after(delay))
    }

    @Test(arguments: ["", "s", "ms", "0", "-1s", "two", "3601s", "61m", "nan", "inf", "2h", "2 s", "1e999"])
    func otherWordsAreNoDelays(word: String) { #expect(CommandTime(delay: word) == nil) }

    @Test func aTimeIsOneOfRFC3339() {
        let date = Date(timeIntervalSince1970: 1_795_251_938.25)
        #expect(CommandTime(time: "2026-11-21T09:05:38.25Z") == .at(date))
        #expect(CommandTime(time: "2026-11-21T10:05:38.25+01:00") == .at(date))
        for word in ["", "2s", "09:05", "2026-11-21", "2026-11-21 09:05:38Z"] {
            #expect(CommandTime(time: word) == nil)
        }
    }

    private func request(_ time: CommandTime?, anyClock: Bool = false) throws -> String {
        var options = options()
        (options.time, options.usesAnyClock) = (time, anyClock)
        options.wallClock = { Date(timeIntervalSince1970: 1_795_251_938.25) }
        var rig = ConversationRig(Outcome.zoom, options)
        rig.run(Outcome.ready)
        return try #require(rig.requests.first).payload
    }

    @Test func aCommandIsSentWithItsTime() throws {
        #expect(try !request(nil).contains(#""at""#))
        #expect(try request(.after(.seconds(2))).contains(#""at":"2026-11-21T09:05:40.250Z""#))
        #expect(try !request(.after(.seconds(2))).contains("at_any_clock"))
        let at = CommandTime.at(Date(timeIntervalSince1970: 1_795_252_000))
        let sent = try request(at, anyClock: true)
        #expect(sent.contains(#""at":"2026-11-21T09:06:40.000Z""#) && sent.contains(#""at_any_clock":true"#))
    }
}
