/// A message that came in.
package struct BusMessage: Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// With which it was sent, as far as the broker passed that on.
    package var qos: QualityOfService
    /// The sender asked the broker to keep it.
    package var isRetained: Bool
    /// It came by a filter that doesn't want retained messages only: where filters overlap, the same message comes by each (MQTT 5, 3.3.4).
    package var isFromPlainFilter = false
    /// Where the sender wants its answer (MQTT 5, 4.10).
    package var responseTopic: String?
    /// What the answer is to carry, so that the sender knows which question it belongs to.
    package var correlation: [UInt8]?
    /// The MIME type of the payload, where the sender said it.
    package var contentType: String?

    package init(
        topic: String, payload: [UInt8], qos: QualityOfService, isRetained: Bool,
        isFromPlainFilter: Bool = false, responseTopic: String? = nil, correlation: [UInt8]? = nil,
        contentType: String? = nil
    ) {
        (self.topic, self.payload, self.qos, self.isRetained) = (topic, payload, qos, isRetained)
        (self.isFromPlainFilter, self.responseTopic) = (isFromPlainFilter, responseTopic)
        (self.correlation, self.contentType) = (correlation, contentType)
    }
}

/// What goes along with a message in MQTT 5; left out in 3.1.1.
package struct BusProperties: Sendable {
    package var contentType: String?
    package var responseTopic: String?
    package var correlation: [UInt8]?
    package var user: [(name: String, value: String)]

    package init(
        contentType: String? = nil, responseTopic: String? = nil, correlation: [UInt8]? = nil,
        user: [(name: String, value: String)] = []
    ) {
        (self.contentType, self.responseTopic) = (contentType, responseTopic)
        (self.correlation, self.user) = (correlation, user)
    }
}

/// Quality of service (MQTT 5, 4.3).
package enum QualityOfService: Int32, Sendable, Comparable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// What happens to the connection.
package enum BusEvent: Sendable {
    case connected
    /// Not connected, or no more; tried again after so long.
    case disconnected(reason: String, retryIn: Duration)
    /// The broker doesn't let us listen there: its access rules are others than we need.
    case subscriptionRefused(filter: String)
    /// The broker has answered all subscriptions: what it keeps comes now, or has come.
    case subscribed
}
