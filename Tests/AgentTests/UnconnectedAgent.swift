import Base
import Logging
import TestSupport

@testable import Agent
@testable import Cameras
@testable import Settings

extension Agent {
    /// An agent without a broker, whose files are in this folder.
    ///
    /// - Parameters:
    ///   - spread: `mqtt.spread_s`.
    ///   - version: `mqtt.protocol`.
    ///   - source: makes the sources of the cameras, in their order.
    convenience init(
        cameras: [String], in folder: TemporaryFolder, storage: StateStorage = .file, spread: Int = 0,
        version: MQTTVersion = .v5, isRestarted: Bool = false, logger: Logger = silent, on loop: EventLoop,
        source: () -> any CameraSource
    ) throws {
        // Nothing listens on this port.
        let settings = AgentSettings(
            agent: "porch", mqtt: MQTTSettings(port: 1, protocolVersion: version, spread: spread),
            stateFile: folder.file("state.json"),
            captures: CaptureSettings(
                folder: .init(directory: folder.file("captures"), maximumBytes: 1 << 20)),
            recordings: RecordingSettings(
                folder: .init(directory: folder.file("recordings"), maximumBytes: 1 << 20)),
            cameras: cameras.map { CameraSettings(id: $0) })
        try self.init(
            settings,
            host: AgentHost(version: "1", name: "host", storage: storage, isRestarted: isRestarted), on: loop,
            logger: logger
        ) { _, _ in source() }
    }
}
