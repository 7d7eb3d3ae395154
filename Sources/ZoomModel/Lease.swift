/// The right to move the zoom, as controllers lend it to each other: while somebody holds it, the others' commands are refused.
///
/// A courtesy among controllers, not a proof of identity: names are what clients call themselves.
package struct Lease: Sendable, Equatable {
    /// Why it isn't lent.
    package enum Refusal: Error, Sendable, Equatable {
        case heldBy(String)
    }

    private var current: (holder: String, until: ContinuousClock.Instant)?

    package init() {}

    package static func == (a: Lease, b: Lease) -> Bool {
        a.current?.holder == b.current?.holder && a.current?.until == b.current?.until
    }

    /// Who holds it, if anybody does.
    package func holder(at now: ContinuousClock.Instant) -> String? {
        current.flatMap { $0.until > now ? $0.holder : nil }
    }

    /// When it ends by itself.
    package var end: ContinuousClock.Instant? { current?.until }

    /// Takes it for so long, or, when one's own, renews it. Returns from whom it was taken by force.
    @discardableResult
    package mutating func take(
        for client: String, lasting time: Duration, force: Bool, at now: ContinuousClock.Instant
    ) throws(Refusal) -> String? {
        let other = holder(at: now).flatMap { $0 == client ? nil : $0 }
        if let other, !force { throw .heldBy(other) }
        current = (client, now.advanced(by: time))
        return other
    }

    /// Gives it back; somebody else's stays where it is.
    package mutating func release(by client: String?, at now: ContinuousClock.Instant) throws(Refusal) {
        if let other = holder(at: now), other != client { throw .heldBy(other) }
        current = nil
    }

    /// Forgets one that has ended. Returns whether there was one.
    package mutating func expire(at now: ContinuousClock.Instant) -> Bool {
        guard let until = current?.until, until <= now else { return false }
        current = nil
        return true
    }

    /// Whether a client may move the zoom.
    package func permits(_ client: String?, at now: ContinuousClock.Instant) -> Bool {
        holder(at: now).map { $0 == client } ?? true
    }
}
