internal import Contract
internal import Settings

extension Keys {
    /// The keys of the agent.
    static let agent = table {
        Key(
            "agent", .name(except: reservedAgentNames), to: \.agent,
            default: "the host name", placeholders: .name, "The agent's name in its topics."
        ) { agentName(hostName: $0.hostName) }

        Key(
            "agent_name", .optional(.title), to: \.name,
            "The agent's name for people. In topics it is that of agent.")

        Key("mqtt.host", .host, to: \.mqtt.host, "The broker's host name or address.")
        Key(
            "mqtt.port", .whole(1...65_535), to: \.mqtt.port, default: "1883, and 8883 with TLS",
            "The broker's port: that of mqtt.host, and of the mqtt.hosts without one."
        ) { MQTTSettings.defaultPort(usesTLS: $0.usesTLS) }
        Key(
            "mqtt.hosts", .brokers, to: \.mqtt.hosts,
            "The hosts of a broker with more than one, in place of mqtt.host. After any failure the next one is tried."
        )
        Key(
            "mqtt.order", .choice, to: \.mqtt.order,
            "The order of the mqtt.hosts: as listed, or random in each round. random spreads a fleet over them."
        )
        Key(
            "mqtt.connect_timeout_s", .number(1...300), to: \.mqtt.connectTimeout, unit: "seconds",
            "The limit for an attempt at one address: TCP, TLS and the broker's answer together.")
        Key(
            "mqtt.protocol", .choice, to: \.mqtt.protocolVersion,
            "The version of MQTT. auto means 5: a broker that supports only 3.1.1 needs 3.1.1 here.")
        Key(
            "mqtt.base_topic", .baseTopic, to: \.mqtt.baseTopic, "The first level or levels of every topic.")
        Key(
            "mqtt.response_topics", .topicPrefixes, to: \.mqtt.responseTopics,
            "Where clients may have answers sent, beside the agent's own topics that end in /reply. Proved clients: replies/<client>/ only."
        )
        Key(
            "mqtt.client_id", .text("a text of at most 256 bytes", limit: 256), to: \.mqtt.clientID,
            default: "v4l2mqtt-<agent>", placeholders: .component,
            "The client identifier. A broker allows each one once."
        ) { "v4l2mqtt-\($0.agent)" }
        Key(
            "mqtt.username", .optional(.text("a user name", limit: 1_024)), to: \.mqtt.username,
            placeholders: .component, "The user name for the broker.")
        Key(
            "mqtt.password_file", .optional(.file(.password)), to: \.passwordFile, placeholders: .component,
            needs: [\.mqtt.username], "A file that contains the user's password.")
        Key(
            "mqtt.keepalive_s", .whole(5...3_600), to: \.mqtt.keepAlive, fleetMaySet: true, unit: "seconds",
            "The keep-alive interval. The broker reports a dead agent after 1.5 times this interval.")
        Key(
            "mqtt.spread_s", .whole(0...3_600), to: \.mqtt.spread, fleetMaySet: true, unit: "seconds",
            "For fleets: the time over which all agents spread their first connection, the first one after a good connection, and their answers to Home Assistant's start and to refresh of a group. Each waits for its part of it, by its client identifier."
        )
        Key(
            "mqtt.tls.enabled", .boolean, to: \.usesTLS,
            default: "true if one of its files is set", hasShortForm: true, "Whether TLS is used."
        ) { $0.usesTLS }
        Key(
            "mqtt.tls.ca_file", .optional(.file()), to: \.mqtt.tls.caFile, placeholders: .component,
            "The authorities to trust (PEM). Without it, those of the system.")
        Key(
            "mqtt.tls.cert_file", .optional(.file()), to: \.mqtt.tls.certificateFile,
            placeholders: .component, needs: [\.mqtt.tls.keyFile], "The agent's own certificate (PEM).")
        Key(
            "mqtt.tls.key_file", .optional(.file(.key)), to: \.mqtt.tls.keyFile, placeholders: .component,
            needs: [\.mqtt.tls.certificateFile],
            "The private key of that certificate (PEM), without a passphrase.")

        Key(
            "clients.mode", .choice, to: \.clients.mode, hasShortForm: true,
            "open: commands of all clients. proved: only those on …/set/<client>, where the broker's ACL lets only this client publish."
        )
        Key(
            "clients.delegates", .names, to: \.clients.delegates,
            "The accounts of the broker that may speak for other clients, such as consoles.")

        Key(
            "state_file", .path, to: \.stateFile,
            default:
                "state.json in the folder of the state: /var/lib/v4l2mqtt for the service and for root, otherwise ~/.local/state/v4l2mqtt",
            placeholders: .component, "The file with the state that a restart restores."
        ) { $0.defaultFolder + "/state.json" }
        Key(
            "state_sync", .boolean, to: \.syncsState, fleetMaySet: true,
            "Whether a command is answered only when the disk has its change: then not even a power cut loses it."
        )

        Key(
            "captures.directory", .path, to: \.captures.folder.directory,
            default: "captures, where state_file is by default", placeholders: .component,
            "The folder for photos."
        ) { $0.defaultFolder + "/captures" }
        Key(
            "captures.max_bytes", .bytes(1_024...1 << 50), to: \.captures.folder.maximumBytes,
            fleetMaySet: true, "The limit for all photos together. The oldest are deleted first.")
        Key(
            "captures.keep_days", .number(0...3_650), to: \.captures.folder.keptDays, fleetMaySet: true,
            unit: "days", "Photos younger than this are never deleted for new ones, which are refused then.")
        Key(
            "captures.retain_image", .boolean, to: \.captures.retainsImage, fleetMaySet: true,
            "Whether the last photo is published as a retained message.")

        Key(
            "recordings.directory", .path, to: \.recordings.folder.directory,
            default: "recordings, where state_file is by default", placeholders: .component,
            "The folder for recordings."
        ) { $0.defaultFolder + "/recordings" }
        Key(
            "recordings.max_bytes", .bytes(1_048_576...1 << 50), to: \.recordings.folder.maximumBytes,
            fleetMaySet: true, "The limit for all recordings together. The oldest are deleted first.")
        Key(
            "recordings.keep_days", .number(0...3_650), to: \.recordings.folder.keptDays, fleetMaySet: true,
            unit: "days",
            "Recordings younger than this are never deleted for new ones, which are refused or end then.")
        Key(
            "recordings.max_file_bytes", .bytes(65_536...1 << 50), to: \.recordings.maximumFileBytes,
            default: "2G, or recordings.max_bytes if that is less", fleetMaySet: true,
            "The limit for one recording, which ends there."
        ) { min(AgentSettings.standard.recordings.maximumFileBytes, $0.recordings.folder.maximumBytes) }
        Key(
            "recordings.max_duration_s", .number(1...86_400), to: \.recordings.maximumSeconds,
            fleetMaySet: true,
            unit: "seconds", "The length at which a recording ends, unless its command gives another one.")
        Key(
            "recordings.codec", .choice, to: \.recordings.codec, fleetMaySet: true,
            "h264 (in MP4) or mjpeg (the camera's own JPEGs, in Matroska), unless the command names one.")
        Key(
            "recordings.quality", .optional(.whole(RecordingEncoding.qualities)),
            to: \.recordings.encoding.quality, fleetMaySet: true,
            "The quality of pictures that the agent encodes. Without it: 56 for h264, 90 for mjpeg.")
        Key(
            "recordings.max_bit_rate", .optional(.whole(RecordingEncoding.bitRates)),
            to: \.recordings.encoding.maximumBitRate, fleetMaySet: true, unit: "bits per second",
            "The limit of the pictures' bit rate with h264; where the quality needs more, it is lower.")
        Key(
            "recordings.key_frame_interval_s", .number(RecordingEncoding.keyFrameIntervals),
            to: \.recordings.encoding.keyFrameSeconds, fleetMaySet: true, unit: "seconds",
            "The longest time from one key frame to the next with h264.")
        Key(
            "recordings.encoder", .choice, to: \.recordings.encoding.encoder, fleetMaySet: true,
            "What encodes h264: software (x264), h264_v4l2m2m (V4L2's hardware), or auto, which tries the hardware first. x264 takes over from one that fails."
        )

        Key(
            "log.level", .choice, to: \.log.level, fleetMaySet: true, "The least severe level that is logged."
        )
        Key(
            "log.format", .choice, to: \.log.format, fleetMaySet: true,
            "Text for people, or JSON for programs.")

        Key(
            "zoom.live_rate", .number(1...120), to: \.zoom.liveRate, fleetMaySet: true,
            unit: "samples per second", "The rate of zoom/live while the zoom moves.")
        Key(
            "zoom.gesture_timeout_ms", .milliseconds(100...60_000), to: \.zoom.gestureTimeout,
            fleetMaySet: true, unit: "milliseconds", "A gesture without a message for this long is over.")

        Key(
            "limits.commands_per_second", .whole(10...1_000_000), to: \.limits.commandRate, fleetMaySet: true,
            unit: "commands per second",
            "The limit for each client. Gesture samples, and commands that end something, don't count."
        )
        Key(
            "limits.photos_per_minute", .whole(1...1_000_000), to: \.limits.photoRate, fleetMaySet: true,
            unit: "photos per minute", "The limit of photos for each client.")
        Key(
            "limits.total_commands_per_second", .whole(10...10_000_000), to: \.limits.totalCommandRate,
            default: "4 times limits.commands_per_second, at least 4000", fleetMaySet: true,
            unit: "commands per second",
            "The limit for all clients together, applied to QoS 0 and to QoS 1 and 2 separately. A gesture sample counts 0.2, a payload at least 1 for each KiB."
        ) { LimitSettings.totalCommandRate(for: $0.limits.commandRate) }

        Key(
            "home_assistant.discovery", .boolean, to: \.homeAssistant.isOn, fleetMaySet: true,
            "Whether the cameras are announced to Home Assistant. false removes earlier announcements.")
        Key(
            "home_assistant.prefix", .baseTopic, to: \.homeAssistant.prefix,
            "Home Assistant's discovery prefix.")
        Key(
            "home_assistant.client", .name(), to: \.homeAssistant.client,
            "The name of Home Assistant in its commands. With clients: proved, its user name at the broker.")
        Key(
            "home_assistant.preview_fps", .numberOrZero(0.1...60), to: \.homeAssistant.previewRate,
            fleetMaySet: true, unit: "frames per second",
            "A permanent preview for Home Assistant. 0: only while its switch Live view is on.")

        Key(
            "libcamera", .libcamera, to: \.libcamera,
            "Whether cameras of libcamera (CSI cameras) are served, by its V4L2 layer v4l2-compat.so: the installed one, or the one in a file."
        )
        Key(
            "devices", .deviceTags, to: \.deviceTags, fleetMaySet: true,
            "Kind and position of devices that report none, for cameras[].source: each by serial, model, driver or bus. kind: wide, ultrawide, tele, dual, dual_wide, triple, depth or infrared. position: front, back or external."
        )
    }
}

/// The levels of topics in the place of an agent that are for all agents.
let reservedAgentNames = ["groups", "fleet"]

/// A host name as the name of an agent: lower case, with `-` for each byte that names can't contain.
func agentName(hostName: String) -> String {
    let bytes = hostName.lowercased().utf8.prefix(64).map { $0.isPartOfName ? $0 : UInt8(ascii: "-") }
    let name = String(decoding: bytes, as: UTF8.self)
    return name.isEmpty || reservedAgentNames.contains(name) ? AgentSettings.standard.agent : name
}
