/// The host and the port of a broker.
package struct BrokerHost: Sendable, Hashable, CustomStringConvertible {
    /// A host name or an address, without brackets.
    package var name: String
    /// 1 to 65,535.
    package var port: Int

    package init(_ name: String, port: Int) { (self.name, self.port) = (name, port) }

    /// As messages name it; an IPv6 address is in brackets.
    package var description: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
}

/// A version of MQTT.
package enum MQTTLevel: Sendable, Equatable {
    case v5, v311

    var name: String { self == .v5 ? "5" : "3.1.1" }
}
