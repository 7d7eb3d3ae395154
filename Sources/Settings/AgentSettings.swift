/// The settings of one agent and of its cameras. They are checked: every value is inside the range that
/// its comment gives.
///
/// The initial values here are the defaults of the configuration's keys.
package struct AgentSettings: Sendable, Equatable {
    /// All keys have their defaults.
    package static let standard = AgentSettings()

    /// The agent's name in its topics: 1 to 64 of `a-z0-9_-`, never `groups` or `fleet`.
    package var agent = "agent"
    /// The agent's name for people: printable, at most 64 bytes.
    package var name: String?
    package var mqtt = MQTTSettings()
    package var clients = ClientSettings()
    /// The path of the state file. Relative paths are relative to the working folder.
    package var stateFile = "/var/lib/v4l2mqtt/state.json"
    /// A command is answered when the disk has its change; otherwise when the operating system has it.
    package var syncsState = false
    package var captures = CaptureSettings()
    package var recordings = RecordingSettings()
    package var log = LogSettings()
    package var zoom = ZoomSettings()
    package var limits = LimitSettings()
    package var homeAssistant = HomeAssistantSettings()
    package var libcamera = LibcameraUse.no
    /// Kinds and positions of devices that don't report them, at least one for each device. The other
    /// properties say which devices these are, at least one of them.
    package var deviceTags: [DevicePattern] = []
    /// At least one. Their ids differ.
    package var cameras = [CameraSettings()]
    /// The configuration names no camera: every camera that is found is served. ``cameras`` then has one
    /// element, whose settings apply to each of them, and which is served itself while no camera is found.
    package var servesAll = false

    /// The camera that is served while no device is found, where every device that is found is served.
    package var placeholderCamera: String? { servesAll ? CameraSettings().id : nil }

    /// The paths of the devices of virtual cameras.
    package var outputPaths: Set<String> { Set(cameras.compactMap(\.output.path)) }
}

package struct LogSettings: Sendable, Equatable {
    /// The least severe level that is logged.
    package var level = LogLevel.info
    package var format = LogFormat.text
}

/// The levels of swift-log, with its names.
package enum LogLevel: String, CaseIterable, Sendable {
    case trace, debug, info, notice, warning, error, critical
}

/// Lines for people, or one JSON object per line for programs.
package enum LogFormat: String, CaseIterable, Sendable {
    case text, json
}

package struct ZoomSettings: Sendable, Equatable {
    /// Samples per second on `zoom/live` while the zoom moves, 1 to 120.
    package var liveRate = 30.0
    /// A gesture without a sample for this long is over: 100 ms to 60 s.
    package var gestureTimeout = Duration.milliseconds(2_000)
}

package struct HomeAssistantSettings: Sendable, Equatable {
    /// Whether cameras are announced to Home Assistant. False removes earlier announcements.
    package var isOn = true
    /// Home Assistant's discovery prefix: no wildcards, no slash at either end.
    package var prefix = "homeassistant"
    /// The name of Home Assistant in its commands: its user name at the broker.
    package var client = "homeassistant"
    /// Frames per second of the preview that is always published for Home Assistant, 0.1 to 60. Nil: a
    /// preview is published on request only.
    package var previewRate: Double?
}
