import CameraAgent
import Testing

/// A value that can be asked within an expectation, though asking changes it.
private final class Asked<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
}

extension Asked<RecentCommands> {
    fileprivate func isRepeated(_ name: RecentCommands.Name, at now: ContinuousClock.Instant) -> Bool {
        value.isRepeated(name, at: now)
    }
}

extension Asked<RateLimits> {
    fileprivate func verdict(on client: String?, at now: ContinuousClock.Instant) -> RateLimits.Verdict {
        value.verdict(on: client, at: now)
    }
}

/// What is remembered of commands and of those who send them; time is passed in.
struct CommandMemoryTests {
    let start = ContinuousClock.now

    func name(_ id: Int) -> RecentCommands.Name { .init(client: "phone", id: "\(id)") }

    @Test func aCommandIsCarriedOutOnceForTenMinutes() {
        let recent = Asked(RecentCommands())
        #expect(!recent.isRepeated(name(1), at: start))
        #expect(recent.isRepeated(name(1), at: start + .seconds(599)))
        #expect(!recent.isRepeated(.init(client: "panel", id: "1"), at: start))
        #expect(!recent.isRepeated(name(1), at: start + .seconds(600)))
    }

    @Test func ofManyTheOldestIsForgotten() {
        let recent = Asked(RecentCommands())
        for id in 0...256 { _ = recent.isRepeated(name(id), at: start) }
        #expect(recent.isRepeated(name(1), at: start))
        #expect(!recent.isRepeated(name(0), at: start))
    }

    @Test func oneThatWasTriedAgainIsRememberedAsLongAsAnyOther() {
        let recent = Asked(RecentCommands())
        _ = recent.isRepeated(name(0), at: start)
        recent.value.forget(name(0))
        for id in 1...200 { _ = recent.isRepeated(name(id), at: start) }
        #expect(!recent.isRepeated(name(0), at: start))
        for id in 201...300 { _ = recent.isRepeated(name(id), at: start) }
        #expect(recent.isRepeated(name(0), at: start))
    }

    @Test func whoSendsTooMuchIsToldOnceASecond() {
        let limits = Asked(RateLimits(rate: 10))
        for _ in 0..<10 { #expect(limits.verdict(on: "phone", at: start) == .permitted) }
        #expect(limits.verdict(on: "phone", at: start) == .refused)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(50)) == .dropped)
        #expect(limits.verdict(on: "panel", at: start) == .permitted, "the others have their own share")
        #expect(limits.verdict(on: nil, at: start) == .permitted)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(150)) == .permitted)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(160)) == .dropped)
        #expect(limits.verdict(on: "phone", at: start + .milliseconds(1000)) == .permitted)
    }

    @Test func namesWithoutEndDontFillTheMemory() {
        let limits = Asked(RateLimits(rate: 1))
        #expect(limits.verdict(on: "worker", at: start) == .permitted)
        for number in 0..<5000 {
            let now = start + .microseconds(number)
            _ = limits.verdict(on: "\(number)", at: now)
            // Who goes on sending isn't forgotten, and gets no new share by the others' noise.
            #expect(limits.verdict(on: "worker", at: now) != .permitted)
        }
    }
}
