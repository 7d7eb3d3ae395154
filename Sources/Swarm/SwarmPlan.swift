internal import HomeAssistant
package import Messages
package import Settings

/// The agents of a swarm: how many, their names, their settings, and the process that each of them runs in.
package struct SwarmPlan: Sendable, Equatable {
    /// One camera of each agent.
    package static let camera = "camera"
    /// Agents of one thread. Each turn of a loop passes all descriptors of its agents to the kernel.
    package static let agentsPerThread = 25
    /// Descriptors of one agent: its socket, and those that wake its loop. With a reserve for attempts to
    /// connect.
    package static let descriptorsPerAgent = 12
    /// Descriptors of a process beside those of its agents.
    package static let commonDescriptors = 256

    /// 1 to 1,000,000.
    package var agents: Int
    /// At most as many as agents.
    package var processes: Int
    /// The names of agents are this, a hyphen and a number. It is the name of the group of all cameras too.
    package var name: String
    /// The first level or levels of every topic of the agents.
    package var baseTopic: String
    /// The discovery prefix of the swarm, which Home Assistant doesn't use.
    package var discoveryPrefix: String
    /// Whether the cameras are announced to Home Assistant.
    package var isDiscovered: Bool

    package init(
        agents: Int, processes: Int, name: String, baseTopic: String, discoveryPrefix: String,
        isDiscovered: Bool = true
    ) {
        (self.agents, self.processes, self.name) = (agents, processes, name)
        (self.baseTopic, self.discoveryPrefix) = (baseTopic, discoveryPrefix)
        self.isDiscovered = isDiscovered
    }

    /// The name of the group that has all cameras.
    package var group: String { name }

    /// - Parameter number: of the agent, from 0.
    package func agent(_ number: Int) -> String { "\(name)-\(number)" }

    /// The number of the agent with this name; nil: it is no agent of the swarm.
    package func number(ofAgent agent: Substring) -> Int? {
        guard agent.utf8.starts(with: "\(name)-".utf8) else { return nil }
        let digits = agent.utf8.dropFirst(name.utf8.count + 1)
        guard let number = Int(Substring(digits)), (0..<agents).contains(number), self.agent(number) == agent
        else { return nil }
        return number
    }

    /// The numbers of the agents of a process.
    package func share(ofProcess process: Int) -> Range<Int> {
        agents * process / processes..<agents * (process + 1) / processes
    }

    /// The descriptors that a process needs.
    package var descriptorsPerProcess: Int {
        (agents + processes - 1) / processes * Self.descriptorsPerAgent + Self.commonDescriptors
    }

    package func topics(_ number: Int) -> Topics { Topics(base: baseTopic, agent: agent(number)) }

    /// The topic of the discovery document of an agent's camera.
    package func document(_ number: Int) -> String {
        HomeAssistantIdentity(base: baseTopic, agent: agent(number), camera: Self.camera)
            .topic(below: discoveryPrefix)
    }

    /// The topics on which an agent may have retained messages.
    package func retained(_ number: Int) -> [String] {
        let topics = topics(number)
        return topics.retained + topics.retained(ofCamera: Self.camera) + [document(number)]
    }

    /// Where Home Assistant would publish that it has started.
    package var birthTopic: String { "\(discoveryPrefix)/status" }

    /// The settings of an agent.
    ///
    /// - Parameters:
    ///   - mqtt: the broker. The topics and the client identifier are those of the agent.
    ///   - folder: for photos and recordings; no scenario makes one.
    package func settings(_ number: Int, _ mqtt: MQTTSettings, folder: String) -> AgentSettings {
        var mqtt = mqtt
        mqtt.baseTopic = baseTopic
        mqtt.clientID = "v4l2mqtt-\(agent(number))"
        var settings = AgentSettings(agent: agent(number), mqtt: mqtt)
        settings.captures.folder.directory = folder
        settings.recordings.folder.directory = folder
        settings.homeAssistant.prefix = discoveryPrefix
        settings.homeAssistant.isOn = isDiscovered
        settings.cameras = [CameraSettings(id: Self.camera, groups: [group])]
        return settings
    }
}
