import Testing
import ZoomModel

/// Who may move the zoom, while somebody has borrowed it.
struct LeaseTests {
    private var lease = Lease()
    private let start = ContinuousClock.Instant.now

    private func after(_ time: Duration) -> ContinuousClock.Instant { start.advanced(by: time) }

    /// Whether it is refused, as it is the phone's.
    private mutating func refused(_ attempt: (inout Lease) throws -> Void) -> Bool {
        do {
            try attempt(&lease)
            return false
        } catch {
            return error as? Lease.Refusal == .heldBy("phone")
        }
    }

    @Test func nobodysIsEverybodys() {
        #expect(lease.holder(at: start) == nil)
        #expect(lease.end == nil)
        #expect(lease.permits("phone", at: start) && lease.permits(nil, at: start))
    }

    @Test mutating func onlyTheHolderMovesTheZoom() throws {
        let previous = try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        #expect(previous == nil)
        #expect(lease.holder(at: start) == "phone")
        #expect(lease.permits("phone", at: start))
        #expect(!lease.permits("tablet", at: start))
        #expect(!lease.permits(nil, at: start), "who doesn't say who it is isn't the holder")
    }

    @Test mutating func itEndsByItself() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        #expect(!lease.permits("tablet", at: after(.seconds(5) - .nanoseconds(1))))
        let isEarly = lease.expire(at: after(.seconds(5) - .nanoseconds(1)))
        #expect(!isEarly)
        #expect(lease.permits("tablet", at: after(.seconds(5))))
        let hasEnded = (1...2).map { _ in lease.expire(at: after(.seconds(5))) }
        #expect(hasEnded == [true, false], "it ends once")
        #expect(lease.end == nil)
    }

    @Test(arguments: [1, 60]) mutating func theHolderRenewsIt(seconds: Int) throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let previous = try lease.take(
            for: "phone", lasting: .seconds(seconds), force: false, at: after(.seconds(3)))
        #expect(previous == nil, "it was nobody else's")
        #expect(lease.end == after(.seconds(3 + seconds)))
    }

    @Test mutating func somebodyElsesIsTakenByForceOnly() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let later = after(.seconds(1))
        let isRefused = refused { try $0.take(for: "tablet", lasting: .seconds(60), force: false, at: later) }
        #expect(isRefused)
        #expect(lease.holder(at: after(.seconds(1))) == "phone")
        #expect(lease.end == after(.seconds(5)), "a refusal changed its end")
        let previous = try lease.take(
            for: "tablet", lasting: .seconds(60), force: true, at: after(.seconds(1)))
        #expect(previous == "phone")
        #expect(lease.permits("tablet", at: after(.seconds(1))))
        #expect(!lease.permits("phone", at: after(.seconds(1))))
    }

    @Test mutating func oneThatHasEndedIsNobodysAlsoBeforeItIsForgotten() throws {
        try lease.take(for: "phone", lasting: .seconds(5), force: false, at: start)
        let previous = try lease.take(
            for: "tablet", lasting: .seconds(5), force: false, at: after(.seconds(5)))
        #expect(previous == nil)
        #expect(lease.holder(at: after(.seconds(6))) == "tablet")
    }

    @Test mutating func theHolderGivesItBack() throws {
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
