import CameraCore
import Clients
import TestSupport
import Testing

/// The memory of commands that were carried out; time is passed in.
struct RecentCommandsTests {
    let start = ContinuousClock.now

    func name(_ id: Int) -> RecentCommands.Key { .init(client: "phone", id: "\(id)") }

    @Test func aCommandIsCarriedOutOnceForTenMinutes() {
        let recent = Reference(RecentCommands())
        #expect(!recent.isRepeated(name(1), at: start))
        #expect(recent.isRepeated(name(1), at: start + .seconds(599)))
        #expect(!recent.isRepeated(.init(client: "panel", id: "1"), at: start))
        #expect(!recent.isRepeated(name(1), at: start + .seconds(600)))
    }

    @Test func ofManyCommandsTheOldestIsDropped() {
        let recent = Reference(RecentCommands())
        for id in 0...256 { _ = recent.isRepeated(name(id), at: start) }
        #expect(recent.isRepeated(name(1), at: start))
        #expect(!recent.isRepeated(name(0), at: start))
    }

    @Test func aCommandThatWasRetriedIsRememberedAsLongAsAnyOther() {
        let recent = Reference(RecentCommands())
        _ = recent.isRepeated(name(0), at: start)
        recent.value.remove(name(0))
        for id in 1...200 { _ = recent.isRepeated(name(id), at: start) }
        #expect(!recent.isRepeated(name(0), at: start))
        for id in 201...300 { _ = recent.isRepeated(name(id), at: start) }
        #expect(recent.isRepeated(name(0), at: start))
    }
}

/// Makes a mutating call usable within an expectation.
private final class Reference {
    var value: RecentCommands

    init(_ value: RecentCommands) { self.value = value }

    func isRepeated(_ key: RecentCommands.Key, at now: ContinuousClock.Instant) -> Bool {
        value.isRepeated(key, at: now)
    }
}
