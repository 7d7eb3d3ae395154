import Core
import TestSupport
import Testing
import ZoomModel

/// The memory of commands that were carried out; time is passed in.
struct RecentCommandsTests {
    let start = ContinuousClock.now

    func name(_ id: Int, of client: String = "phone") -> RecentCommands.Key {
        .init(client: ClientIdentity(claimed: client), id: "\(id)")
    }

    @Test func aCommandIsCarriedOutOnceForTenMinutes() {
        let recent = Reference(RecentCommands())
        #expect(!recent.isRepeated(name(1), at: start))
        #expect(recent.isRepeated(name(1), at: start + .seconds(599)))
        #expect(!recent.isRepeated(name(1, of: "panel"), at: start))
        #expect(!recent.isRepeated(name(1), at: start + .seconds(600)))
    }

    @Test func ofManyCommandsTheOldestIsDropped() {
        let recent = Reference(RecentCommands())
        for id in 0...256 { _ = recent.isRepeated(name(id), at: start) }
        #expect(recent.isRepeated(name(1), at: start))
        #expect(!recent.isRepeated(name(0), at: start))
    }

    @Test func aClientThatSendsManyCommandsDisplacesItsOwn() {
        let recent = Reference(RecentCommands())
        for id in 0..<20 { _ = recent.isRepeated(name(id), at: start) }
        for client in ["a", "b", "c", "d", "e"] {
            for id in 0..<1_000 { _ = recent.isRepeated(name(id, of: client), at: start + .seconds(1)) }
        }
        // They are the oldest of all, and still remembered.
        #expect((0..<20).allSatisfy { recent.isRepeated(name($0), at: start + .seconds(1)) })
    }

    @Test func namesThatClientsGiveThemselvesDisplaceNoProvedClient() {
        let recent = Reference(RecentCommands())
        let key = RecentCommands.Key(client: ClientIdentity(account: "phone"), id: "0")
        #expect(!recent.isRepeated(key, at: start))
        for number in 0..<3_000 {
            // The command of the proved client is the oldest of all.
            _ = recent.isRepeated(name(0, of: "c\(number)"), at: start + .milliseconds(number + 1))
        }
        let end = start + .seconds(4)
        #expect(recent.isRepeated(key, at: end) && !recent.isRepeated(name(0), at: end))
    }

    @Test func newClientNamesDisplaceTheOldestOfAll() {
        let recent = Reference(RecentCommands())
        for id in 0..<8 { _ = recent.isRepeated(name(id), at: start) }
        for number in 8..<1_024 {
            _ = recent.isRepeated(name(0, of: "c\(number)"), at: start + .milliseconds(number))
        }
        #expect((0..<8).allSatisfy { recent.isRepeated(name($0), at: start + .seconds(2)) })
        for number in 0..<3 { _ = recent.isRepeated(name(0, of: "d\(number)"), at: start + .seconds(2)) }
        #expect(recent.isRepeated(name(7), at: start + .seconds(2)))
        #expect(recent.isRepeated(name(0, of: "c8"), at: start + .seconds(2)))
        #expect(!recent.isRepeated(name(0), at: start + .seconds(2)))
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
