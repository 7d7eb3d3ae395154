internal import Contract
import Settings
internal import ZoomModel

/// Who sent a message, by its topic, its payload and the configuration.
struct Sender {
    /// Nil: the client has no name.
    var identity: ClientIdentity?
    /// The prefix of the topics for its answers, where it has one of its own.
    var answerPrefix: String?
    /// The response topic of its message, if that is permitted.
    var responseTopic: String?
    /// Why its message can't be a command.
    var error: CommandError?
}

/// How clients prove who they are, and where their answers may go.
struct ClientRules {
    let settings: AgentSettings
    let topics: Topics

    private var mode: ClientMode { settings.clients.mode }

    /// Whether the agent takes commands of accounts only, and this is the name of one: then the broker's ACL
    /// lets no other client use it.
    func requiresProof(of account: String) -> Bool { mode == .proved && Topics.isName(account) }

    /// Whether the name of a client may be invented, another one with each command: the sender names itself,
    /// or a delegate names it.
    func mayBeInvented(_ client: ClientIdentity?) -> Bool {
        guard mode == .proved, let client, client.isProved else { return true }
        return client.isDelegated
    }

    /// - Parameters:
    ///   - account: the last level of a topic `…/set/<client>`; nil: the topic has none.
    ///   - claimed: the client as the payload names it.
    ///   - responseTopic: of the message.
    func sender(account: String?, claimed: ClientIdentity?, responseTopic: String?) -> Sender {
        var sender = sender(account: account, claimed: claimed)
        guard let responseTopic else { return sender }
        if permits(responseTopic: responseTopic, of: sender) {
            sender.responseTopic = responseTopic
        } else if sender.error == nil {
            sender.error = badResponseTopic(responseTopic, of: sender)
        }
        return sender
    }

    private func sender(account: String?, claimed: ClientIdentity?) -> Sender {
        // Where a proof is required, no answer, event or limit has a name without one.
        let unproved = mode == .open ? claimed : nil
        guard let account else {
            return Sender(identity: unproved, error: mode == .open ? nil : Self.missingProof)
        }
        guard Topics.isName(account) else {
            return Sender(identity: unproved, error: Self.badAccount(account))
        }
        var sender = Sender(identity: ClientIdentity(account: account))
        if mode == .proved { sender.answerPrefix = Topics.answerPrefix(of: account) }
        guard let claimed, claimed.name != account else { return sender }
        if settings.clients.delegates.contains(account) {
            sender.identity = ClientIdentity(account: account, speakingFor: claimed.name)
        } else {
            sender.error = Self.otherClient(than: account)
        }
        return sender
    }

    /// Whether the answers to a message may go to its response topic.
    private func permits(responseTopic: String, of sender: Sender) -> Bool {
        topics.isAnswerTopic(responseTopic, below: responseTopics(of: sender))
            || mode == .open && topics.isOwnReply(responseTopic)
    }

    /// The prefixes of the response topics that a sender may name.
    private func responseTopics(of sender: Sender) -> [String] {
        mode == .open ? settings.mqtt.responseTopics : [sender.answerPrefix].compactMap(\.self)
    }

    // MARK: Errors

    private static let missingProof = CommandError(
        .unproved,
        "This agent takes commands from proved clients only. Publish to the same topic with one more level, which is your user name at the broker: …/set/<client>."
    )

    private static func badAccount(_ account: String) -> CommandError {
        CommandError(
            .badTopic,
            "…/set/\(account.prefix(100)): the name of a client has 1 to 64 characters of a-z, 0-9, _ and -.")
    }

    private static func otherClient(than account: String) -> CommandError {
        CommandError(
            .badPayload,
            "client: expected \(account), which the topic names, or no such field. Only the accounts in clients.delegates speak for other clients.",
            field: "client")
    }

    /// Why an answer isn't sent to a response topic.
    private func badResponseTopic(_ topic: String, of sender: Sender) -> CommandError {
        let known = responseTopics(of: sender)
        // A sender that has proved nothing has no prefix yet.
        let prefixes = (mode == .proved && known.isEmpty ? [ClientSettings.answers] : known)
            .map { "below \($0)" }.joined(separator: ", ")
        var permitted = prefixes.isEmpty ? [] : ["a topic \(prefixes)"]
        if mode == .open {
            permitted.append("one of the agent's own topics that end in /reply, not /set/reply")
        }
        return CommandError(
            .badTopic,
            "The response topic \(topic.prefix(100)) is not permitted; expected \(permitted.joined(separator: ", or "))."
        )
    }
}
