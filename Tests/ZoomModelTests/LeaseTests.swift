import TestSupport
import Testing
import ZoomModel

/// The lease on the zoom. The agent refuses the commands of clients other than its holder.
struct LeaseTests {
    private var lease = Lease()
    private let start = ZoomInstant.start

    private func after(_ time: Duration) -> ZoomInstant { start.advanced(by: time) }

    /// Whether an attempt is refused because the phone holds the lease.
    private mutating func refused(_ attempt: (inout Lease) throws -> Void) -> Bool {
        do {
            try attempt(&lease)
            return false
        } catch {
            guard case .heldBy(let holder) = error as? Lease.Refusal else { return false }
            return holder.name == "phone"
        }
    }

    @Test func aNewLeaseHasNoHolderAndNoEnd() {
        #expect(lease.holder(at: start) == nil)
        #expect(lease.end == nil)
    }

    @Test mutating func aTakenLeaseHasAHolder() throws {
        let previous = try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        #expect(previous == nil)
        #expect(lease.holder(at: start) == "phone")
        #expect(lease.end == after(.seconds(5)))
    }

    @Test mutating func aLeaseExpires() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        #expect(lease.holder(at: after(.seconds(5) - .nanoseconds(1))) == "phone")
        let isEarly = lease.expire(at: after(.seconds(5) - .nanoseconds(1)))
        #expect(!isEarly)
        #expect(lease.holder(at: after(.seconds(5))) == nil)
        let hasExpired = (1...2).map { _ in lease.expire(at: after(.seconds(5))) }
        #expect(hasExpired == [true, false], "it expires once")
        #expect(lease.end == nil)
    }

    @Test(arguments: [1, 60]) mutating func theHolderRenewsTheLease(seconds: Int) throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let previous = try lease.take(
            for: "phone", lasting: .seconds(seconds), force: false, at: after(.seconds(3)))
        #expect(previous == nil, "no other client held it")
        #expect(lease.end == after(.seconds(3 + seconds)))
    }

    @Test mutating func anotherClientTakesTheLeaseByForceOnly() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let later = after(.seconds(1))
        let isRefused = refused { try $0.take(for: "tablet", lasting: .seconds(60), force: false, at: later) }
        #expect(isRefused)
        #expect(lease.holder(at: later) == "phone")
        #expect(lease.end == after(.seconds(5)), "a refusal changed the end")
        let previous = try lease.take(for: "tablet", lasting: .seconds(60), force: true, at: later)
        #expect(previous == "phone")
        #expect(lease.holder(at: later) == "tablet")
    }

    @Test mutating func anExpiredLeaseIsFreeBeforeItIsRemoved() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let previous = try lease.take(
            for: "tablet", lasting: .seconds(5), force: false, at: after(.seconds(5)))
        #expect(previous == nil)
        #expect(lease.holder(at: after(.seconds(6))) == "tablet")
    }

    @Test mutating func aClientThatTakesTheNameOfAProvedOneIsAnotherClient() throws {
        try lease.take(for: ClientIdentity(account: "phone"), lasting: .seconds(5), force: false, at: start)
        let now = start
        let isTakeRefused = refused { try $0.take(for: "phone", lasting: .seconds(5), force: false, at: now) }
        let isReleaseRefused = refused { try $0.release(by: "phone", at: now) }
        #expect(isTakeRefused && isReleaseRefused)
        #expect(lease.holder(at: start) == ClientIdentity(account: "phone"))
        try lease.release(by: ClientIdentity(account: "phone"), at: start)
        #expect(lease.holder(at: start) == nil)
    }

    @Test mutating func onlyTheHolderReleasesTheLease() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let now = start
        let tabletIsRefused = refused { try $0.release(by: "tablet", at: now) }
        #expect(tabletIsRefused)
        let namelessIsRefused = refused { try $0.release(by: nil, at: now) }
        #expect(namelessIsRefused)
        #expect(lease.holder(at: start) == "phone")
        try lease.release(by: "phone", at: start)
        #expect(lease.holder(at: start) == nil)
        try lease.release(by: "phone", at: start)
    }
}
