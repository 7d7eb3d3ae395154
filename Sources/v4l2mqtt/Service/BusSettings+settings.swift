internal import MQTTBus
internal import Settings

extension BusSettings {
    /// The connection that a user configured, without a will.
    init(_ mqtt: MQTTSettings) {
        self.init(
            host: mqtt.host, port: mqtt.port, version: mqtt.protocolVersion == .v5 ? .v5 : .v311,
            clientID: mqtt.clientID, username: mqtt.username, password: mqtt.password?.text,
            tls: mqtt.tls.map {
                TLS(caFile: $0.caFile, certificateFile: $0.certificateFile, keyFile: $0.keyFile)
            },
            keepAlive: mqtt.keepAlive)
    }
}
