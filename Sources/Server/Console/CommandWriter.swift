internal import Bus
internal import Contract

/// Writes commands as messages of the contract (`schemas/README.md`).
struct CommandWriter {
    struct Message {
        let topic: String
        let payload: [UInt8]
        let properties: BusProperties
    }

    /// The topic of the answers, with MQTT 5. Each message that comes is compared with it.
    let responseTopic: String
    private let usesResponseTopic: Bool
    private let topics: CameraTopics

    init(_ settings: ConsoleSettings, _ topics: CameraTopics) {
        responseTopic = Topics.answerPrefix(of: settings.account ?? settings.name) + settings.clientID
        (usesResponseTopic, self.topics) = (settings.usesResponseTopic, topics)
    }

    /// - Parameters:
    ///   - id: nil: the command is not answered.
    ///   - client: for which the command is sent.
    ///   - account: the account that proves the sender; nil: the topic has none.
    func command(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, id: String?, client: String,
        account: String?
    ) -> Message {
        var payload = payload
        if let id { payload["id"] = .text(id) }
        if client != account { payload["client"] = .text(client) }
        var properties = BusProperties()
        if let id, usesResponseTopic {
            properties = BusProperties(responseTopic: responseTopic, correlation: Array(id.utf8))
        }
        return Message(
            topic: topics.command(camera, node, account: account),
            payload: JSON.bytes(JSON.object(payload)), properties: properties)
    }

    /// Asks an agent for its retained messages. It is not answered.
    func refresh(_ agent: String, client: String, account: String?) -> Message {
        let payload: JSONObject = client == account ? [:] : ["client": .text(client)]
        return Message(
            topic: Topics(base: topics.base, agent: agent).refresh(client: account), payload: JSON.bytes(JSON.object(payload)),
            properties: BusProperties())
    }
}
