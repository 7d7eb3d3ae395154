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
}
