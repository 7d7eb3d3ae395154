/// A received message.
package struct BusMessage: Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// The lower of the QoS of the sender and that of the subscription.
    package var qos: QualityOfService
    /// The retain flag as the broker forwarded it (``BusFilter/Kind``).
    package var isRetained: Bool
    /// The topic for the response (MQTT 5, 4.10).
    package var responseTopic: String?
    /// Correlation data that the response has to repeat (MQTT 5, 4.10).
    package var correlation: [UInt8]?
    /// The MIME type of the payload, if the sender gave it.
    package var contentType: String?
    /// The first user properties in the order of the sender, at most ``maxUserProperties``. Empty with MQTT
    /// 3.1.1, and without ``BusSettings/readsUserProperties``.
    package var user: [(name: String, value: String)] = []

    static let maxUserProperties = 32
}

/// MQTT 5 properties of a published message. They are not sent with MQTT 3.1.1.
package struct BusProperties: Sendable {
    var contentType: String?
    package var responseTopic: String?
    package var correlation: [UInt8]?
    package var user: [(name: String, value: String)]
    /// The seconds after which the broker delivers the message no more, and forgets a retained one (MQTT 5,
    /// 3.3.2.3.3); nil: never.
    var expiry: UInt32?

    package init(
        contentType: String? = nil, responseTopic: String? = nil, correlation: [UInt8]? = nil,
        user: [(name: String, value: String)] = [], expiry: UInt32? = nil
    ) {
        (self.contentType, self.responseTopic) = (contentType, responseTopic)
        (self.correlation, self.user, self.expiry) = (correlation, user, expiry)
    }
}

extension BusProperties {
    /// In a packet, without their length (MQTT 5, 2.2.2.2).
    var byteCount: Int {
        func text(_ text: String?) -> Int { text.map { 3 + $0.utf8.count } ?? 0 }
        return text(contentType) + text(responseTopic) + (correlation.map { 3 + $0.count } ?? 0)
            + (expiry == nil ? 0 : 5)
            + user.reduce(0) { $0 + 5 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// Quality of service (MQTT 5, 4.3).
package enum QualityOfService: Int32, Sendable, Comparable {
    case atMostOnce = 0
    case atLeastOnce = 1
    case exactlyOnce = 2

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
