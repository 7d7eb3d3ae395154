package import Cameras
package import LoopThread
package import MQTTBus

/// What an agent is told at its start.
package struct AgentSettings {
    package var agent: String
    package var baseTopic: String
    package var host: String
    package var version: String
    package var bus: BusSettings
    package var stateFile: String
    package var captures: CaptureSettings
    /// Samples per second while the zoom is moving.
    package var liveRate: Double
    /// After so long without a sample, a gesture is over.
    package var gestureTimeout: Duration
    /// Commands that each client may send in a second.
    package var commandRate: Int
    package var cameras: [CameraSettings]

    package init(
        agent: String, baseTopic: String, host: String, version: String, bus: BusSettings, stateFile: String,
        captures: CaptureSettings, liveRate: Double, gestureTimeout: Duration, commandRate: Int,
        cameras: [CameraSettings]
    ) {
        (self.agent, self.baseTopic, self.host, self.version) = (agent, baseTopic, host, version)
        (self.bus, self.stateFile, self.captures) = (bus, stateFile, captures)
        (self.liveRate, self.gestureTimeout) = (liveRate, gestureTimeout)
        (self.commandRate, self.cameras) = (commandRate, cameras)
    }

    /// The level of the contract with controllers; it grows when an old controller wouldn't understand.
    static let protocolLevel = 1
}

/// Where photos go.
package struct CaptureSettings: Sendable, Equatable {
    package var directory: String
    /// What all photos together may take, in bytes; the oldest make room.
    package var maximumBytes: Int
    /// Whether the broker keeps the last photo.
    package var retainsImage: Bool

    package init(directory: String, maximumBytes: Int, retainsImage: Bool) {
        (self.directory, self.maximumBytes, self.retainsImage) = (directory, maximumBytes, retainsImage)
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
    /// Makes the source on the agent's loop.
    package var source: (EventLoop) -> any CameraSource

    package init(
        id: String, groups: [String] = [], zoom: ClosedRange<Double>, position: String? = nil,
        kind: String? = nil, reasserts: Bool = false, source: @escaping (EventLoop) -> any CameraSource
    ) {
        (self.id, self.groups, self.zoom) = (id, groups, zoom)
        (self.position, self.kind, self.reasserts, self.source) = (position, kind, reasserts, source)
    }
}
