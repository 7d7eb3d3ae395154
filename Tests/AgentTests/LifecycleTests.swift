import Base
import Core
import TestSupport
import Testing

@testable import Agent
@testable import Cameras
@testable import Contract

/// The stop of an agent: what it waits for, and what is over when it is reported.
@Suite(.timeLimit(.minutes(10))) struct LifecycleTests {
    let folder = TemporaryFolder()
    let time = VirtualTime()
    let device: ScriptedCamera
    let agent: Agent

    init() throws {
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: time.loop)
        device.frameInterval = .seconds(1) / 30
        self.device = device
        agent = try Agent(cameras: ["door"], in: folder, on: time.loop) {
            let source = ScriptedSource()
            source.attach(device)
            return source
        }
    }

    private func start() {
        var isOnline = false
        agent.start(online: { isOnline = true }, failed: { Issue.record("\($0)") })
        time.loop.run { isOnline }
    }

    /// Starts the agent, and a move of the lens that ends when the device is released.
    private func startMovingTheLens() {
        start()
        device.held = [.lens, .stop]
        _ = send(.zoom, #"{"factor": 3}"#)
    }

    private func send(_ node: Node, _ json: String) -> CollectingReplyAddress {
        let address = CollectingReplyAddress(node, camera: "door", isWritten: false)
        let command = Command(for: node, payload: [UInt8](json.utf8))
        agent.cameras[0].handle(
            Request(
                camera: "door", node: node, envelope: command.envelope, command: try? command.body.get(),
                address: address))
        return address
    }

    /// How often a stop was reported, and the final answers before it.
    private final class Stop {
        var reports = 0
        var answers = 0
    }

    private func stop(after requests: [CollectingReplyAddress] = []) -> Stop {
        let stop = Stop()
        agent.stop { saved in
            #expect(saved)
            stop.reports += 1
            stop.answers = requests.map { $0.answers.count(where: \.isFinal) }.reduce(0, +)
        }
        return stop
    }

    @Test func stoppedIsReportedAfterEveryAnswer() {
        start()
        device.held = [.controls]
        let requests = [
            send(.controls, #"{"brightness": 5}"#), send(.zoom, #"{"factor": 3, "rate": 0.5}"#),
            send(.desired, #"{"version": 1, "controls": {"brightness": 7}}"#),
        ]
        #expect(requests.allSatisfy { $0.answers.allSatisfy { !$0.isFinal } })
        let stop = stop(after: requests)
        time.loop.run { stop.reports > 0 }
        #expect(stop.reports == 1 && stop.answers == requests.count)
        #expect(requests.allSatisfy { $0.answers.count(where: \.isFinal) == 1 })
    }

    /// Virtual time stands still, so no timeout ends the wait.
    @Test func aStopWaitsForTheLens() {
        startMovingTheLens()
        let stop = stop()
        for _ in 0..<10 { time.loop.runOnce(timeout: .milliseconds(1)) }
        #expect(stop.reports == 0)
        // What follows takes longer than these turns on a slow disk.
        guard case .settlingLenses = agent.lifecycle else {
            Issue.record("it does not wait")
            return
        }
        device.held = []
        while device.release(.lens) || device.release(.stop) {}
        time.loop.run { stop.reports > 0 }
        #expect(stop.reports == 1)
    }

    @Test func aLensThatNeverReportsDelaysAStopByItsTimeoutOnly() {
        startMovingTheLens()
        let stop = stop()
        time.advance(by: .milliseconds(200))
        time.loop.run { stop.reports > 0 }
        #expect(stop.reports == 1)
    }

    @Test func aSecondStopDoesNotDelayTheFirst() {
        startMovingTheLens()
        var stops = [stop()]
        time.advance(by: .milliseconds(150))
        stops.append(stop())
        time.advance(by: .milliseconds(60))
        time.loop.run { stops.allSatisfy { $0.reports == 1 } }
    }

    @Test func everyStopIsReportedOnce() {
        start()
        let stops = [stop(), stop()]
        time.loop.run { stops.allSatisfy { $0.reports > 0 } }
        let late = stop()
        #expect((stops + [late]).allSatisfy { $0.reports == 1 })
    }

    @Test func anAgentThatIsNotOnlineYetStops() {
        var isOnline = false
        agent.start(online: { isOnline = true }, failed: { Issue.record("\($0)") })
        let stop = stop()
        time.loop.run { stop.reports > 0 }
        time.advance(by: .seconds(10))
        #expect(stop.reports == 1 && !isOnline)
    }
}
