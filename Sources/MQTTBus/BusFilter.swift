/// What to subscribe to on each connection.
package struct BusFilter: Sendable, Equatable {
    package enum Kind: Sendable {
        /// What comes now, and whether its sender wants it to be retained: commands, which mustn't be.
        case commands
        /// The same, and what the broker keeps already.
        case includingRetained
        /// What comes now, whatever its sender wants the broker to do with it.
        case newOnly
    }

    package var filter: String
    package var kind: Kind
    /// With which messages come at most. A broker that queues only so many with a receipt lets the others go, however fast we read: whoever
    /// wants all that it keeps below many topics takes it without.
    package var qos: QualityOfService

    package init(_ filter: String, _ kind: Kind, qos: QualityOfService = .exactlyOnce) {
        (self.filter, self.kind, self.qos) = (filter, kind, qos)
    }
}
