/// The address of a broker, and the identity and credentials of the client.
package struct BusSettings: Sendable {
    package enum Version: Sendable {
        case v5, v311
    }

    /// Files in PEM form.
    package struct TLS: Sendable {
        /// The certificate authorities that are trusted.
        package var caFile: String
        /// The certificate of the client, if the broker requests one.
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
    /// The keep-alive interval in seconds (MQTT 5, 3.1.2.10).
    package var keepAlive: Int
    /// The will: topic and payload of the retained message that the broker publishes when the connection is
    /// lost.
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

    /// The maximum packet size that is announced to an MQTT 5 broker, in bytes. Commands have at most 64 KiB;
    /// larger ones up to this size are received so that they can be answered with an error.
    static let maxPacketSize: UInt32 = 1 << 20
}
