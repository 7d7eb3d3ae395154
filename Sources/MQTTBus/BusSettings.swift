/// How to reach a broker, and as whom.
package struct BusSettings: Sendable {
    package enum Version: Sendable {
        case v5, v311
    }

    /// Files in PEM form.
    package struct TLS: Sendable {
        /// Whom to trust.
        package var caFile: String
        /// Who we are, where the broker asks.
        package var certificateFile: String?
        package var keyFile: String?

        package init(caFile: String, certificateFile: String? = nil, keyFile: String? = nil) {
            (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
        }
    }

    package var host: String
    package var port: Int
    package var version: Version
    package var clientID: String
    package var username: String?
    package var password: String?
    package var tls: TLS?
    /// Seconds without traffic after which each side makes sure of the other.
    package var keepAlive: Int
    /// What the broker says for us when we are gone without a word: topic and payload, retained.
    package var will: (topic: String, payload: [UInt8])?

    package init(
        host: String, port: Int, version: Version = .v5, clientID: String, username: String? = nil,
        password: String? = nil, tls: TLS? = nil, keepAlive: Int = 15,
        will: (topic: String, payload: [UInt8])? = nil
    ) {
        (self.host, self.port, self.version, self.clientID) = (host, port, version, clientID)
        (self.username, self.password, self.tls, self.keepAlive, self.will) = (
            username, password, tls, keepAlive, will
        )
    }

    /// Packets beyond this size aren't sent to us by an MQTT 5 broker. Commands have at most 64 KiB; the rest is room to
    /// tell the sender of a larger one so, without taking in whatever size somebody may send.
    static let largestPacket: UInt32 = 1 << 20
}
