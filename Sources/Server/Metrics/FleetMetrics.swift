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
    private static let settling = 10

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
        let states = CameraMetrics.nodes.filter { $0 != "event" }
        return ["+/availability", "+/info"].map {
            BusFilter("\(base)/\($0)", .retainedThenNew, qos: .atMostOnce)
        }
            + states.map { BusFilter("\(base)/+/+/\($0)", .retainedThenNew, qos: .atMostOnce) }
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
    package func subscribed() { settling = Self.settling }

    package func disconnected() {
        isConnected = false
        settling = nil
    }

    /// To be called each second after ``subscribed()``: forgets what was removed before this connection, when
    /// no retained message has come for ``settling`` seconds.
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
        if message.isRetained, settling != nil { settling = Self.settling }
        let agent: String
        let isTaken: Bool
        switch Topics.source(of: message.topic, below: base) {
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
        let ups = Dictionary(
            uniqueKeysWithValues: agents.all.map { ($0.name, isConnected ? $0.entry.up(at: time) : .nan) })
        writeAgents(ups, at: time, to: &metrics)
        writeCameras(ups, to: &metrics)
        return metrics.text
    }

    private func writeOwn(at time: ContinuousClock.Instant, to metrics: inout MetricText) {
        let own = "v4l2mqtt_exporter"
        metrics.begin("\(own)_connected", .gauge, "Whether the exporter is connected to the broker.")
        metrics.add("\(own)_connected", [], isConnected ? 1 : 0)
        metrics.begin("\(own)_messages_total", .counter, "Messages that the exporter received.")
        metrics.add("\(own)_messages_total", [], Double(messages))
        metrics.begin(
            "\(own)_left_out_messages_total", .counter,
            "Messages that the exporter left out, because they are too large, on unknown topics, or of agents or cameras beyond the limit."
        )
        metrics.add("\(own)_left_out_messages_total", [], Double(leftOut))
        metrics.begin(
            "\(own)_incomplete_cameras", .gauge,
            "Cameras of agents that are online of which not all states have come: a broker with many retained messages may drop some. An agent without info counts as one."
        )
        metrics.add("\(own)_incomplete_cameras", [], Double(incompleteCameras(at: time)))
    }

    private func writeAgents(
        _ ups: [String: Double], at time: ContinuousClock.Instant, to metrics: inout MetricText
    ) {
        let agents = agents.all.sorted { $0.name < $1.name }
        func write(
            _ name: String, _ kind: MetricText.Kind, _ help: String,
            _ value: (String, AgentMetrics) -> (labels: [MetricText.Label], value: Double?)
        ) {
            metrics.begin(name, kind, help)
            for (agent, state) in agents {
                let sample = value(agent, state)
                metrics.add(name, [("agent", agent)] + sample.labels, sample.value)
            }
        }
        write("v4l2mqtt_agent_up", .gauge, "1: the agent is online; 0: it is not; NaN: not known.") {
            name, _ in
            ([], ups[name])
        }
        write(
            "v4l2mqtt_agent_overdue", .gauge,
            "Whether the agent has not renewed its availability in time: it is not known whether it is online."
        ) { _, agent in ([], isConnected && agent.isOverdue(at: time) ? 1 : 0) }
        write("v4l2mqtt_agent_info", .gauge, "The agent's version, host, and level of the contract.") {
            _, agent in
            agent.labels.map { ($0, 1) } ?? ([], nil)
        }
        write("v4l2mqtt_agent_boot", .gauge, "How often the agent has started.") { _, agent in
            ([], agent.boot)
        }
        write(
            "v4l2mqtt_agent_last_message_timestamp_seconds", .gauge,
            "When the last message of the agent or of one of its cameras came, in seconds since 1970."
        ) { _, agent in ([], agent.lastMessage) }
        write(
            "v4l2mqtt_agent_same_name", .gauge, "Whether another device uses the agent's name, and waits."
        ) { _, agent in ([], agent.hasSameName) }
        write(
            "v4l2mqtt_agent_fleet_version", .gauge,
            "The version of the fleet's configuration that is in effect; absent without one."
        ) { _, agent in ([], agent.fleetVersion) }
        write(
            "v4l2mqtt_agent_fleet_refused", .gauge,
            "Why a newer version of the fleet's configuration is not in effect; absent without a reason."
        ) { _, agent in agent.fleetRefusal.map { ([("code", $0)], 1) } ?? ([], nil) }
    }

    private func writeCameras(_ ups: [String: Double], to metrics: inout MetricText) {
        let cameras = cameras.all.filter(\.entry.isKnown).sorted { $0.name < $1.name }
        typealias Sample = (labels: [MetricText.Label], value: Double?)
        func write(
            _ name: String, _ kind: MetricText.Kind, _ help: String,
            _ samples: (CameraAddress, CameraMetrics) -> [Sample]
        ) {
            metrics.begin(name, kind, help)
            for (camera, state) in cameras {
                for sample in samples(camera, state) {
                    let labels = [("agent", camera.agent), ("camera", camera.camera)] + sample.labels
                    metrics.add(name, labels, sample.value)
                }
            }
        }
        func counts(_ label: String, _ counts: [String: Int]) -> [Sample] {
            counts.sorted { $0.key < $1.key }.map { ([(label, $0.key)], Double($0.value)) }
        }
        write("v4l2mqtt_camera_up", .gauge, "1: the camera is online; 0: it is not; NaN: not known.") {
            name, camera in [([], camera.up(agent: ups[name.agent] ?? .nan))]
        }
        write(
            "v4l2mqtt_camera_unavailable", .gauge,
            "Why the camera is offline or closed; absent without a reason."
        ) { _, camera in camera.reason.map { [([("reason", $0)], 1)] } ?? [] }
        write("v4l2mqtt_camera_info", .gauge, "The camera's model.") { _, camera in
            camera.model.map { [([("model", $0)], 1)] } ?? []
        }
        let numbers:
            [(name: String, kind: MetricText.Kind, help: String, value: (CameraMetrics) -> Double?)] = [
                ("frames_total", .counter, "Frames that came since the agent's start.", \.frames),
                (
                    "lost_frames_total", .counter, "Frames that were lost since the agent's start.",
                    \.lostFrames
                ),
                ("free_bytes", .gauge, "Free space in the folder of recordings.", \.freeBytes),
                ("recording", .gauge, "Whether the camera records.", \.isRecording),
                ("photos_total", .counter, "Photos since the exporter's start.", { Double($0.photos) }),
            ]
        for number in numbers {
            write("v4l2mqtt_camera_\(number.name)", number.kind, number.help) { _, camera in
                [([], number.value(camera))]
            }
        }
        write(
            "v4l2mqtt_camera_recordings_total", .counter,
            "Finished recordings since the exporter's start, by the reason of their end."
        ) { _, camera in counts("reason", camera.recordings) }
        write(
            "v4l2mqtt_camera_refusals_total", .counter,
            "Refused commands since the exporter's start, by the error's code."
        ) { _, camera in counts("code", camera.refusals) }
    }
}
