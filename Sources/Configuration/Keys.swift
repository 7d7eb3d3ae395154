/// The table of all keys.
enum Keys {
    static let agent = Key(
        "agent", .name(except: "groups"), default: "agent", or: "the host name",
        "The agent's name in its topics.")

    static let host = Key(
        "mqtt.host", .host, default: "127.0.0.1", "Where the broker is: a host name or an address.")
    static let port = Key(
        "mqtt.port", .whole(1...65_535), default: 1883, or: "1883, and 8883 with TLS", "The broker's port.")
    static let protocolVersion = Key<Configuration.MQTT.ProtocolVersion>(
        "mqtt.protocol", .choice, default: .v5, "The version of MQTT.")
    static let baseTopic = Key(
        "mqtt.base_topic", .baseTopic, default: "v4l2mqtt", "The first level or levels of every topic.")
    static let clientID = Key(
        "mqtt.client_id", .text("a text of at most 256 bytes", limit: 256), default: "v4l2mqtt",
        or: "v4l2mqtt-<agent>", "The client identifier; the broker allows each but once.")
    static let username = Key(
        "mqtt.username", optional: .text("a user name", limit: 1_024), "The user at the broker.")
    static let passwordFile = Key(
        "mqtt.password_file", optional: .path, "A file that holds the user's password.")
    static let keepalive = Key(
        "mqtt.keepalive_s", .whole(5...65_535), default: 15, unit: "seconds",
        "How long the line may be silent; a dead agent is noticed after one and a half times this.")
    static let caFile = Key(
        "mqtt.tls.ca_file", optional: .path,
        "Turns TLS on: the authorities to trust (PEM); the system's are /etc/ssl/certs/ca-certificates.crt.")
    static let certFile = Key(
        "mqtt.tls.cert_file", optional: .path, "The agent's own certificate (PEM).")
    static let keyFile = Key(
        "mqtt.tls.key_file", optional: .path, "The private key of that certificate (PEM).")

    static let stateFile = Key(
        "state_file", .path, default: "/var/lib/v4l2mqtt/state.json",
        "What the agent remembers over a restart.")

    static let captureDirectory = Key(
        "captures.directory", .path, default: "/var/lib/v4l2mqtt/captures", "Where photos go.")
    static let captureBytes = Key(
        "captures.max_bytes", .bytes(1_024...1 << 50), default: 2 << 30,
        "How much room photos may take; the oldest go first.")
    static let retainImage = Key(
        "captures.retain_image", .truth, default: false, "Whether the broker keeps the last photo.")

    static let recordingDirectory = Key(
        "recordings.directory", .path, default: "/var/lib/v4l2mqtt/recordings", "Where recordings go.")
    static let recordingBytes = Key(
        "recordings.max_bytes", .bytes(1_048_576...1 << 50), default: 10 << 30,
        "How much room recordings may take; the oldest go first.")
    static let recordingFileBytes = Key(
        "recordings.max_file_bytes", .bytes(65_536...1 << 50), default: 2 << 30,
        "How large one recording may get; it ends there.")
    static let recordingSeconds = Key(
        "recordings.max_duration_s", .number(1...86_400), default: 60, unit: "seconds",
        "When a recording ends by itself, unless its command says otherwise.")
    static let recordingCodec = Key<Configuration.Recordings.Codec>(
        "recordings.codec", .choice, default: .h264,
        "h264 (in MP4) or mjpeg (the camera's own JPEGs, in Matroska), unless the command says otherwise.")

    static let logLevel = Key<Configuration.Log.Level>(
        "log.level", .choice, default: .info, "The least severe level that is logged.")
    static let logFormat = Key<Configuration.Log.Format>(
        "log.format", .choice, default: .text, "For people or for programs.")

    static let liveRate = Key(
        "zoom.live_rate", .number(1...120), default: 30, unit: "samples per second",
        "How often zoom/live tells of a zoom under way.")
    static let gestureTimeout = Key(
        "zoom.gesture_timeout_ms", .whole(100...60_000), default: 2_000, unit: "milliseconds",
        "A pinch that is silent for this long is over.")

    static let commandRate = Key(
        "limits.commands_per_second", .whole(10...1_000_000), default: 1_000,
        "How many commands each client may send in a second; samples of gestures and what ends something don't count."
    )

    static let discovery = Key(
        "home_assistant.discovery", .truth, default: true,
        "Whether Home Assistant is told of the cameras; false takes back what it was told.")
    static let discoveryPrefix = Key(
        "home_assistant.prefix", .baseTopic, default: "homeassistant",
        "Home Assistant's discovery prefix, where it isn't the usual one.")
    static let previewRate = Key(
        "home_assistant.preview_fps", .number(0...60), default: 0, unit: "frames per second",
        "The preview that Home Assistant gets all the time, 0.1 or more; 0: only while its switch Live view is on."
    )

