package import ArgumentParser
internal import Base
package import Bus
internal import FoundationEssentials
internal import Settings

/// The options of every command that connects to a broker as a controller.
package struct BrokerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The broker's host, with or without a port; given more than once: the next one is tried after each failure.",
            valueName: "host[:port]"))
    var host = ["127.0.0.1"]

    @Option(help: "The port of hosts without one; default: 1883, and 8883 with TLS.")
    var port: Int?

    @Option(help: ArgumentHelp("The protocol: 5 or 3.1.1.", valueName: "version"))
    var `protocol` = MQTTVersion.v5.rawValue

    @Option(help: "The base topic.")
    package var baseTopic = "v4l2mqtt"

    @Option(help: "The user name.")
    package var username: String?

    @Option(help: "A file with the password.", completion: .file())
    var passwordFile: String?

    @Flag(help: "Use TLS, with the authorities of the system.")
    var tls = false

    @Option(help: "Use TLS, with the authorities in this file (PEM).", completion: .file())
    var caFile: String?

    @Option(help: "The client's certificate (PEM), for TLS.", completion: .file())
    var certFile: String?

    @Option(help: "The key of the client's certificate (PEM, not encrypted).", completion: .file())
    var keyFile: String?

    /// That of the file, which ``validate()`` reads.
    private var password: String?

    package init() {}

    /// The names of the options, as ArgumentParser makes them of the properties' names.
    package static var names: (withValue: [String], flags: [String]) {
        // The property of an option is called as the option, behind "_".
        let options = Mirror(reflecting: BrokerOptions()).children.filter { $0.label?.first == "_" }
        let all = options.map { property in
            let words = (property.label ?? "").dropFirst().map {
                $0.isUppercase ? "-\($0.lowercased())" : "\($0)"
            }
            return (name: "--" + words.joined(), isFlag: property.value is Flag<Bool>)
        }
        return (all.filter { !$0.isFlag }.map(\.name), all.filter(\.isFlag).map(\.name))
    }

    private var usesTLS: Bool { tls || caFile != nil }

    /// The help does not name `auto`, which means 5: scripts for an earlier version have it.
    private var version: MQTTVersion? { MQTTVersion(rawValue: self.protocol) }

    /// Whether MQTT 5 is used.
    package var isV5: Bool { version != .v311 }

    package mutating func validate() throws {
        guard version != nil else { throw ValidationError("--protocol is 5 or 3.1.1.") }
        guard host.count <= MQTTSettings.maxHosts, host.allSatisfy({ BrokerAddress($0) != nil }) else {
            throw ValidationError(
                "--host is a host name or an address, such as broker.lan, broker.lan:1884 or [::1]:1884; at most \(MQTTSettings.maxHosts) of them."
            )
        }
        guard port.map((1...65_535).contains) ?? true else { throw ValidationError("--port is 1 to 65535.") }
        guard (certFile == nil) == (keyFile == nil) else {
            throw ValidationError("--cert-file and --key-file are given together.")
        }
        guard certFile == nil || usesTLS else {
            throw ValidationError("--cert-file needs --tls or --ca-file.")
        }
        if let passwordFile {
            guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
                throw ValidationError("--password-file: \(passwordFile) can't be read.")
            }
            password = text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
    }

    /// The settings of a connection.
    package func settings(clientID: String) -> BusSettings {
        var mqtt = MQTTSettings.standard
        mqtt.hosts = host.compactMap { BrokerAddress($0) }
        mqtt.port = port ?? MQTTSettings.defaultPort(usesTLS: usesTLS)
        (mqtt.protocolVersion, mqtt.clientID) = (version ?? .v5, clientID)
        (mqtt.username, mqtt.password) = (username, password.map { Secret($0) })
        (mqtt.tls.isOn, mqtt.tls.caFile) = (usesTLS, caFile)
        (mqtt.tls.certificateFile, mqtt.tls.keyFile) = (certFile, keyFile)
        var settings = BusSettings(mqtt)
        settings.versionKey = "--protocol"
        return settings
    }
}
