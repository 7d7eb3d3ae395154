import Bus
import Contract
import Settings

/// The agents of a run: how many, their names, their settings, and the process that each of them runs in.
struct LoadPlan {
    /// One camera of each agent, and the group that has all of them.
    static let (camera, group) = ("camera", "load")
    private static let (base, discoveryPrefix) = ("load", "load-discovery")
    /// Descriptors of one agent, with a reserve for attempts to connect, and of a process beside those.
    private static let (descriptorsPerAgent, commonDescriptors) = (12, 256)

    let agents: Int
    let processes: Int
    private var documents: [String: Int] = [:]

    /// - Parameter descriptors: how many a process may have at most.
    init(agents: Int, descriptors: Int) {
        self.agents = agents
        let most = max(1, (descriptors - Self.commonDescriptors) / Self.descriptorsPerAgent)
        processes = (agents + most - 1) / most
        for agent in 0..<agents { documents[document(agent)] = agent }
    }

    func agent(_ number: Int) -> String { "load-\(number)" }

    /// The number of the agent with this name.
    func number(ofAgent name: String) -> Int? {
        guard let number = name.split(separator: "-").last.flatMap({ Int($0) }) else { return nil }
        return number < agents ? number : nil
    }

    /// The numbers of the agents of a process.
    func share(ofProcess process: Int) -> Range<Int> {
        agents * process / processes..<agents * (process + 1) / processes
    }

    func topics(_ number: Int) -> Topics { Topics(base: Self.base, agent: agent(number)) }

    /// What a topic of an agent says; nil: it is none.
    func parts(of topic: String) -> TopicParts? { Topics.parse(topic, below: Self.base) }

    /// The topic of the discovery document of an agent's camera.
    func document(_ number: Int) -> String {
        topics(number).discovery(of: Self.camera, below: Self.discoveryPrefix)
    }

    /// The number of the agent whose discovery document has this topic.
    func number(ofDocument topic: String) -> Int? { documents[topic] }

    /// The topics on which an agent may have retained messages.
    func retained(_ number: Int) -> [String] {
        topics(number).retained + topics(number).retained(ofCamera: Self.camera) + [document(number)]
    }

    /// Where Home Assistant would publish that it has started.
    var birthTopic: String { "\(Self.discoveryPrefix)/status" }

    /// All that agents publish. Each is for a connection of its own: a broker drops messages for a connection
    /// on which too many wait. At QoS 0, nothing has to be acknowledged.
    var filters: [BusFilter] {
        [
            "\(Self.base)/+/+", "\(Self.base)/+/+/+", "\(Self.base)/+/+/zoom/+",
            "\(Self.discoveryPrefix)/device/+/config",
        ]
        .map { BusFilter($0, .newOnly, qos: .atMostOnce) }
    }

    /// The settings of an agent. No scenario makes a photo or a recording.
    func settings(_ number: Int, _ broker: BrokerAddress, spread: Int) -> AgentSettings {
        var settings = AgentSettings.standard
        settings.agent = agent(number)
        settings.mqtt.hosts = [broker]
        settings.mqtt.spread = spread
        settings.mqtt.baseTopic = Self.base
        settings.mqtt.clientID = "v4l2mqtt-\(agent(number))"
        settings.captures.folder.directory = "/nonexistent"
        settings.recordings.folder.directory = "/nonexistent"
        settings.homeAssistant.prefix = Self.discoveryPrefix
        settings.cameras[0].id = Self.camera
        settings.cameras[0].groups = [Self.group]
        settings.cameras[0].simulation.opticalMaximum = 1
        return settings
    }
}
