import Base
import Core
import TestSupport
import Testing

@testable import Agent
@testable import Cameras
@testable import Settings

/// Agents whose state is in memory: many of them run in one process.
@Suite(.timeLimit(.minutes(10))) struct StateInMemoryTests {
    let folder = TemporaryFolder()
    let loop = EventLoop()

    private func agent() throws -> Agent {
        try Agent(cameras: ["door"], in: folder, storage: .memory, on: loop) {
            DeviceSource(of: CameraSettings(id: "door", sources: [.simulated]), watcher: nil, on: loop) {
                SimulatedCamera(.init(opticalMaximum: 1), serial: "door", on: $0)
            }
        }
    }

    @Test func manyAgentsServeAndStopOnOneLoopWithoutAFile() throws {
        let agents = try (0..<20).map { _ in try agent() }
        var (online, saved) = (0, 0)
        for agent in agents { agent.start(online: { online += 1 }, failed: { Issue.record("\($0)") }) }
        loop.run { online == agents.count }
        #expect(agents.allSatisfy { $0.cameras[0].presence == .ready })
        for agent in agents { agent.stop { saved += $0 ? 1 : 0 } }
        loop.run { saved == agents.count }
        #expect(folder.names == [])
    }

    /// A state that was lost would be read at the broker before anything else, without the wait of a fleet.
    @Test func itBeginsAsAnAgentThatRanBefore() throws {
        let keeper = try StateKeeper(
            folder.file("state.json"), in: .memory, cameras: ["door"], root: "v4l2mqtt/porch",
            isSynced: true, on: loop, logger: silent)
        #expect(!keeper.lacksRevisions && keeper.boot == 1)
        var outcomes: [Bool] = []
        keeper.save(keeper.camera("door"), of: "door", stored: { outcomes.append($0 == nil) }, synced: {})
        #expect(outcomes.isEmpty, "the answer never comes before the call returns")
        loop.run { !outcomes.isEmpty }
        #expect(outcomes == [true] && keeper.stopped(on: loop))
    }
}
