internal import Glibc
package import MQTTBus
internal import Messages

/// Which broker and which cameras one run of `ctl` is about, and how it prints.
package struct CtlOptions: Sendable {
    package var broker: BusSettings
    package var baseTopic: String
    /// The agent; nil: the only one that is online.
    package var agent: String?
    /// The camera; nil: the agent's only one.
    package var camera: String?
    /// The sender of commands: 1 to 64 of `[a-z0-9_-]`. For agents that take commands from proved clients
    /// only, the user name at the broker.
    package var client: String
    /// Whether results and errors are printed as JSON.
    package var json: Bool

    package init(
        broker: BusSettings, baseTopic: String = "v4l2mqtt", agent: String? = nil, camera: String? = nil,
        client: String = "ctl", json: Bool = false
    ) {
        (self.broker, self.baseTopic) = (broker, baseTopic)
        (self.agent, self.camera, self.client, self.json) = (agent, camera, client, json)
    }

    /// A client id that no other run of the program uses.
    package static func newClientID() -> String {
        "v4l2mqtt-ctl-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    }

    /// The broker as error messages name it.
    var endpoint: String { "\(broker.host):\(broker.port)" }

    /// The part of a topic that names the cameras.
    var cameraFilter: String { "\(baseTopic)/\(agent ?? "+")/\(camera ?? "+")" }

    /// The topic for answers of agents that use MQTT 5.
    var responseTopic: String { answerPrefix + broker.clientID }

    /// The prefix of all topics for answers to this client.
    var answerPrefix: String { Topics.answerPrefix(of: client) }

    /// Subscriptions to the answers.
    var answerFilters: [BusFilter] {
        // An agent that uses 3.1.1 doesn't see the response topic, whichever version is used here.
        let withoutResponseTopic = [
            "\(cameraFilter)/+/reply", "\(answerPrefix)\(agent ?? "+")/\(camera ?? "+")/+",
        ]
        return (withoutResponseTopic + (broker.version == .v5 ? [responseTopic] : [])).map {
            BusFilter($0, .newOnly)
        }
    }

    /// The topics of the agents themselves. All agents are observed: an error message about an unknown agent
    /// names the known ones.
    private var agentTopics: [String] { ["info", "availability"].map { "\(baseTopic)/+/\($0)" } }

    /// Subscriptions to the agents and to these nodes of the cameras, with their retained messages.
    ///
    /// QoS 0: mosquitto queues only a limited number of messages with QoS 1 and 2 and drops the others.
    func filters(cameraNodes nodes: [String]) -> [BusFilter] {
        (agentTopics + nodes.map { "\(cameraFilter)/\($0)" }).map {
            BusFilter($0, .includingRetained, qos: .atMostOnce)
        }
    }
}
