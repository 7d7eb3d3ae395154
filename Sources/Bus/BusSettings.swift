internal import Base
package import Settings

/// A client of a broker: how it connects, as a user configures it, and what is the program's own.
package struct BusSettings: Sendable {
    package var mqtt: MQTTSettings
    /// What a user changes for another version of MQTT, in messages; nil: nothing.
    package var versionKey: String? = "mqtt.protocol"
    /// Where the runs of the program are counted that ended by a fault, for a program that is started again:
    /// a broker may be the reason.
    package var faultFile: String?
    /// The will: topic and payload of the retained message that the broker publishes when the connection is
    /// lost.
    package var will: (topic: String, payload: [UInt8])?
    /// The limit for received packets, in bytes. The client announces it to an MQTT 5 broker; a larger packet
    /// ends the connection. With MQTT 3.1.1, which has no such limit, a larger message is cut there.
    package var maxPacketSize = usualMaxPacketSize
    /// Whether received messages have their user properties (``BusMessage/user``). A receiver of commands
    /// does not need them, and saves the time.
    package var readsUserProperties = false

    package init(_ mqtt: MQTTSettings) { self.mqtt = mqtt }

    /// Whether MQTT 5 is used, and not 3.1.1.
    package var isV5: Bool { mqtt.protocolVersion != .v311 }

    /// 1 MiB, enough for a receiver of commands or of states. Commands have at most 16 KiB; larger ones up to
    /// this size are received so that they can be answered with an error.
    package static let usualMaxPacketSize: UInt32 = 1 << 20
}

extension TLSFiles {
    /// The files as a user configured them.
    package init(_ settings: TLSSettings) {
        self.init(
            authorities: settings.caFile, certificate: settings.certificateFile, key: settings.keyFile)
    }
}
