package import Base

/// The brokers that can be connected to, and the identity and credentials of the client.
package struct BusSettings: Sendable {
    /// The order in which hosts are tried.
    package enum Order: Sendable {
        case listed, random
    }

    /// At least one. Each serves the same topics.
    package var hosts: [BrokerHost]
    package var order = Order.listed
    /// The limit for one address of a host: TCP, TLS and the answer to CONNECT together.
    package var connectTimeout = Duration.seconds(10)
    package var version: MQTTLevel
    /// What a user changes for another ``version``, in messages.
    package var versionKey = "mqtt.protocol"
    package var clientID: String
    package var username: String?
    package var password: String?
    package var tls: TLSFiles?
    /// The keep-alive interval in seconds (MQTT 5, 3.1.2.10).
    package var keepAlive = 15
    /// Where the runs of the program are counted that ended by a fault, for a program that is started again:
    /// a broker may be the reason.
    package var faultFile: String?
    /// Delays the first reconnection after a good connection.
    package var spread = Spread.none
    /// The will: topic and payload of the retained message that the broker publishes when the connection is
    /// lost.
    package var will: (topic: String, payload: [UInt8])?
    /// The limit for received packets, in bytes. The client announces it to an MQTT 5 broker; a larger packet
    /// ends the connection. With MQTT 3.1.1, which has no such limit, a larger message is cut there.
    package var maxPacketSize = usualMaxPacketSize
    /// Whether received messages have their user properties (``BusMessage/user``). A receiver of commands
    /// does not need them, and saves the time.
    package var readsUserProperties = false

    package init(hosts: [BrokerHost], version: MQTTLevel = .v5, clientID: String) {
        (self.hosts, self.version, self.clientID) = (hosts, version, clientID)
    }

    /// 1 MiB, enough for a receiver of commands or of states. Commands have at most 16 KiB; larger ones up to
    /// this size are received so that they can be answered with an error.
    package static let usualMaxPacketSize: UInt32 = 1 << 20
}
