internal import CMosquitto
internal import Glibc

/// What a broker permits and demands in its answer to CONNECT (MQTT 5, 3.2.2.3). The initial values are those
/// of a broker that says nothing.
struct BrokerLimits: Sendable, Equatable {
    /// The keep-alive interval that the broker demands, in seconds; libmosquitto uses it.
    var keepAlive: UInt16?
    /// In bytes. libmosquitto refuses larger packets.
    var maxPacketSize: UInt32?
    var maxQoS = QualityOfService.exactlyOnce
    /// If not, libmosquitto sends every message without the retain flag.
    var keepsRetained = true
    /// Messages with QoS 1 and 2 that may be unacknowledged; libmosquitto queues more.
    var receiveMaximum: UInt16 = .max
    /// Topic aliases are not used.
    var topicAliasMaximum: UInt16 = 0
    /// In seconds; 0 is what was requested.
    var sessionExpiry: UInt32 = 0
    var hasWildcards = true
    /// Neither is used.
    var hasSharedSubscriptions = true
    var hasSubscriptionIdentifiers = true
    var reason: String?
    /// Another broker that the client should use.
    var serverReference: String?

    /// What differs from a broker that says nothing, for a log; empty: nothing.
    var notes: [String] {
        let other = BrokerLimits()
        var notes: [String] = []
        if let keepAlive { notes.append("keep-alive \(keepAlive) s") }
        if let maxPacketSize { notes.append("packets of at most \(maxPacketSize) bytes") }
        if maxQoS != other.maxQoS { notes.append("QoS at most \(maxQoS.rawValue)") }
        if receiveMaximum != other.receiveMaximum {
            notes.append("\(receiveMaximum) unacknowledged messages")
        }
        if topicAliasMaximum != other.topicAliasMaximum { notes.append("\(topicAliasMaximum) topic aliases") }
        if sessionExpiry != other.sessionExpiry { notes.append("session expiry \(sessionExpiry) s") }
        if !hasSharedSubscriptions { notes.append("no shared subscriptions") }
        if !hasSubscriptionIdentifiers { notes.append("no subscription identifiers") }
        if let reason { notes.append("\"\(reason)\"") }
        if let serverReference { notes.append("other server \(serverReference)") }
        return notes
    }

    /// What the user has to know, because something does not work with this broker.
    var warnings: [String] {
        var warnings: [String] = []
        if !keepsRetained {
            warnings.append("it keeps no retained messages: clients that connect later see no states")
        }
        if !hasWildcards {
            warnings.append("it has no subscriptions with wildcards: commands may not be received")
        }
        return warnings
    }
}

extension BrokerLimits {
    /// The properties of a CONNACK.
    init(_ properties: OpaquePointer?) {
        keepAlive = Properties.short(MQTT_PROP_SERVER_KEEP_ALIVE, in: properties)
        maxPacketSize = Properties.long(MQTT_PROP_MAXIMUM_PACKET_SIZE, in: properties)
        if let qos = Properties.byte(MQTT_PROP_MAXIMUM_QOS, in: properties) {
            maxQoS = QualityOfService(rawValue: Int32(qos)) ?? .exactlyOnce
        }
        func isOn(_ property: mqtt5_property) -> Bool { Properties.byte(property, in: properties) != 0 }
        keepsRetained = isOn(MQTT_PROP_RETAIN_AVAILABLE)
        hasWildcards = isOn(MQTT_PROP_WILDCARD_SUB_AVAILABLE)
        hasSharedSubscriptions = isOn(MQTT_PROP_SHARED_SUB_AVAILABLE)
        hasSubscriptionIdentifiers = isOn(MQTT_PROP_SUBSCRIPTION_ID_AVAILABLE)
        receiveMaximum = Properties.short(MQTT_PROP_RECEIVE_MAXIMUM, in: properties) ?? .max
        topicAliasMaximum = Properties.short(MQTT_PROP_TOPIC_ALIAS_MAXIMUM, in: properties) ?? 0
        sessionExpiry = Properties.long(MQTT_PROP_SESSION_EXPIRY_INTERVAL, in: properties) ?? 0
        reason = Properties.text(MQTT_PROP_REASON_STRING, in: properties)
        serverReference = Properties.text(MQTT_PROP_SERVER_REFERENCE, in: properties)
    }
}
