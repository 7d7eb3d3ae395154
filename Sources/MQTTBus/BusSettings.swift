/// The address of a broker, and the identity and credentials of the client.
package struct BusSettings: Sendable {
    package enum Version: Sendable {
        case v5, v311
    }

    /// Files in PEM form. They are read for each connection.
    package struct TLS: Sendable {
        /// The certificate authorities that are trusted; nil for those of the system.
        package var caFile: String?
        /// The certificate of the client, if the broker requests one.
        package var certificateFile: String?
        /// Its key, without a passphrase.
        package var keyFile: String?

        package init(caFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil) {
            (self.caFile, self.certificateFile, self.keyFile) = (caFile, certificateFile, keyFile)
        }

        /// The purpose of a file.
        package enum File: Sendable, Equatable {
            case authorities, certificate, key
        }

        func path(of file: File) -> String? {
            switch file {
            case .authorities: caFile
            case .certificate: certificateFile
            case .key: keyFile
            }
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
    /// The limit for received packets, in bytes. The client announces it to an MQTT 5 broker; a larger packet
    /// ends the connection. With MQTT 3.1.1, which has no such limit, a larger message is cut there.
    package var maxPacketSize: UInt32
    /// Whether received messages have their user properties (``BusMessage/user``). A receiver of commands
    /// does not need them, and saves the time.
    package var readsUserProperties: Bool

    package init(
        host: String, port: Int, version: Version = .v5, clientID: String, username: String? = nil,
        password: String? = nil, tls: TLS? = nil, keepAlive: Int = 15,
        will: (topic: String, payload: [UInt8])? = nil, maxPacketSize: UInt32 = Self.maxCommandPacketSize,
        readsUserProperties: Bool = false
    ) {
        (self.host, self.port, self.version, self.clientID) = (host, port, version, clientID)
        (self.username, self.password, self.tls, self.keepAlive, self.will) = (
            username, password, tls, keepAlive, will
        )
        (self.maxPacketSize, self.readsUserProperties) = (maxPacketSize, readsUserProperties)
    }

    /// Enough for a receiver of commands: they have at most 16 KiB. Larger ones up to this size are received
    /// so that they can be answered with an error.
    package static let maxCommandPacketSize: UInt32 = 1 << 20
    /// Enough for a receiver of photos.
    package static let maxPhotoPacketSize: UInt32 = 64 << 20
}
