package import Bus
internal import Contract

/// The metrics of all agents and cameras below a base topic, made of the messages that they publish anyway.
package final class FleetMetrics {
    /// The default for how many agents, and how many cameras, are kept: clients that may publish on these
    /// topics could fill the memory otherwise.
    package static let usualLimit = 20_000
    /// In bytes.
    private static let maxPayload = 64 << 10
    /// How many seconds after the last retained message of a connection the broker has sent all of them.
    private static let settlingSeconds = 10

    private let base: String
    private var agents: RetainedEntries<String, AgentMetrics>
    private var cameras: RetainedEntries<CameraAddress, CameraMetrics>
    private var isConnected = false
    /// Seconds until the retained messages of this connection count as complete; nil: they do, or there are
    /// no subscriptions yet.
    private var settling: Int?
    private var messages = 0
    private var leftOut = 0

    /// - Parameters:
    ///   - baseTopic: the first levels of all topics.
    ///   - limit: how many agents, and how many cameras, are kept.
    package init(baseTopic: String, limit: Int = FleetMetrics.usualLimit) {
        base = baseTopic
        agents = RetainedEntries(limit: limit)
        cameras = RetainedEntries(limit: limit)
    }

    /// The subscriptions. QoS 0: a broker drops messages with QoS 1 if a client has too many.
    package var filters: [BusFilter] {
        let states = AgentMetrics.states.map { "+/\($0)" } + CameraMetrics.states.map { "+/+/\($0)" }
        return states.map { BusFilter("\(base)/\($0)", .retainedThenNew, qos: .atMostOnce) }
            + [BusFilter("\(base)/+/+/event", .newOnly, qos: .atMostOnce)]
    }

    // MARK: Connection

    /// The connection to the broker has begun. The broker sends again what it retains; what does not come
    /// again was removed meanwhile, and is forgotten by ``secondPassed()``. Counters go on.
    package func connected() {
        isConnected = true
        settling = nil
        agents.connected()
        cameras.connected()
    }

    /// The broker has made the subscriptions: retained messages have come, or come next.
    package func subscribed() { settling = Self.settlingSeconds }

    package func disconnected() {
        isConnected = false
        settling = nil
    }

    /// To be called each second after ``subscribed()``: forgets what was removed before this connection, when
    /// no retained message has come for ``settlingSeconds`` seconds.
    ///
    /// Calls are counted, and not the time: while a long text is made, no message is received.
    ///
    /// - Returns: false: it need not be called again before the next connection.
    package func secondPassed() -> Bool {
        guard let left = settling else { return false }
        settling = left > 1 ? left - 1 : nil
        if settling == nil {
            agents.forgetEarlier()
            cameras.forgetEarlier()
        }
        return settling != nil
    }

    // MARK: Messages

    /// Takes a message of the broker.
    ///
    /// - Parameter seconds: the time of day, since 1970.
    package func receive(_ message: BusMessage, at time: ContinuousClock.Instant, seconds: Double) {
        messages += 1
        if message.isRetained, settling != nil { settling = Self.settlingSeconds }
        let agent: String
        let isTaken: Bool
        switch Topics.subject(of: message.topic, below: base) {
        case _ where message.payload.count > Self.maxPayload: return leftOut += 1
        case .agent(let name, let node):
            agent = name
            isTaken = agents.take(name, node, message.payload, at: time)
        case .camera(let address, let node) where !node.utf8.contains(UInt8(ascii: "/")):
            agent = address.agent
            isTaken = cameras.take(address, node, message.payload, at: time)
        case .camera, nil: return leftOut += 1
        }
        guard isTaken else { return leftOut += 1 }
        agents.updateExisting(agent) { $0.hear(at: seconds) }
    }

    /// How many cameras of agents that are online lack states, as far as `info` of the agents lists them; an
    /// agent without `info` counts as one. A broker with many retained messages may drop some of them.
    package func incompleteCameras(at time: ContinuousClock.Instant) -> Int {
        agents.all.reduce(0) { count, agent in
            guard agent.entry.up(at: time) == 1 else { return count }
            guard let names = agent.entry.cameras else { return count + 1 }
            return count
                + names.count { cameras[CameraAddress(agent: agent.name, camera: $0)]?.isComplete != true }
        }
    }

    // MARK: Text

    /// All metrics in the text format of Prometheus.
    package func text(at time: ContinuousClock.Instant) -> String {
        var metrics = MetricText()
        writeOwn(at: time, to: &metrics)
        writeAgents(at: time, to: &metrics)
        writeCameras(at: time, to: &metrics)
        return metrics.text
    }

    /// - Parameter agent: nil: nothing is known of it.
    private func up(_ agent: AgentMetrics?, at time: ContinuousClock.Instant) -> Double {
        isConnected ? agent?.up(at: time) ?? .nan : .nan
    }

    private func writeOwn(at time: ContinuousClock.Instant, to metrics: inout MetricText) {
        func write(_ name: String, _ kind: MetricText.Kind, _ help: String, _ value: Double) {
            metrics.begin("v4l2mqtt_exporter_\(name)", kind, help)
            metrics.add("v4l2mqtt_exporter_\(name)", [], value)
        }
        write("connected", .gauge, "Whether the exporter is connected to the broker.", isConnected ? 1 : 0)
        write("messages_total", .counter, "Messages that the exporter received.", Double(messages))
        write(
            "left_out_messages_total", .counter,
            "Messages that the exporter left out, because they are too large, on unknown topics, or of agents or cameras beyond the limit.",
            Double(leftOut))
        write(
            "incomplete_cameras", .gauge,
            "Cameras of agents that are online of which not all states have come: a broker with many retained messages may drop some. An agent without info counts as one.",
            Double(incompleteCameras(at: time)))
    }

    private func writeAgents(at time: ContinuousClock.Instant, to metrics: inout MetricText) {
        let agents = agents.all.sorted { $0.name < $1.name }
        func write(
            _ name: String, _ help: String, _ value: (AgentMetrics) -> Double? = { _ in 1 },
            labels: (AgentMetrics) -> [MetricText.Label]? = { _ in [] }
        ) {
            metrics.begin("v4l2mqtt_agent_\(name)", .gauge, help)
            for (agent, state) in agents {
                guard let labels = labels(state) else { continue }
                metrics.add("v4l2mqtt_agent_\(name)", [("agent", agent)] + labels, value(state))
            }
        }
        write("up", "1: the agent is online; 0: it is not; NaN: not known.") { up($0, at: time) }
        write(
            "overdue",
            "Whether the agent has not renewed its availability in time: it is not known whether it is online."
        ) { isConnected && $0.isOverdue(at: time) ? 1 : 0 }
        write("info", "The agent's version, host, and level of the contract.", labels: \.labels)
        write("boot", "How often the agent has started.") { $0.boot }
        write(
            "last_message_timestamp_seconds",
            "When the last message of the agent or of one of its cameras came, in seconds since 1970."
        ) { $0.lastMessage }
        write("same_name", "Whether another device uses the agent's name, and waits.") { $0.hasSameName }
        write(
            "fleet_version", "The version of the fleet's configuration that is in effect; absent without one."
        ) { $0.fleetVersion }
        write(
            "fleet_refused",
            "Why a newer version of the fleet's configuration is not in effect; absent without a reason.",
            labels: { $0.fleetRefusal.map { [("code", $0)] } })
    }

    private func writeCameras(at time: ContinuousClock.Instant, to metrics: inout MetricText) {
        let cameras = cameras.all.filter(\.entry.isKnown).sorted { $0.name < $1.name }
        typealias Sample = (labels: [MetricText.Label], value: Double?)
        func write(
            _ name: String, _ kind: MetricText.Kind, _ help: String,
            _ samples: (CameraAddress, CameraMetrics) -> [Sample]
        ) {
            metrics.begin("v4l2mqtt_camera_\(name)", kind, help)
            for (address, camera) in cameras {
                for sample in samples(address, camera) {
                    let labels = [("agent", address.agent), ("camera", address.camera)] + sample.labels
                    metrics.add("v4l2mqtt_camera_\(name)", labels, sample.value)
                }
            }
        }
        func counts(_ label: String, _ counts: [String: Int]) -> [Sample] {
            counts.sorted { $0.key < $1.key }.map { ([(label, $0.key)], Double($0.value)) }
        }
        write("up", .gauge, "1: the camera is online; 0: it is not; NaN: not known.") { address, camera in
            [([], camera.up(agent: up(agents[address.agent], at: time)))]
        }
        write(
            "unavailable", .gauge, "Why the camera is offline or closed; absent without a reason."
        ) { _, camera in camera.reason.map { [([("reason", $0)], 1)] } ?? [] }
        write("info", .gauge, "The camera's model.") { _, camera in
            camera.model.map { [([("model", $0)], 1)] } ?? []
        }
        write("frames_total", .counter, "Frames that came since the agent's start.") { [([], $1.frames)] }
        write("lost_frames_total", .counter, "Frames that were lost since the agent's start.") {
            [([], $1.lostFrames)]
        }
        write("free_bytes", .gauge, "Free space in the folder of recordings.") { [([], $1.freeBytes)] }
        write("recording", .gauge, "Whether the camera records.") { [([], $1.isRecording)] }
        write("photos_total", .counter, "Photos since the exporter's start.") { [([], Double($1.photos))] }
        write(
            "recordings_total", .counter,
            "Finished recordings since the exporter's start, by the reason of their end."
        ) { counts("reason", $1.recordings) }
        write(
            "refusals_total", .counter, "Refused commands since the exporter's start, by the error's code."
        ) { counts("code", $1.refusals) }
    }
}
