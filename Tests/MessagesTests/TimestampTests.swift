import FoundationEssentials
import Testing

@testable import Contract

struct TimestampTests {
    @Test func aTimeIsWrittenInUTCWithMilliseconds() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1_795_251_938.958)) == "2026-11-21T09:05:38.958Z")
        #expect(Timestamp.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
    }

    @Test func eachMillisecondIsReadAsItWasWritten() throws {
        for milliseconds in 0..<1000 {
            let digits = String(String(1000 + milliseconds).dropFirst())
            let text = "2026-11-21T09:05:38.\(digits)Z"
            #expect(Timestamp.text(try #require(Timestamp.date(text))) == text)
        }
    }

    @Test func whatIsBelowAMillisecondIsCutOff() {
        #expect(Timestamp.text(Date(timeIntervalSince1970: 1_795_251_938.9589)) == "2026-11-21T09:05:38.958Z")
    }

    @Test func eachDayOfFourHundredYearsIsAsFoundationWritesIt() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // Half a millisecond after one: what is cut off is the same for both.
        for day in 0..<146_097 {
            let seconds = Double(day) * 86_400 + Double(day % 86_400) + 0.2505
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(Timestamp.text(date) == date.formatted(style))
        }
    }

    @Test(arguments: [
        (-1e-7, "2001-01-01T00:00:00.000Z"), (-0.001, "2000-12-31T23:59:59.999Z"),
        (0, "2001-01-01T00:00:00.000Z"),
        (-978_307_200, "1970-01-01T00:00:00.000Z"), (252_423_993_599.999, "9999-12-31T23:59:59.999Z"),
    ])
    func theEdgesOfWhatIsWrittenWithoutFoundation(seconds: Double, text: String) {
        #expect(Timestamp.text(Date(timeIntervalSinceReferenceDate: seconds)) == text)
    }

    @Test(arguments: [
        ("2026-11-21T09:05:38Z", 1_795_251_938.0), ("2026-11-21T09:05:38.5Z", 1_795_251_938.5),
        ("2026-11-21T09:05:38.958123Z", 1_795_251_938.958123), ("2026-11-21T10:05:38+01:00", 1_795_251_938),
        ("2026-11-21T03:35:38.25-05:30", 1_795_251_938.25),
        ("2026-11-21T09:05:38.958123+00:00", 1_795_251_938.958123),
        ("2024-02-29T00:00:00Z", 1_709_164_800), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ])
    func whatRFC3339AllowsIsRead(text: String, seconds: Double) throws {
        let date = try #require(Timestamp.date(text))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-5)
    }

    @Test(arguments: [
        "", "yesterday", "2026-11-21", "2026-11-21T09:05:38", "2026-11-21 09:05:38Z", "2026-11-21T09:05Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z", "2026-11-21T09:05:61Z", "2026-11-21T09:05:38.Z",
        "2026-11-21T09:05:38Zulu", "2026-11-21T09:05:38Z ", "2026-11-21T09:05:38+0100",
        "2026-11-21T09:05:38+24:00",
        "12026-11-21T09:05:38Z", "2026-1-21T09:05:38Z", "٢٠٢٦-11-21T09:05:38Z", "1795251938",
    ])
    func whatElseLooksLikeATimeIsNot(text: String) {
        #expect(Timestamp.date(text) == nil)
    }
}
