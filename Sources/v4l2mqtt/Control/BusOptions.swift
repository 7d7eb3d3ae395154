internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import LoopThread
internal import MQTTBus
internal import Messages

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

    @Flag(help: "Print JSON, also of what goes wrong.")
    var json = false

    func validate() throws {
        guard ["5", "3.1.1"].contains(self.protocol) else {
            throw ValidationError("--protocol is 5 or 3.1.1.")
        }
        guard (1...65_535).contains(port) else { throw ValidationError("--port is 1 to 65535.") }
    }

    /// A name on the bus that no other run of the program has.
    static func newClientID() -> String { "v4l2mqtt-ctl-\(getpid())-\(UInt32.random(in: 0...UInt32.max))" }

    /// What agents say of themselves, all of them: that the one which is asked for isn't there is only known from the others.
    var agentTopics: [String] { ["info", "availability"].map { "\(baseTopic)/+/\($0)" } }

    /// A bus for one run of the program.
    ///
    /// - Parameters:
    ///   - topics: of which what the broker keeps is wanted too, however much that is.
    ///   - answers: where nothing is kept.
    func bus(
        listeningTo topics: [String], answers: [String] = [], clientID: String = newClientID(),
        on loop: EventLoop
    ) throws -> MQTTBus {
        let filters =
            topics.map { BusFilter($0, .includingRetained, qos: .atMostOnce) }
            + answers.map { BusFilter($0, .newOnly) }
        do {
            return try MQTTBus(try settings(clientID: clientID), filters: filters, on: loop)
        } catch let error as BusError {
            report(CommandError(.unavailable, error.description))
            throw ExitCode.failure
        }
    }

    private func settings(clientID: String) throws -> BusSettings {
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

    /// Says what went wrong: in words to a person, and with `--json` as an answer to the program that asked.
    func report(_ error: CommandError) {
        if json { say(json: Failure(error: error)) }
        complain(error.message.printable)
    }

    /// As a camera's answer says it, without what only a camera has.
    private struct Failure: Encodable {
        let status = Reply.Status.error
        let error: CommandError
    }
}
