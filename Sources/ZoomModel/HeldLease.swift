/// The exclusive right of one client to move the zoom, for a limited time. The caller refuses the commands of
/// other clients while ``holder(at:)`` names one.
///
/// A client that is not proved can take the name of another one that is not: among those it is a convention.
package struct Lease: Sendable {
    /// Why a lease was not granted or not released.
    package enum Refusal: Error, Sendable, Equatable {
        case heldBy(ClientIdentity)
    }

    private var current: (holder: ClientIdentity, until: ZoomInstant)?

    package init() {}

    /// The client that holds the lease, if any.
    package func holder(at now: ZoomInstant) -> ClientIdentity? {
        current.flatMap { $0.until > now ? $0.holder : nil }
    }

    /// When the lease expires.
    package var end: ZoomInstant? { current?.until }

    /// Takes the lease for a time, or renews it for its holder. Returns the client from which it was taken by
    /// force.
    @discardableResult
    package mutating func take(
        for client: ClientIdentity, lasting time: Duration, force: Bool, at now: ZoomInstant
    ) throws(Refusal) -> ClientIdentity? {
        let other = holder(at: now).flatMap { $0 == client ? nil : $0 }
        if let other, !force { throw .heldBy(other) }
        current = (client, now.advanced(by: time))
        return other
    }

    /// Releases the lease of this client. Throws if another client holds it.
    package mutating func release(by client: ClientIdentity?, at now: ZoomInstant) throws(Refusal) {
        if let other = holder(at: now), other != client { throw .heldBy(other) }
        current = nil
    }

    /// Removes a lease that has expired. Returns whether it did.
    package mutating func expire(at now: ZoomInstant) -> Bool {
        guard let until = current?.until, until <= now else { return false }
        current = nil
        return true
    }
}
