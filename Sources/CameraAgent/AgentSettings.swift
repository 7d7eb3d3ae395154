package import Cameras
package import LoopThread
package import MQTTBus
package import Messages

/// What an agent is told at its start.
package struct AgentSettings {
    package var agent: String
    package var baseTopic: String
    package var host: String
    package var version: String
    package var bus: BusSettings
    package var stateFile: String
    package var captures: CaptureSettings
    package var recordings: RecordingSettings
    /// Samples per second while the zoom is moving.
    package var liveRate: Double
    /// After so long without a sample, a gesture is over.
    package var gestureTimeout: Duration
    /// Commands that each client may send in a second.
    package var commandRate: Int
    package var homeAssistant: HomeAssistantSettings
    package var cameras: [CameraSettings]
    /// Where every camera that is found is served: the one that is there when none is found. Others that aren't there are just not plugged in, and
    /// stay known. Nil: the configuration says which cameras there are.
    package var standIn: String?

    package init(
        agent: String, baseTopic: String, host: String, version: String, bus: BusSettings, stateFile: String,
        captures: CaptureSettings, recordings: RecordingSettings, liveRate: Double, gestureTimeout: Duration,
        commandRate: Int, homeAssistant: HomeAssistantSettings = HomeAssistantSettings(),
        cameras: [CameraSettings], standIn: String? = nil
    ) {
        (self.agent, self.baseTopic, self.host, self.version) = (agent, baseTopic, host, version)
        (self.bus, self.stateFile) = (bus, stateFile)
        (self.captures, self.recordings) = (captures, recordings)
        (self.liveRate, self.gestureTimeout) = (liveRate, gestureTimeout)
        (self.commandRate, self.cameras, self.homeAssistant) = (commandRate, cameras, homeAssistant)
        self.standIn = standIn
    }

    /// The level of the contract with controllers; it grows when an old controller wouldn't understand.
    static let protocolLevel = 1
}

/// A folder for photos or recordings.
package struct FolderSettings: Sendable, Equatable {
    package var directory: String
    /// What all of them together may take, in bytes; the oldest make room.
    package var maximumBytes: Int

    package init(directory: String, maximumBytes: Int) {
        (self.directory, self.maximumBytes) = (directory, maximumBytes)
    }
}

/// Where photos go.
package struct CaptureSettings: Sendable, Equatable {
    package var folder: FolderSettings
    /// Whether the broker keeps the last photo.
    package var retainsImage: Bool

    package init(_ folder: FolderSettings, retainsImage: Bool) {
        (self.folder, self.retainsImage) = (folder, retainsImage)
    }
}

/// How recordings are made, where a command doesn't say.
package struct RecordingSettings: Sendable, Equatable {
    package var folder: FolderSettings
    /// Of one file; it ends there.
    package var maximumFileBytes: Int
    package var maximumSeconds: Double
    package var codec: MovieCodecField

    package init(
        _ folder: FolderSettings, maximumFileBytes: Int, maximumSeconds: Double, codec: MovieCodecField
    ) {
        (self.folder, self.maximumFileBytes) = (folder, maximumFileBytes)
        (self.maximumSeconds, self.codec) = (maximumSeconds, codec)
    }
}

/// What a camera's shutter buttons do.
package struct ShutterSettings: Sendable, Equatable {
    package var primary: CameraInfo.Shutter.Action
    package var secondary: CameraInfo.Shutter.Action
    /// Held for so long, a button records; nil: never.
    package var longPress: Duration?
    /// What a remote button's user is to hear: `default`, `none`, or a name of the user's own.
    package var sound: String
    /// Topics of the bus that are buttons.
    package var bindings: [Binding]

    package init(
        primary: CameraInfo.Shutter.Action = .photo, secondary: CameraInfo.Shutter.Action = .photo,
        longPress: Duration? = .milliseconds(500), sound: String = "default", bindings: [Binding] = []
    ) {
        (self.primary, self.secondary, self.longPress) = (primary, secondary, longPress)
        (self.sound, self.bindings) = (sound, bindings)
    }
}

extension ShutterSettings {
    /// As `info` says it.
    var forMessages: CameraInfo.Shutter {
        CameraInfo.Shutter(
            primary: primary, secondary: secondary,
            longPressMilliseconds: longPress.map { Int($0 / .milliseconds(1)) })
    }
}

/// One camera of an agent.
package struct CameraSettings {
    package var id: String
    /// Whose commands it takes as its own.
    package var groups: [String]
    /// The least and the greatest factor; `1 <= min <= max`.
    package var zoom: ClosedRange<Double>
    /// What a person calls its place (`front`) and its kind (`wide`).
    package var position: String?
    package var kind: String?
    /// Whether what somebody else does to the camera is undone; otherwise it is followed.
    package var reasserts: Bool
    /// Whether Home Assistant is told of it, where it is told of any.
    package var isDiscovered: Bool
    /// An ALSA device; nil: recordings have no sound.
    package var microphone: String?
    package var shutter: ShutterSettings
    /// Makes the source on the agent's loop.
    package var source: (EventLoop) -> any CameraSource

    package init(
        id: String, groups: [String] = [], zoom: ClosedRange<Double>, position: String? = nil,
        kind: String? = nil, reasserts: Bool = false, isDiscovered: Bool = true, microphone: String? = nil,
        shutter: ShutterSettings = ShutterSettings(), source: @escaping (EventLoop) -> any CameraSource
    ) {
        (self.id, self.groups, self.zoom) = (id, groups, zoom)
        (self.position, self.kind, self.reasserts, self.source) = (position, kind, reasserts, source)
        self.isDiscovered = isDiscovered
        (self.microphone, self.shutter) = (microphone, shutter)
    }
}
