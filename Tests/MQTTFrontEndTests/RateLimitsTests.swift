import Clients
import MQTTFrontEnd
import TestSupport
import Testing

/// Makes a mutating call usable within an expectation.
private final class Reference<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
}

extension Reference<RateLimits> {
    fileprivate func verdict(on client: ClientIdentity?, at now: ContinuousClock.Instant)
        -> RateLimits.Verdict
    {
        value.verdict(on: client, at: now)
    }
}

/// The rate limit of each client; time is passed in.
struct RateLimitsTests {
    let start = ContinuousClock.now

    @Test func aClientBeyondItsLimitIsRefusedOnceASecond() {
        let limits = Reference(RateLimits(rate: 10))
        for _ in 0..<10 { #expect(limits.verdict(on: "phone", at: start) == .permitted) }
        #expect(limits.verdict(on: "phone", at: start) == .refused)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(50)) == .dropped)
        #expect(
            limits.verdict(on: "panel", at: start) == .permitted, "other clients have limits of their own")
        #expect(limits.verdict(on: nil, at: start) == .permitted)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(150)) == .permitted)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(160)) == .dropped)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(1000)) == .permitted)
    }

    @Test func manyClientNamesDontFillTheMemory() {
        let limits = Reference(RateLimits(rate: 1))
        #expect(limits.verdict(on: "worker", at: start) == .permitted)
        for number in 0..<5000 {
            let now = start + .microseconds(number)
            _ = limits.verdict(on: "\(number)", at: now)
            // A client that goes on sending is remembered: the other names don't reset its limit.
            #expect(limits.verdict(on: "worker", at: now) != .permitted)
        }
    }
}
