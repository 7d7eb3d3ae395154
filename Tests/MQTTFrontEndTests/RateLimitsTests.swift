import Contract
import Settings
import Testing
import ZoomModel

@testable import FrontEnds
@testable import Settings

/// The rate limit of each client; time is passed in.
struct RateLimitsTests {
    private static let start = ContinuousClock.now
    private let start = Self.start

    /// The limits, which change with each message.
    private final class Reference {
        private var limits: Limits
        var isAcknowledged = false

        init(rate: Int) { limits = Limits(LimitSettings(commandRate: rate), at: RateLimitsTests.start) }

        func verdict(on client: String?, at now: ContinuousClock.Instant) -> Limits.Verdict {
            limits.admits(
                nil, cameras: 1, by: client.map { .init(claimed: $0) }, isProved: false,
                isAcknowledged: isAcknowledged, at: now)
        }
    }

    @Test func aClientBeyondItsLimitIsRefusedOnceASecond() {
        let limits = Reference(rate: 10)
        for _ in 0..<10 { #expect(limits.verdict(on: "phone", at: start) == .permitted) }
        guard case .refused(let error) = limits.verdict(on: "phone", at: start) else {
            return #expect(Bool(false))
        }
        #expect(error.code == .rateLimited)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(50)) == .dropped)
        #expect(
            limits.verdict(on: "panel", at: start) == .permitted, "other clients have limits of their own")
        #expect(limits.verdict(on: nil, at: start) == .permitted)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(150)) == .permitted)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(160)) == .dropped)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(1000)) == .permitted)
    }

    @Test func eachRefusalIsAnsweredIfTheSenderWaits() {
        let limits = Reference(rate: 10)
        limits.isAcknowledged = true
        for _ in 0..<10 { #expect(limits.verdict(on: "phone", at: start) == .permitted) }
        for _ in 0..<10 {
            let verdict = limits.verdict(on: "phone", at: start)
            #expect(verdict != .permitted && verdict != .dropped)
        }
    }

    @Test func manyClientNamesDontFillTheMemory() {
        let limits = Reference(rate: 10)
        for _ in 0..<10 { #expect(limits.verdict(on: "worker", at: start) == .permitted) }
        for number in 0..<5000 {
            let now = start + .microseconds(number)
            _ = limits.verdict(on: "\(number)", at: now)
            // A client that goes on sending is remembered: the other names don't reset its limit.
            #expect(limits.verdict(on: "worker", at: now) != .permitted)
        }
    }
}
