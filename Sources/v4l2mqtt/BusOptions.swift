internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import MQTTBus

/// Which broker, and which camera there.
struct BusOptions: ParsableArguments {
    @Option(help: "The broker's host.")
    var host = "127.0.0.1"

    @Option(help: "The broker's port.")
    var port = 1883

    @Option(help: ArgumentHelp("The protocol: 5 or 3.1.1.", valueName: "version"))
    var `protocol` = "5"

    @Option(help: "The base topic.")
    var baseTopic = "v4l2mqtt"

    @Option(help: "The user name.")
    var username: String?

    @Option(help: "A file with the password.", completion: .file())
    var passwordFile: String?

    @Option(help: "The certificates to trust; speaks TLS.", completion: .file())
    var caFile: String?

    @Option(help: "The agent; without it, the one that is there.", completion: Completions.agents)
    var agent: String?

    @Option(help: "The camera; without it, the agent's only one.", completion: Completions.cameras)
    var camera: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard ["5", "3.1.1"].contains(self.protocol) else {
            throw ValidationError("--protocol is 5 or 3.1.1.")
        }
        guard (1...65_535).contains(port) else { throw ValidationError("--port is 1 to 65535.") }
    }

    /// The settings of a bus for one run of the program.
    func settings(clientID: String) throws -> BusSettings {
        var password: String?
        if let passwordFile {
            guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
                throw ValidationError("--password-file: \(passwordFile) can't be read.")
            }
            password = text.hasSuffix("\n") ? String(text.dropLast()) : text
        }
        return BusSettings(
            host: host, port: port, version: self.protocol == "5" ? .v5 : .v311, clientID: clientID,
            username: username, password: password, tls: caFile.map { .init(caFile: $0) })
    }
}
