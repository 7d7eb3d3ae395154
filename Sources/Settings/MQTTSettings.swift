/// The connection to the broker.
package struct MQTTSettings: Sendable, Equatable {
    /// A host name or an address, without scheme and port. Not used beside ``hosts``.
    package var host = "127.0.0.1"
    /// The port of the hosts that have none of their own, 1 to 65,535.
    package var port = Self.defaultPort(usesTLS: false)
    /// The hosts of a broker with more than one, at most ``maxHosts``. Empty: ``host`` is the only one.
    package var hosts: [BrokerAddress] = []
    package var order: HostOrder = .listed
    /// The limit for one attempt to connect, in seconds, 1 to 300: TCP, TLS and the broker's answer.
    package var connectTimeout = 10.0
    package var protocolVersion = MQTTVersion.v5
    /// The first level or levels of every topic: at most 128 bytes, no wildcards, no slash at either end.
    package var baseTopic = "v4l2mqtt"
    /// The prefixes of the topics to which clients may have answers sent, beside the agent's own reply
    /// topics. Each is at most 256 bytes, without wildcards, with a slash at its end, and doesn't begin with
    /// `$` or a slash.
    package var responseTopics: [String] = [ClientSettings.answers]
    /// At most 256 bytes. A broker allows each client identifier once.
    package var clientID = "v4l2mqtt"
    package var username: String?
    package var password: Secret?
    /// The keep-alive interval in seconds, 5 to 3,600 (MQTT 5, 3.1.2.10).
    package var keepAlive = 15
    /// The seconds over which the agents of a fleet spread what they would all do at once, 0 to 3,600; 0:
    /// nothing is delayed.
    package var spread = 0
    package var tls = TLSSettings()

    package static let maxHosts = 16

    /// Those of a user who has configured nothing.
    package static let standard = MQTTSettings()

    /// All brokers, with their ports.
    package var brokers: [BrokerAddress] {
        hosts.isEmpty
            ? [BrokerAddress(host, port: port)] : hosts.map { BrokerAddress($0.host, port: $0.port ?? port) }
    }

    /// The port of a broker for which no port is given (registered by IANA as `mqtt` and `secure-mqtt`).
    package static func defaultPort(usesTLS: Bool) -> Int { usesTLS ? 8883 : 1883 }
}

package enum MQTTVersion: String, CaseIterable, Sendable {
    /// 5: the name of an earlier meaning.
    case automatic = "auto"
    case v5 = "5"
    case v311 = "3.1.1"
}

/// The order in which hosts are tried.
package enum HostOrder: String, CaseIterable, Sendable {
    case listed, random
}

/// Whether TLS is used, and its PEM files, which were readable when the settings were made.
package struct TLSSettings: Sendable, Equatable {
    package var isOn = false
    /// The authorities to trust; nil: those of the system.
    package var caFile: String?
    /// The agent's own certificate and its private key: both or neither.
    package var certificateFile: String?
    package var keyFile: String?
}

/// Text that must never appear in a log or on a screen.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