    static let cameraID = Key(
        "cameras[].id", .name(), default: "camera", "The camera's name in its topics; required.")
    static let source = Key(
        "cameras[].source", .sources, default: [.simulated],
        "simulated, { v4l2: PATH }, { serial: NUMBER }, or a list: the first that is there.")
    static let image = Key(
        "cameras[].image", optional: .path,
        "The JPEG that a simulated camera sees; without it, a test scene.")
    static let groups = Key(
        "cameras[].groups", .names, default: [], "The groups whose commands the camera obeys.")
    static let position = Key(
        "cameras[].position", optional: .name(), "A tag for where the camera looks, such as front or back.")
    static let kind = Key(
        "cameras[].kind", optional: .name(), "A tag for what the camera is, such as wide or tele.")
    static let external = Key<Configuration.External>(
        "cameras[].external", .choice, default: .follow,
        "What to do when somebody else turns the lens or sets a control: follow it, or reassert what was.")
    static let cameraDiscovery = Key(
        "cameras[].discovery", .truth, default: true,
        "Whether Home Assistant is told of this camera, where it is told of any.")
    static let zoomMin = Key(
        "cameras[].zoom.min", .number(1...100), default: 1, "The least zoom factor.")
    static let zoomMax = Key(
        "cameras[].zoom.max", .number(1...100), default: 8, "The greatest zoom factor; above the least.")
    static let calibration = Key(
        "cameras[].zoom.calibration", .calibration, default: [],
        "Factors at some of the lens's units, such as [[100, 1], [500, 4.2]]; none: the unit over the least one."
    )
    static let continuousRate = Key(
        "cameras[].zoom.continuous_rate", optional: .number(0.01...100),
        "Octaves per second at the slowest speed of a lens that has a speed and no position.")
    static let continuousMax = Key(
        "cameras[].zoom.continuous_max", optional: .number(1.01...100),
        "The longest factor of such a lens; with both, it is driven, and where it is is reckoned by the clock."
    )
    static let deviceWidth = Key(
        "cameras[].v4l2.width", .whole(16...16_384), default: 1_920, unit: "pixels",
        "How wide a device's frames may be at the most.")
    static let deviceHeight = Key(
        "cameras[].v4l2.height", .whole(16...16_384), default: 1_080, unit: "pixels",
        "How high a device's frames may be at the most.")
    static let deviceRate = Key(
        "cameras[].v4l2.fps", .number(1...1_000), default: 30, unit: "frames per second",
        "The frame rate to ask of a device.")
    static let pixelFormat = Key(
        "cameras[].v4l2.pixel_format", optional: .pixelFormat,
        "The four letters of the format to use, such as MJPG; without it, the best there is.")
    static let deviceInput = Key(
        "cameras[].v4l2.input", optional: .whole(0...31), "The input of a device that has several.")
    static let stream = Key<Configuration.Device.Stream>(
        "cameras[].v4l2.stream", .choice, default: .onDemand,
        "Whether frames come only while they are wanted, so that others can use the device, or always.")
    static let microphone = Key(
        "cameras[].microphone", optional: .text("the name of an ALSA device, such as hw:1,0", limit: 256),
        "The ALSA device that recordings have their sound from; without it, they have none.")
    static let primaryAction = Key<Configuration.Shutter.Action>(
        "cameras[].shutter.primary", .choice, default: .photo,
        "What the shutter's button does: photo, or record (begin a recording, or end the one under way).")
    static let secondaryAction = Key<Configuration.Shutter.Action?>(
        "cameras[].shutter.secondary", optional: .choice,
        "What its other button does; without it, the same as the first.")
    static let longPress = Key(
        "cameras[].shutter.long_press_ms", .whole(0...10_000), default: 500, unit: "milliseconds",
        "A button that is held for so long records until it is let go; 0: never.")
    static let sound = Key(
        "cameras[].shutter.sound", .text("default, none, or the name of a sound", limit: 64),
        default: "default",
        "The sound that a remote button's user is to hear: default, none, or one of your own.")
    static let buttons = Key(
        "cameras[].shutter.buttons", .buttons, default: [],
        "Topics that are shutter buttons: topic, the field of its JSON (without it, the payload is the word), and which words are press, began, ended and cancelled; button: primary or secondary; remote: true (default) for a sound event."
    )
    static let opticalMax = Key(
        "cameras[].simulated.optical_max", .number(1...100), default: 2,
        "The part of the zoom that the simulated lens does; 1 for none.")
    static let lensSpeed = Key(
        "cameras[].simulated.lens_speed", .number(0...100), default: 0, unit: "octaves per second",
        "How fast the simulated lens moves; 0 for at once.")
    static let writeLatency = Key(
        "cameras[].simulated.write_latency_ms", .whole(0...10_000), default: 0, unit: "milliseconds",
        "How long the simulated camera takes for each setting.")
    static let frameRate = Key(
        "cameras[].simulated.fps", .whole(1...120), default: 30, "Frames per second.")
    static let width = Key(
        "cameras[].simulated.width", optional: .whole(16...8_192, multipleOf: 2),
        "The width of a frame, in pixels. Without it: as the image has it, or 1920.")
    static let height = Key(
        "cameras[].simulated.height", optional: .whole(16...8_192, multipleOf: 2),
        "The height of a frame, in pixels. Without it: as the image has it, or 1080.")
    static let injectedFault = Key<Configuration.Simulation.Fault>(
        "cameras[].simulated.inject_fault", .choice, default: .none, "A defect to act out, for tests.")

    /// In the order of the rendered YAML; keys of one group stand together.
    static let all: [any AnyKey] = [
        agent,
        host, port, protocolVersion, baseTopic, clientID, username, passwordFile, keepalive,
        caFile, certFile, keyFile,
        stateFile,
        captureDirectory, captureBytes, retainImage,
        recordingDirectory, recordingBytes, recordingFileBytes, recordingSeconds, recordingCodec,
        logLevel, logFormat,
        liveRate, gestureTimeout,
        commandRate,
        discovery, discoveryPrefix, previewRate,
        cameraID, source, image, groups, position, kind, external, cameraDiscovery, zoomMin, zoomMax,
        calibration,
        continuousRate, continuousMax,
        deviceWidth, deviceHeight, deviceRate, pixelFormat, deviceInput, stream,
        microphone, primaryAction, secondaryAction, longPress, sound, buttons,
        opticalMax, lensSpeed, writeLatency, frameRate, width, height, injectedFault,
    ]
}
