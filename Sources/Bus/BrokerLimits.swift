internal import CMosquitto
internal import Glibc

/// What a broker permits and demands in its answer to CONNECT (MQTT 5, 3.2.2.3). The initial values are those
/// of a broker that says nothing.
struct BrokerLimits {
    /// In bytes. libmosquitto refuses larger packets.
    var maxPacketSize: UInt32?
    var maxQoS = QualityOfService.exactlyOnce
    /// Messages with QoS 1 and 2 that may be unacknowledged; libmosquitto queues more.
    var receiveMaximum: UInt16 = .max
    /// What differs from a broker that says nothing, for a log.
    var notes: [String] = []
    /// What the user has to know, because something does not work with this broker.
    var warnings: [String] = []
}

extension BrokerLimits {
    /// The properties of a CONNACK.
    init(_ properties: OpaquePointer?) {
        func byte(_ property: mqtt5_property) -> UInt8? {
            Properties.number(property, in: properties, mosquitto_property_read_byte)
        }
        func short(_ property: mqtt5_property) -> UInt16? {
            Properties.number(property, in: properties, mosquitto_property_read_int16)
        }
        func long(_ property: mqtt5_property) -> UInt32? {
            Properties.number(property, in: properties, mosquitto_property_read_int32)
        }
        // libmosquitto uses it.
        if let seconds = short(MQTT_PROP_SERVER_KEEP_ALIVE) { notes.append("keep-alive \(seconds) s") }
        if let bytes = long(MQTT_PROP_MAXIMUM_PACKET_SIZE) {
            maxPacketSize = bytes
            notes.append("packets of at most \(bytes) bytes")
        }
        if let qos = byte(MQTT_PROP_MAXIMUM_QOS).flatMap({ QualityOfService(rawValue: Int32($0)) }),
            qos != .exactlyOnce
        {
            maxQoS = qos
            notes.append("QoS at most \(qos.rawValue)")
        }
        if let count = short(MQTT_PROP_RECEIVE_MAXIMUM), count != .max {
            receiveMaximum = count
            notes.append("\(count) unacknowledged messages")
        }
        // What follows isn't used, or libmosquitto adapts to it.
        if let count = short(MQTT_PROP_TOPIC_ALIAS_MAXIMUM), count > 0 {
            notes.append("\(count) topic aliases")
        }
        if let seconds = long(MQTT_PROP_SESSION_EXPIRY_INTERVAL), seconds > 0 {
            notes.append("session expiry \(seconds) s")
        }
        if byte(MQTT_PROP_SHARED_SUB_AVAILABLE) == 0 { notes.append("no shared subscriptions") }
        if byte(MQTT_PROP_SUBSCRIPTION_ID_AVAILABLE) == 0 { notes.append("no subscription identifiers") }
        if let reason = Properties.text(MQTT_PROP_REASON_STRING, in: properties) {
            notes.append("\"\(reason)\"")
        }
        if let server = Properties.text(MQTT_PROP_SERVER_REFERENCE, in: properties) {
            notes.append("other server \(server)")
        }
        // libmosquitto sends every message without the retain flag then.
        if byte(MQTT_PROP_RETAIN_AVAILABLE) == 0 {
            warnings.append("it keeps no retained messages: clients that connect later see no states")
        }
        if byte(MQTT_PROP_WILDCARD_SUB_AVAILABLE) == 0 {
            warnings.append("it has no subscriptions with wildcards: commands may not be received")
        }
    }
}
