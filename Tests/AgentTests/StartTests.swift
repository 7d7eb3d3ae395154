import Base
import Core
import Logging
import TestSupport
import Testing

@testable import Agent
@testable import Bus
@testable import Cameras
@testable import Contract
@testable import Settings

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

    /// The name of an earlier meaning.
    @Test(arguments: [MQTTVersion.automatic, .v5, .v311])
    func anAutomaticProtocolIsOneLineOfTheLog(version: MQTTVersion) throws {
        let log = CollectedLog(from: .notice)
        let online = Flag()
        let agent = try Agent(
            cameras: ["door"], in: folder, version: version, logger: log.logger, on: time.loop
        ) { present() }
        start(agent, online)
        withExtendedLifetime(agent) { time.loop.run { online.isSet } }
        let line = "mqtt.protocol: auto means 5; a broker that supports only MQTT 3.1.1 needs 3.1.1"
        #expect(log.lines.filter { $0.contains("mqtt.protocol") } == (version == .automatic ? [line] : []))
    }

    // MARK: The first connection of a fleet

    private static let spread = 3_600
    private let wait = Spread.wait(seconds: spread, of: MQTTSettings().clientID)

    /// A run of an agent, up to its first attempt to connect, which fails.
    private final class Run {
        let agent: Agent
        /// It exists as long as the run.
        private let folder: TemporaryFolder
        private let time: VirtualTime
        private(set) var isOnline = false
        private(set) var attempts = 0

        init(in folder: TemporaryFolder, spread: Int, isRestarted: Bool = false, _ time: VirtualTime) throws {
            (self.folder, self.time) = (folder, time)
            agent = try Agent(
                cameras: ["door"], in: folder, spread: spread, isRestarted: isRestarted, on: time.loop
            ) {
                let source = ScriptedSource()
                source.attach(ScriptedCamera(on: time.loop))
                return source
            }
            agent.connectionChanged = { [unowned self] in
                if case .disconnected = $0 { attempts += 1 }
            }
            agent.start(
                online: { [unowned self] in isOnline = true }, failed: { Issue.record("\($0)") })
        }

        func wait(until isDone: (Run) -> Bool) { time.loop.run { isDone(self) } }

        /// Gives the loop the opportunity to do what it should not do yet.
        func turn() { for _ in 0..<100 { time.loop.runOnce(timeout: .zero) } }

        func stop() {
            var isStopped = false
            agent.stop { _ in isStopped = true }
            time.loop.run { isStopped }
        }
    }

    /// The state that a run has left, in another folder: what that run had open does not matter there.
    private func stateOfARun() throws -> TemporaryFolder {
        let run = try Run(in: folder, spread: 0, time)
        run.wait { $0.attempts > 0 && $0.isOnline }
        run.stop()
        return folder.copy { $0.hasPrefix("state.json") && !$0.hasSuffix(".lock") }
    }

    @Test(arguments: [true, false]) func theFirstConnectionWaitsForItsPartOfTheSpread(isNew: Bool) throws {
        let run = try Run(in: try isNew ? folder : stateOfARun(), spread: Self.spread, time)
        // The cameras do not wait for it.
        run.wait { $0.isOnline }
        time.advance(by: wait - .milliseconds(1))
        run.turn()
        #expect(run.attempts == 0)
        time.advance(by: .milliseconds(1))
        run.wait { $0.attempts > 0 }
    }

    /// What had to wait has waited in the run before. Virtual time stands still.
    @Test(arguments: [true, false]) func aRestartDoesNotWait(isNew: Bool) throws {
        let folder = try isNew ? folder : stateOfARun()
        let run = try Run(in: folder, spread: Self.spread, isRestarted: true, time)
        run.wait { $0.attempts > 0 && $0.isOnline }
        run.stop()
    }
}
