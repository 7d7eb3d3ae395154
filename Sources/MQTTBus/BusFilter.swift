/// What to subscribe to on each connection.
package struct BusFilter: Sendable, Equatable {
    package enum Kind: Sendable {
        /// What comes now, and whether its sender wants it to be retained: commands, which mustn't be.
        case commands
        /// The same, and what the broker keeps already.
        case retained
        /// What comes now, whatever its sender wants the broker to do with it.
        case news
    }

    package var filter: String
    package var kind: Kind

    package init(_ filter: String, _ kind: Kind) { (self.filter, self.kind) = (filter, kind) }
}
