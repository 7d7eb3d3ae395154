package import MQTTBus
internal import Messages

/// The metrics of all agents and cameras below a base topic, made of the messages that they publish anyway.
package final class FleetMetrics {
    private struct CameraName: Hashable, Comparable {
        let agent: String
        let camera: String

        static func < (one: CameraName, other: CameraName) -> Bool {
            (one.agent, one.camera) < (other.agent, other.camera)
        }
    }

    /// Limits for what a broker, which strangers may write to, can make the exporter keep.
    package static let maxAgents = 20_000
    package static let maxCameras = 20_000
    private static let maxPayload = 64 << 10

    private let base: String
    private var agents: [String: AgentMetrics] = [:]
    private var cameras: [CameraName: CameraMetrics] = [:]
    private var isConnected = false
    private var messages = 0
    private var leftOut = 0

    /// - Parameter baseTopic: the first levels of all topics.
    package init(baseTopic: String) { base = baseTopic }

    /// The subscriptions. QoS 0: a broker drops messages with QoS 1 if a client has too many.
    package var filters: [BusFilter] {
        let states = CameraMetrics.nodes.filter { $0 != "event" }
        return ["+/availability", "+/info"].map {
            BusFilter("\(base)/\($0)", .includingRetained, qos: .atMostOnce)
        }
            + states.map { BusFilter("\(base)/+/+/\($0)", .includingRetained, qos: .atMostOnce) }
            + [BusFilter("\(base)/+/+/event", .newOnly, qos: .atMostOnce)]
    }

    /// The connection to the broker has begun. What was removed meanwhile is not reported: everything is read
    /// anew. Counters go on.
    package func connected() { isConnected = true }

    package func disconnected() { isConnected = false }

    // MARK: Messages

    /// Takes a message of the broker.
    ///
    /// - Parameter seconds: the time of day, since 1970.
    package func receive(_ message: BusMessage, at time: ContinuousClock.Instant, seconds: Double) {
        messages += 1
        let levels = message.topic.dropFirst(base.count + 1).split(
            separator: "/", omittingEmptySubsequences: false
        ).map(String.init)
        guard message.payload.count <= Self.maxPayload, message.topic.hasPrefix("\(base)/"),
            levels.dropLast().allSatisfy({ Topics.isName($0) })
        else { return leftOut += 1 }
        switch levels.count {
        case 2: receive(agent: levels[0], levels[1], message.payload, at: time)
        case 3: receive(CameraName(agent: levels[0], camera: levels[1]), levels[2], message.payload)
        default: return leftOut += 1
        }
        agents[levels[0]]?.hear(at: seconds)
    }

    private func receive(
        agent name: String, _ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant
    ) {
        guard agents[name] != nil || agents.count < Self.maxAgents else { return leftOut += 1 }
        var agent = agents[name] ?? AgentMetrics()
        switch node {
        case "info": agent.take(info: payload)
        default: agent.take(availability: payload, at: time)
        }
        agents[name] = agent.isKnown ? agent : nil
    }

    private func receive(_ name: CameraName, _ node: String, _ payload: [UInt8]) {
        guard cameras[name] != nil || cameras.count < Self.maxCameras else { return leftOut += 1 }
        var camera = cameras[name] ?? CameraMetrics()
        camera.take(node, payload)
        let isRemoval = payload.isEmpty && !camera.isKnown
        cameras[name] = isRemoval ? nil : camera
    }

    // MARK: Text

    /// All metrics in the text format of Prometheus.
    package func text(at time: ContinuousClock.Instant) -> String {
        var metrics = MetricText()
        writeOwn(to: &metrics)
        let ups = agents.mapValues { isConnected ? $0.up(at: time) : .nan }
        writeAgents(ups, at: time, to: &metrics)
        writeCameras(ups, to: &metrics)
        return metrics.text
    }

    private func writeOwn(to metrics: inout MetricText) {
        let own = "v4l2mqtt_exporter"
        metrics.begin("\(own)_connected", .gauge, "Whether the exporter is connected to the broker.")
        metrics.add("\(own)_connected", [], isConnected ? 1 : 0)
        metrics.begin("\(own)_messages_total", .counter, "Messages that the exporter received.")
        metrics.add("\(own)_messages_total", [], Double(messages))
        metrics.begin(
            "\(own)_left_out_messages_total", .counter,
            "Messages that the exporter left out, because they are too large, too many or on unknown topics.")
        metrics.add("\(own)_left_out_messages_total", [], Double(leftOut))
    }

    private func writeAgents(
        _ ups: [String: Double], at time: ContinuousClock.Instant, to metrics: inout MetricText
    ) {
        let agents = agents.sorted { $0.key < $1.key }
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
        ) { _, agent in ([], agent.isOverdue(at: time) ? 1 : 0) }
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
        let cameras = cameras.filter(\.value.isKnown).sorted { $0.key < $1.key }
        typealias Sample = (labels: [MetricText.Label], value: Double?)
        func write(
            _ name: String, _ kind: MetricText.Kind, _ help: String,
            _ samples: (CameraName, CameraMetrics) -> [Sample]
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
            name, camera in [([], camera.up(agent: ups[name.agent] ?? 0))]
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
