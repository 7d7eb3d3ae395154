internal import Base
internal import BrokerOptions
package import Bus
internal import Contract
package import Fleet
package import FoundationEssentials
internal import Glibc
internal import Settings

/// Which broker and which cameras one run of `ctl` is about, and how it prints.
package struct CtlOptions: Sendable {
    var broker: BusSettings
    package var baseTopic: String
    /// The agent; nil: the only one that is online.
    package var agent: String?
    /// The camera; nil: the agent's only one.
    package var camera: String?
    /// The group of cameras that the command is for; nil: it is for one camera.
    package var group: String?
    /// The id of the command; nil: one that no other run of the program uses.
    package var commandID: String?
    /// The sender of commands, and the level of the topics for answers that an ACL can give to its account
    /// (``isClientName(_:)``). For agents that take commands from proved clients only, the user name at the
    /// broker.
    var client: String
    /// What no other client can guess: the correlation data of a request of this run, counted from 1, and its
    /// id unless that is ``commandID``.
    package var requestID: @Sendable (Int) -> String = { _ in "v4l2mqtt-ctl-\(ClientRequest.newID())" }
    /// Whether results and errors are printed as JSON.
    package var json: Bool
    /// When the agent carries out the command; nil: at once.
    package var time: CommandTime?
    /// The command has its time also where the clock of the agent's machine isn't synchronised.
    package var usesAnyClock = false
    /// The time of day on this machine.
    package var wallClock: @Sendable () -> Date = { .now }

    /// - Parameter client: nil: the user name, if that can be a name of a client, otherwise `ctl`.
    package init(
        broker: BusSettings, baseTopic: String = "v4l2mqtt", agent: String? = nil, camera: String? = nil,
        client: String? = nil, json: Bool = false
    ) {
        (self.broker, self.baseTopic) = (broker, baseTopic)
        self.broker.mqtt.connectTimeout = Self.connectTimeout
        (self.agent, self.camera, self.json) = (agent, camera, json)
        let account = broker.mqtt.username.flatMap { Self.isClientName($0) ? $0 : nil }
        self.client = client ?? account ?? "ctl"
    }

    /// As the command line gives them, with a new client id.
    init(_ words: BusOptions, _ time: TimeOptions? = nil) {
        self.init(
            broker: words.broker.settings(clientID: Self.newClientID()), baseTopic: words.broker.baseTopic,
            agent: words.agent, camera: words.camera, client: words.client, json: words.json)
        group = words.group
        guard let time else { return }
        (self.time, usesAnyClock, commandID) = (time.time, time.anyClock, time.id)
    }

    /// Whether a text can be the name of the client: 1 to 64 bytes, which can be a level of a topic (MQTT 5,
    /// 4.7.1).
    static func isClientName(_ text: String) -> Bool {
        // By scalars: in a string an accent after a slash hides the slash.
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.isPrintable && !"/+#".unicodeScalars.contains($0) }
    }

    /// A client id that no other run of the program uses. It is in the response topic.
    package static func newClientID() -> String { "v4l2mqtt-ctl-\(getpid())-\(ClientRequest.newID())" }

    var clientID: String {
        get { broker.mqtt.clientID }
        set { broker.mqtt.clientID = newValue }
    }

    /// The limit for one address of a host, in seconds: a user waits.
    private static let connectTimeout = 4.0

    /// The limit for all hosts together.
    var connectLimit: Duration { CtlSession.brokerTimeout * broker.mqtt.brokers.count }

    /// The broker as error messages name it.
    var endpoint: String { broker.mqtt.brokers.map(\.description).joined(separator: ", ") }

    /// The error if no agent is known.
    var noAgent: CommandError {
        CommandError(.unavailable, "There is no agent below \(baseTopic)/ at \(endpoint).")
    }

    /// The topics of its answers.
    package var topics: ClientTopics {
        ClientTopics(base: baseTopic, client: client, clientID: clientID, agent: agent, camera: camera)
    }

    /// Subscriptions to the answers of the camera, or of the cameras of the group.
    package var commandFilters: [BusFilter] {
        // The requests to single cameras of a group name the response topic.
        group == nil ? topics.answers : topics.groupAnswers + [topics.response]
    }
}

extension JSONObject {
    /// The command with its sender, and the time at which it is to be carried out.
    ///
    /// - Parameter id: new for each command of a client; its answer has it too.
    func sent(as id: String, _ options: CtlOptions) -> JSONObject {
        var command: JSONObject = ["id": .text(id), "client": .text(options.client)]
        if let time = options.time {
            command["at"] = .text(time.text(at: options.wallClock()))
            if options.usesAnyClock { command["at_any_clock"] = .flag(true) }
        }
        for field in members { command[field.name] = field.value }
        return command
    }
}
