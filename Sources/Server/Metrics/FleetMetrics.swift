package import Bus
internal import Contract
package import Fleet

/// The metrics of all agents and cameras below a base topic, made of the messages that they publish anyway.
package final class FleetMetrics {
    /// The default for how many agents, and how many cameras, are kept: clients that may publish on these
    /// topics could fill the memory otherwise.
    package static let usualLimit = 20_000
    private var fleet: Fleet<AgentMetrics, CameraMetrics>
    private var isConnected = false
    /// Whether ``secondPassed(at:)`` has reported for this connection.
    private var isReported = false
    private var messages = 0
    private var leftOut = 0

    /// - Parameters:
    ///   - baseTopic: the first levels of all topics.
    ///   - limit: how many agents, and how many cameras, are kept.
    package init(baseTopic: String, limit: Int = FleetMetrics.usualLimit) {
        var limits = FleetLimits()
        (limits.agents, limits.cameras, limits.state) = (limit, limit, limits.info)
        let needs = FleetNeeds(
            required: ["availability", "info", "recording"], optional: ["diagnostics"], live: ["event"])
        var times = FleetTimes.server
        times.asking = nil
        fleet = Fleet(base: baseTopic, needs, times, limits: limits)
    }

    /// The subscriptions of each connection.
    package var filters: [BusFilter] { fleet.subscriptions.flatMap(\.filters) }

    // MARK: Connection

    /// The connection to the broker has begun. What is known is read again; counters go on.
    package func connected(at time: ContinuousClock.Instant) {
        (isConnected, isReported) = (true, false)
        fleet.connected(at: time)
    }

    /// The broker has answered all subscriptions.
    package func subscribed(at time: ContinuousClock.Instant) { fleet.subscribed(at: time) }

    package func disconnected() {
        isConnected = false
        fleet.disconnected()
    }

    /// What is to be subscribed to, or not any more. To be called after each event, message and second.
    package func takeActions() -> [FleetAction] { fleet.takeActions() }

    /// To be called each second.
    ///
    /// - Returns: the number of cameras of which states are missing, once for each connection, when all that
    ///   the broker retains was read; nil: none is, or that was said.
    package func secondPassed(at time: ContinuousClock.Instant) -> Int? {
        _ = fleet.tick(at: time)
        guard fleet.isRead, !isReported else { return nil }
        isReported = true
        let count = incompleteCameras(at: time)
        return count == 0 ? nil : count
    }

    // MARK: Messages

    /// Takes a message of the broker.
    ///
    /// - Parameter seconds: the time of day, since 1970.
    package func receive(_ message: BusMessage, at time: ContinuousClock.Instant, seconds: Double) {
        messages += 1
        switch fleet.take(message.topic, message.payload, at: time) {
        case .change(.agent(let agent, _, _)): fleet.update(agent: agent) { $0.hear(at: seconds) }
        case .change(.camera(let camera, _)): fleet.update(agent: camera.agent) { $0.hear(at: seconds) }
        case .leftOut, .unlisted, .other: leftOut += 1
        }
    }

    /// How many cameras of agents that are online lack states, as far as `info` of the agents lists them; an
    /// agent without `info` counts as one.
    package func incompleteCameras(at time: ContinuousClock.Instant) -> Int {
        fleet.agents.keys.reduce(0) { count, agent in
            guard fleet.presence(of: agent, at: time) == .online(reason: nil) else { return count }
            return count + (fleet.missingCameras(of: agent)?.count ?? 1)
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

    /// 1: online; 0: it is not; NaN: not known.
    private func up(_ presence: Presence) -> Double {
        guard isConnected else { return .nan }
        return switch presence {
        case .online: 1
        case .offline, .agentAway: 0
        case .silent, .unknown: .nan
        }
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
        let agents = fleet.agents.sorted { $0.key < $1.key }
        func write(
            _ name: String, _ help: String, _ value: (AgentMetrics) -> Double? = { _ in 1 },
            labels: (AgentMetrics) -> [MetricText.Label]? = { _ in [] }
        ) {
            metrics.begin("v4l2mqtt_agent_\(name)", .gauge, help)
            for (agent, state) in agents {
                guard let labels = labels(state.facts) else { continue }
                metrics.add("v4l2mqtt_agent_\(name)", [("agent", agent)] + labels, value(state.facts))
            }
        }
        func write(_ name: String, _ help: String, presence value: (Presence) -> Double) {
            metrics.begin("v4l2mqtt_agent_\(name)", .gauge, help)
            for agent in agents.map(\.key) {
                metrics.add(
                    "v4l2mqtt_agent_\(name)", [("agent", agent)], value(fleet.presence(of: agent, at: time)))
            }
        }
        write("up", "1: the agent is online; 0: it is not; NaN: not known.", presence: up)
        write(
            "overdue",
            "Whether the agent has not renewed its availability in time: it is not known whether it is online.",
            presence: { isConnected && $0 == .silent ? 1 : 0 })
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
        let cameras = fleet.addresses.compactMap { address in
            fleet[address].flatMap { $0.facts.isKnown ? (address, $0.facts) : nil }
        }
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
        write("up", .gauge, "1: the camera is online; 0: it is not; NaN: not known.") { address, _ in
            [([], up(fleet.presence(of: address, at: time)))]
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
