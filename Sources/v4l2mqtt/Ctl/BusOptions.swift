internal import ArgumentParser
internal import Ctl
internal import FoundationEssentials
internal import MQTTBus
internal import Settings

/// The options of every `ctl` command: the broker, the camera, and how to print.
struct BusOptions: ParsableArguments {
    @Option(help: "The broker's host.")
    var host = "127.0.0.1"

    @Option(help: "The broker's port; default: 1883, and 8883 with TLS.")
    var port: Int?

    @Option(help: ArgumentHelp("The protocol: 5 or 3.1.1.", valueName: "version"))
    var `protocol` = "5"

    @Option(help: "The base topic.")
    var baseTopic = "v4l2mqtt"

    @Option(help: "The user name.")
    var username: String?

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

    @Option(
        help: ArgumentHelp(
            "The client's name in commands and in the topic for answers, replies/NAME/…; default: the user name, otherwise ctl.",
            valueName: "name"))
    var client: String?

    @Option(help: "The agent; default: the only one that is online.", completion: Completions.agents)
    var agent: String?

    @Option(help: "The camera; default: the agent's only one.", completion: Completions.cameras)
    var camera: String?

    @Flag(help: "Print JSON, errors included.")
    var json = false

    private var usesTLS: Bool { tls || caFile != nil }

    func validate() throws {
        guard ["5", "3.1.1"].contains(self.protocol) else {
            throw ValidationError("--protocol is 5 or 3.1.1.")
        }
        guard port.map((1...65_535).contains) ?? true else { throw ValidationError("--port is 1 to 65535.") }
        guard (certFile == nil) == (keyFile == nil) else {
            throw ValidationError("--cert-file and --key-file are given together.")
        }
        guard certFile == nil || usesTLS else {
            throw ValidationError("--cert-file needs --tls or --ca-file.")
        }
        guard client.map(CtlOptions.isClientName) ?? true else {
            throw ValidationError("--client is 1 to 64 bytes, without /, + and #.")
        }
    }

    /// The options as the library takes them, with a new client id. Reads the password file.
    func ctlOptions() throws -> CtlOptions {
        var password: String?
        if let passwordFile {
            guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
                throw ValidationError("--password-file: \(passwordFile) can't be read.")
            }
            password = text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
        let broker = BusSettings(
            host: host, port: port ?? MQTTSettings.defaultPort(usesTLS: usesTLS),
            version: self.protocol == "5" ? .v5 : .v311,
            clientID: CtlOptions.newClientID(), username: username, password: password,
            tls: usesTLS
                ? .init(caFile: caFile, certificateFile: certFile, keyFile: keyFile) : nil,
            maxPacketSize: BusSettings.maxPhotoPacketSize)
        return CtlOptions(
            broker: broker, baseTopic: baseTopic, agent: agent, camera: camera, client: client, json: json)
    }
}
