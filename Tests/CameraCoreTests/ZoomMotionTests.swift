import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// What a controller notices while the zoom moves: ramps, moves, stops and slow lenses.
struct ZoomMotionTests {
    let camera = ZoomBench()

    @Test(arguments: [
        (#"{"factor": 8, "rate": 0.5}"#, 1.0), (#"{"move": {"velocity": 0.5, "timeout_ms": 10000}}"#, 0.5),
    ])
    func stopHoldsTheZoomOnItsWay(command: String, velocity: Double) throws {
        let motion = camera.send(.zoom, command)
        camera.bench.advance(by: .seconds(1))
        #expect(camera.zoom["ramping"] == true)
        camera.done(.zoom, #"{"stop": true}"#)
        let factor = try #require(camera.zoom["factor"].number)
        #expect(abs(factor - 1.414_214) < 0.03)
        #expect(camera.zoom["target"].number == factor && camera.zoom["velocity"] == nil)
        #expect(camera.zoom["ramping"] == false && motion.statuses == [.accepted, .superseded])
        camera.bench.advance(by: .seconds(10))
        #expect(camera.zoom["factor"].number == factor)
    }

    @Test func aMoveEndsAtItsTimeout() {
        let move = camera.send(.zoom, #"{"move": {"velocity": 1, "timeout_ms": 500}}"#)
        camera.bench.advance(by: .milliseconds(480))
        #expect(move.statuses == [.accepted] && camera.zoom["velocity"] == 1)
        camera.bench.advance(by: .milliseconds(40))
        #expect(move.statuses == [.accepted, .done])
        #expect(camera.zoom["factor"].isNear(1.414_214) && camera.zoom["target"] == camera.zoom["factor"])
        #expect(camera.zoom["velocity"] == nil)
    }

    // MARK: Slow lenses

    @Test func aSlowLensIsShownOnItsWay() throws {
        let camera = ZoomBench(.init(opticalMaximum: 8, lensSpeed: 2, width: 64, height: 36))
        camera.bench.frontEnd.removeAll()
        let jump = camera.send(.zoom, #"{"factor": 4}"#)
        camera.bench.advance(by: .milliseconds(500))
        #expect(jump.statuses == [.accepted] && camera.answers(to: jump)[0]["target"] == 4)
        #expect(camera.zoom["ramping"] == true && camera.zoom["target"] == 4)
        #expect(try #require(camera.samples.last?["factor"].number) > 1)
        #expect(camera.result(jump)["status"] == "done")
        #expect(
            camera.zoom["factor"] == 4 && camera.zoom["target"] == 4 && camera.zoom["optical"] == 4)
    }

    @Test func stopHoldsASlowLensAtItsRealFactor() throws {
        let camera = ZoomBench(.init(opticalMaximum: 8, lensSpeed: 0.5, width: 64, height: 36))
        let jump = camera.send(.zoom, #"{"factor": 8}"#)
        camera.bench.advance(by: .seconds(1))
        camera.done(.zoom, #"{"stop": true}"#)
        #expect(abs(try #require(camera.zoom["factor"].number) - 1.414_214) < 0.03)
        #expect(camera.zoom["target"] == camera.zoom["factor"])
        #expect(jump.statuses == [.accepted, .superseded])
    }

    @Test func commandsDuringAWriteCollapseIntoTheNewest() {
        let camera = ZoomBench(
            .init(opticalMaximum: 8, writeLatency: .milliseconds(200), width: 64, height: 36))
        camera.bench.advance(by: .seconds(1))
        let sent = (1...40).map { camera.send(.zoom, #"{"factor": \#(1 + Double($0) / 10)}"#) }
        #expect(camera.result(sent[39])["status"] == "done")
        #expect(sent.allSatisfy { [.done, .superseded].contains($0.last?.status) })
        #expect(sent.count { $0.last?.status == .done } <= 2)
        #expect(camera.zoom["factor"] == 5 && camera.zoom["target"] == 5)
    }
}
