/// A subscription that is made on each connection.
package struct BusFilter: Sendable, Equatable {
    package enum Kind: Sendable {
        /// New messages, with the retain flag of their sender: commands, which must not be retained.
        case commands
        /// New messages with the retain flag of their sender, and before them the retained messages of the
        /// broker.
        case includingRetained
        /// New messages, without the retain flag of their sender.
        case newOnly
    }

    package var filter: String
    package var kind: Kind
    /// The maximum QoS of delivered messages. A broker queues only a limited number of messages with QoS 1
    /// and 2 for a client and drops the others: a filter that matches very many retained messages uses QoS 0.
    package var qos: QualityOfService

    package init(_ filter: String, _ kind: Kind, qos: QualityOfService = .exactlyOnce) {
        (self.filter, self.kind, self.qos) = (filter, kind, qos)
    }
}
