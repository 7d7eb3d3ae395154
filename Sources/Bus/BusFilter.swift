/// A subscription that is made on each connection.
package struct BusFilter: Sendable, Equatable {
    package enum Kind: Sendable {
        /// New messages with the retain flag of their sender, and before them the retained messages of the
        /// broker.
        case includingRetained
        /// New messages, without the retain flag of their sender.
        case newOnly
        /// The retained messages of the broker with the retain flag, then new messages without it, also those
        /// of this client.
        case retainedThenNew

        /// Whether messages of this client are delivered to it (MQTT 5, 3.8.3.1). With MQTT 3.1.1 they always
        /// are.
        var includesOwn: Bool { self == .retainedThenNew }

        /// Whether new messages have the retain flag of their sender (MQTT 5, 3.8.3.1).
        var keepsRetainFlag: Bool { self == .includingRetained }

        /// Whether the retained messages of the broker are delivered (MQTT 5, 3.8.3.1).
        var includesRetained: Bool { self != .newOnly }
    }

    package var filter: String
    var kind: Kind
    /// The maximum QoS of delivered messages. A broker queues only a limited number of messages with QoS 1
    /// and 2 for a client and drops the others: a filter that matches very many retained messages uses QoS 0.
    var qos: QualityOfService
    /// With MQTT 3.1.1 it isn't made.
    var needsV5: Bool

    package init(
        _ filter: String, _ kind: Kind, qos: QualityOfService = .exactlyOnce, needsV5: Bool = false
    ) {
        (self.filter, self.kind, self.qos, self.needsV5) = (filter, kind, qos, needsV5)
    }
}
