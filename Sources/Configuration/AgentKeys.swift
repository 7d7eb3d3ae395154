internal import Contract
internal import Settings

extension AgentSettings: Keyed {
    /// The keys of the agent.
    mutating func visit(_ f: inout KeyVisitor) {
        f(
            "agent", &agent, .name(except: Topics.reservedNames), default: agentName(hostName: f.hostName),
            as: "the host name", placeholders: .name, "The agent's name in its topics.")

        f(
            "agent_name", &name, .optional(.title),
            "The agent's name for people. In topics it is that of agent.")

        f("mqtt.host", &mqtt.host, .host, "The broker's host name or address.")
        f(
            "mqtt.port", &mqtt.port, .whole(1...65_535),
            default: MQTTSettings.defaultPort(usesTLS: mqtt.tls.isOn), as: "1883, and 8883 with TLS",
            "The broker's port: that of mqtt.host, and of the mqtt.hosts without one.")
        f(
            "mqtt.hosts", &mqtt.hosts, .brokers,
            "The hosts of a broker with more than one, in place of mqtt.host. After any failure the next one is tried."
        )
        f(
            "mqtt.order", &mqtt.order, .choice,
            "The order of the mqtt.hosts: as listed, or random in each round. random spreads a fleet over them."
        )
        f(
            "mqtt.connect_timeout_s", &mqtt.connectTimeout, .number(1...300), unit: "seconds",
            "The limit for an attempt at one address: TCP, TLS and the broker's answer together.")
        f(
            "mqtt.protocol", &mqtt.protocolVersion, .choice,
            "The version of MQTT. auto means 5: a broker that supports only 3.1.1 needs 3.1.1 here.")
        f("mqtt.base_topic", &mqtt.baseTopic, .baseTopic, "The first level or levels of every topic.")
        f(
            "mqtt.response_topics", &mqtt.responseTopics, .topicPrefixes,
            "Where clients may have answers sent, beside the agent's own topics that end in /reply, not /set/reply. Proved clients: replies/<client>/ only."
        )
        // Answers and the topics of agents must not meet.
        let (base, answers) = (mqtt.baseTopic + "/", ClientSettings.answers)
        let isOfAnswers = base.utf8.starts(with: answers.utf8)
        f.check(
            !isOfAnswers, "mqtt.base_topic",
            message:
                "expected a topic other than \(answers), where the answers to proved clients are, found \(quote(mqtt.baseTopic))"
        )
        for prefix in mqtt.responseTopics where !isOfAnswers {
            f.check(
                !prefix.utf8.starts(with: base.utf8), "mqtt.response_topics",
                message: "expected topics that aren't below \(quote(mqtt.baseTopic)), found \(quote(prefix))")
        }
        f(
            "mqtt.client_id", &mqtt.clientID, .text("a text of at most 256 bytes", limit: 256),
            default: "v4l2mqtt-\(agent)", as: "v4l2mqtt-<agent>", placeholders: .component,
            "The client identifier. A broker allows each one once.")
        f(
            "mqtt.username", &mqtt.username, .optional(.text("a user name", limit: 1_024)),
            placeholders: .component, "The user name for the broker.")
        // The password is read later (InputFile).
        var passwordFile: String?
        f(
            "mqtt.password_file", &passwordFile, .optional(.file(.password)), placeholders: .component,
            needs: "mqtt.username", "A file that contains the user's password.")
        f(
            "mqtt.keepalive_s", &mqtt.keepAlive, .whole(5...3_600), fleet: true, unit: "seconds",
            "The keep-alive interval. The broker reports a dead agent after 1.5 times this interval.")
        f(
            "mqtt.spread_s", &mqtt.spread, .whole(0...3_600), fleet: true, unit: "seconds",
            "For fleets: the time over which all agents spread their first connection, the first one after a good connection, and their answers to Home Assistant's start and to refresh of a group. Each waits for its part of it, by its client identifier."
        )
        f(
            "mqtt.tls.enabled", &mqtt.tls.isOn, .boolean,
            default: mqtt.tls.caFile != nil || mqtt.tls.certificateFile != nil,
            as: "true if one of its files is set", short: true, "Whether TLS is used.")
        f(
            "mqtt.tls.ca_file", &mqtt.tls.caFile, .optional(.file()), placeholders: .component,
            "The authorities to trust (PEM). Without it, those of the system.")
        f(
            "mqtt.tls.cert_file", &mqtt.tls.certificateFile, .optional(.file()), placeholders: .component,
            needs: "mqtt.tls.key_file", "The agent's own certificate (PEM).")
        f(
            "mqtt.tls.key_file", &mqtt.tls.keyFile, .optional(.file(.key)), placeholders: .component,
            needs: "mqtt.tls.cert_file", "The private key of that certificate (PEM), without a passphrase.")

        f(
            "clients.mode", &clients.mode, .choice, short: true,
            "open: commands of all clients. proved: only those on …/set/<client>, where the broker's ACL lets only this client publish."
        )
        f(
            "clients.delegates", &clients.delegates, .names,
            "The accounts of the broker that may speak for other clients, such as consoles.")

        f(
            "state_file", &stateFile, .path, default: f.defaultFolder + "/state.json",
            as:
                "state.json in the folder of the state: /var/lib/v4l2mqtt for the service and for root, otherwise ~/.local/state/v4l2mqtt",
            placeholders: .component, "The file with the state that a restart restores.")
        f(
            "state_sync", &syncsState, .boolean, fleet: true,
            "Whether a command is answered only when the disk has its change: then not even a power cut loses it."
        )

        f(
            "captures.directory", &captures.folder.directory, .path, default: f.defaultFolder + "/captures",
            as: "captures, where state_file is by default", placeholders: .component,
            "The folder for photos.")
        f(
            "captures.max_bytes", &captures.folder.maximumBytes, .bytes(1_024...1 << 50), fleet: true,
            "The limit for all photos together. The oldest are deleted first.")
        f(
            "captures.keep_days", &captures.folder.keptDays, .number(0...3_650), fleet: true, unit: "days",
            "Photos younger than this are never deleted for new ones, which are refused then.")
        f(
            "captures.retain_image", &captures.retainsImage, .boolean, fleet: true,
            "Whether the last photo is published as a retained message.")

        f(
            "recordings.directory", &recordings.folder.directory, .path,
            default: f.defaultFolder + "/recordings", as: "recordings, where state_file is by default",
            placeholders: .component, "The folder for recordings.")
        f(
            "recordings.max_bytes", &recordings.folder.maximumBytes, .bytes(1_048_576...1 << 50), fleet: true,
            "The limit for all recordings together. The oldest are deleted first.")
        f(
            "recordings.keep_days", &recordings.folder.keptDays, .number(0...3_650), fleet: true,
            unit: "days",
            "Recordings younger than this are never deleted for new ones, which are refused or end then.")
        f(
            "recordings.max_file_bytes", &recordings.maximumFileBytes, .bytes(65_536...1 << 50),
            default: min(Self.standard.recordings.maximumFileBytes, recordings.folder.maximumBytes),
            as: "2G, or recordings.max_bytes if that is less", fleet: true,
            "The limit for one recording, which ends there.")
        f.check(
            recordings.maximumFileBytes <= recordings.folder.maximumBytes, "recordings.max_file_bytes",
            message:
                "expected at most recordings.max_bytes, which is \(byteText(recordings.folder.maximumBytes))")
        f(
            "recordings.max_duration_s", &recordings.maximumSeconds, .number(1...86_400), fleet: true,
            unit: "seconds", "The length at which a recording ends, unless its command gives another one.")
        f(
            "recordings.codec", &recordings.codec, .choice, fleet: true,
            "h264 (in MP4) or mjpeg (the camera's own JPEGs, in Matroska), unless the command names one.")
        f(
            "recordings.quality", &recordings.encoding.quality,
            .optional(.whole(RecordingEncoding.qualities)), fleet: true,
            "The quality of pictures that the agent encodes. Without it: 56 for h264, 90 for mjpeg.")
        f(
            "recordings.max_bit_rate", &recordings.encoding.maximumBitRate,
            .optional(.whole(RecordingEncoding.bitRates)), fleet: true, unit: "bits per second",
            "The limit of the pictures' bit rate with h264; where the quality needs more, it is lower.")
        f(
            "recordings.key_frame_interval_s", &recordings.encoding.keyFrameSeconds,
            .number(RecordingEncoding.keyFrameIntervals), fleet: true, unit: "seconds",
            "The longest time from one key frame to the next with h264.")
        f(
            "recordings.encoder", &recordings.encoding.encoder, .choice, fleet: true,
            "What encodes h264: software (x264), h264_v4l2m2m (V4L2's hardware), or auto, which tries the hardware first. x264 takes over from one that fails."
        )

        f("log.level", &log.level, .choice, fleet: true, "The least severe level that is logged.")
        f("log.format", &log.format, .choice, fleet: true, "Text for people, or JSON for programs.")

        f(
            "zoom.live_rate", &zoom.liveRate, .number(1...120), fleet: true, unit: "samples per second",
            "The rate of zoom/live while the zoom moves.")
        f(
            "zoom.gesture_timeout_ms", &zoom.gestureTimeout, .milliseconds(100...60_000), fleet: true,
            unit: "milliseconds", "A gesture without a message for this long is over.")

        f(
            "limits.commands_per_second", &limits.commandRate, .whole(10...1_000_000), fleet: true,
            unit: "commands per second",
            "The limit for each client. Gesture samples, and commands that end something, don't count.")
        f(
            "limits.photos_per_minute", &limits.photoRate, .whole(1...1_000_000), fleet: true,
            unit: "photos per minute", "The limit of photos for each client.")
        f(
            "limits.total_commands_per_second", &limits.totalCommandRate, .whole(10...10_000_000),
            default: LimitSettings.totalCommandRate(for: limits.commandRate),
            as: "4 times limits.commands_per_second, at least 4000", fleet: true, unit: "commands per second",
            "The limit for all clients together, applied to QoS 0 and to QoS 1 and 2 separately. A gesture sample counts 0.2, a payload at least 1 for each KiB."
        )

        f(
            "home_assistant.discovery", &homeAssistant.isOn, .boolean, fleet: true,
            "Whether the cameras are announced to Home Assistant. false removes earlier announcements.")
        f("home_assistant.prefix", &homeAssistant.prefix, .baseTopic, "Home Assistant's discovery prefix.")
        f(
            "home_assistant.client", &homeAssistant.client, .name(),
            "The name of Home Assistant in its commands. With clients: proved, its user name at the broker.")
        f(
            "home_assistant.preview_fps", &homeAssistant.previewRate, .numberOrZero(0.1...60), fleet: true,
            unit: "frames per second",
            "A permanent preview for Home Assistant. 0: only while its switch Live view is on.")

        f(
            "libcamera", &libcamera, .libcamera,
            "Whether cameras of libcamera (CSI cameras) are served, by its V4L2 layer v4l2-compat.so: the installed one, or the one in a file."
        )
        f(
            "devices", &deviceTags, .deviceTags, fleet: true,
            "Kind and position of devices that report none, for cameras[].source: each by serial, model, driver or bus. kind: wide, ultrawide, tele, dual, dual_wide, triple, depth or infrared. position: front, back or external."
        )
    }
}

/// A host name as the name of an agent: lower case, with `-` for each byte that names can't contain.
func agentName(hostName: String) -> String {
    let bytes = hostName.lowercased().utf8.prefix(64).map { $0.isPartOfName ? $0 : UInt8(ascii: "-") }
    let name = String(decoding: bytes, as: UTF8.self)
    return name.isEmpty || Topics.reservedNames.contains(name) ? AgentSettings.standard.agent : name
}
