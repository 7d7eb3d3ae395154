import Agent
import CameraCore
import Cameras
import LoopThread
import Messages
import TestSupport
import Testing

/// When an agent is online: a device that is slow delays only its own camera.
@Suite(.timeLimit(.minutes(10))) struct StartTests {
    let folder = TemporaryFolder()
    let time = VirtualTime()

    /// An agent of as many cameras as sources.
    private func agent(_ sources: [ScriptedSource]) throws -> Agent {
        var next = sources.makeIterator()
        return try Agent(cameras: sources.indices.map { "\($0)" }, in: folder, on: time.loop) {
            next.next() ?? ScriptedSource()
        }
    }

    private func present() -> ScriptedSource {
        let source = ScriptedSource()
        source.attach(ScriptedCamera(on: time.loop))
        return source
    }

    private final class Flag { var isSet = false }

    private func start(_ agent: Agent, _ online: Flag) {
        agent.start(online: { online.isSet = true }, failed: { Issue.record("\($0)") })
    }

    @Test func aCameraThatIsReadyWaitsNotLongForTheOthers() throws {
        let (slow, online) = (ScriptedSource(), Flag())
        let agent = try agent([slow, present(), present()])
        start(agent, online)
        time.loop.run { agent.cameras.count { $0.presence == .ready } == 2 }
        time.advance(by: .milliseconds(99))
        #expect(!online.isSet)
        time.advance(by: .milliseconds(1))
        #expect(online.isSet && agent.cameras[0].presence == .unknown)
        slow.attach(ScriptedCamera(on: time.loop))
        time.advance(by: .zero)
        #expect(agent.cameras[0].presence == .ready)
    }

    @Test func withoutASlowCameraNothingIsWaitedFor() throws {
        let online = Flag()
        let absent = ScriptedSource()
        absent.detach(.notFound)
        let agent = try agent([present(), absent, present()])
        start(agent, online)
        withExtendedLifetime(agent) { time.loop.run { online.isSet } }
    }

    @Test func anAgentThatIsReleasedWithoutAStopReleasesItsCameras() throws {
        weak var camera: Camera?
        do {
            let online = Flag()
            let agent = try agent([present()])
            start(agent, online)
            time.loop.run { online.isSet }
            camera = agent.cameras.first
            #expect(camera != nil)
        }
        #expect(camera == nil)
    }

    /// A camera that is absent is no reason to publish the others as not ready.
    @Test func withoutACameraThatIsReadyItIsOnlineAfterSixSeconds() throws {
        let (slow, absent, online) = (ScriptedSource(), ScriptedSource(), Flag())
        absent.detach(.notFound)
        let agent = try agent([slow, absent])
        start(agent, online)
        time.loop.run { agent.cameras[1].presence == .absent(.notFound) }
        time.advance(by: .milliseconds(5_999))
        #expect(!online.isSet)
        time.advance(by: .milliseconds(1))
        #expect(online.isSet)
    }
}
