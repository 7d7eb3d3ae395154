import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// What a controller notices of its pinch. The rules of scales, anchors and sequences are tested in
/// `ZoomModelTests`.
struct PinchTests {
    let camera = ZoomBench()

    /// A step of a pinch, and the factor after it.
    typealias Step = (phase: String, scale: Double?, other: String, factor: Double)

    /// Each from a zoom of 2.
    static let pinches: [[Step]] = [
        [
            ("began", nil, "", 2), ("changed", 1.5, "", 3), ("changed", 2, "", 4), ("changed", 0.75, "", 1.5),
            ("ended", nil, "", 1.5),
        ],
        [
            ("began", nil, incremental, 2), ("changed", 1.5, incremental, 3),
            ("changed", 1.25, incremental, 3.75), ("changed", 0.8, incremental, 3),
        ],
        [("began", 1.2, "", 2.4), ("changed", 1.5, "", 3)],
        [("changed", 3, "", 2), ("changed", 6, "", 4)],
        [("began", nil, "", 2), ("changed", 2, "", 4), ("cancelled", nil, "", 4)],
        [("began", nil, "", 2), ("changed", 2, "", 4), ("cancelled", nil, #", "revert": true"#, 2)],
        [
            ("began", nil, "", 2), ("changed", 10, "", 8), ("changed", 5, "", 8), ("changed", 3, "", 6),
            ("changed", 0.1, "", 1),
        ],
        [("began", nil, incremental, 2), ("changed", 8, incremental, 8), ("changed", 0.5, incremental, 4)],
        [("began", nil, #", "seq": 0"#, 2), ("changed", 2, #", "seq": 5"#, 4), ("ended", nil, "", 4)],
    ]
    static let incremental = #", "mode": "incremental""#

    @Test(arguments: pinches) func theFactorFollowsTheFingers(steps: [Step]) {
        camera.zoom(to: 2)
        let pinch = PinchSteps(camera: camera)
        for step in steps {
            let answer = pinch.step(step.phase, scale: step.scale, step.other)
            #expect(answer["factor"].isNear(step.factor), "\(step)")
        }
        pinch.step("cancelled")
        #expect(camera.bench.state(.pinch) == .null)
    }

    /// Also while its state waits: at most 60 a second are published.
    @Test func aSampleThatIsAnsweredIsStored() {
        camera.zoom(to: 1)
        let bench = camera.bench
        for (number, phase) in ["began", "changed", "changed", "changed", "ended"].enumerated() {
            let scale = 2 + Double(number)
            let reply = bench.send(
                .pinch,
                #"{"gesture": "g", "phase": "\#(phase)", "scale": \#(scale), "id": "sample-\#(number)"}"#)
            #expect(reply.final?.status == .done)
            #expect(isNear(bench.saved.factor, scale), "\(phase)")
        }
    }

    @Test func aScaleBeyondTheRangeIsReported() {
        let pinch = PinchSteps(camera: camera)
        pinch.step("began")
        #expect(pinch.step("changed", scale: 10)["clamped"] == true)
    }

    @Test func aLateStepIsIgnored() {
        camera.zoom(to: 2)
        let pinch = PinchSteps(camera: camera)
        pinch.step("began", #", "seq": 0"#)
        pinch.step("changed", scale: 2, #", "seq": 5"#)
        for sequence in [4, 5] {
            let late = camera.send(.pinch, pinch.command("changed", scale: 3, #", "seq": \#(sequence)"#))
            #expect(late.answers.isEmpty)
        }
        #expect(pinch.step("ended")["factor"] == 4)
    }

    @Test func theRunningGestureIsPublishedAndThenNull() {
        camera.zoom(to: 2)
        let pinch = PinchSteps(camera: camera, name: "p", fields: #""client": "phone", "#)
        pinch.step("began")
        let running = camera.bench.state(.pinch)
        #expect(running["gesture"] == "p" && running["client"] == "phone")
        #expect(running["base"] == 2 && running["scale"] == 1)
        pinch.step("changed", scale: 1.5, #", "id": "p-1""#)
        #expect(camera.bench.state(.pinch)["scale"] == 1.5)
        #expect(camera.zoom["factor"].isNear(3))
        #expect(
            camera.zoom["origin"] == ["kind": "gesture", "client": "phone", "proved": false, "id": "p-1"])
        pinch.step("ended")
        #expect(camera.bench.states(.pinch).last == .null)
    }

    @Test func anotherGestureStartsFromTheZoomAsItIs() {
        camera.zoom(to: 2)
        let (first, second) = (PinchSteps(camera: camera, name: "a"), PinchSteps(camera: camera, name: "b"))
        first.step("began")
        first.step("changed", scale: 2)
        #expect(second.step("began")["factor"] == 4)
        #expect(second.step("changed", scale: 1.5)["factor"].isNear(6))
    }

    @Test func aPinchKeepsThePointBetweenTheFingers() {
        let before = camera.zoom(to: 2)
        let (pinch, anchor) = (PinchSteps(camera: camera), #", "anchor": {"x": 0.3, "y": 0.8}"#)
        pinch.step("began", anchor)
        for scale in [1.2, 2, 3, 1.5] {
            pinch.step("changed", scale: scale, anchor)
            #expect(ScenePoint(camera.zoom, 0.3, 0.8).isNear(ScenePoint(before, 0.3, 0.8)))
        }
    }

    @Test func onlyChangesThatCarryAnIDAreAnswered() {
        camera.zoom(to: 2)
        let pinch = PinchSteps(camera: camera)
        pinch.step("began", #", "id": "p-began""#)
        for scale in [1.1, 1.2] {
            let change = camera.send(.pinch, pinch.command("changed", scale: scale))
            camera.bench.advance(by: ZoomBench.interval)
            #expect(change.answers.isEmpty)
        }
        #expect(pinch.step("ended", #", "id": "p-ended""#)["id"] == "p-ended")
        #expect(camera.zoom["factor"].isNear(2.4))
    }

    @Test func ofManyChangesTheLastOneIsAlwaysPublished() {
        camera.zoom(to: 2)
        let before = camera.bench.states(.zoom).count
        let pinch = PinchSteps(camera: camera)
        pinch.step("began")
        for number in 1...500 {
            camera.send(
                .pinch, pinch.command("changed", scale: 1 + Double(number) / 250, #", "seq": \#(number)"#))
            camera.bench.advance(by: .milliseconds(1))
        }
        pinch.step("ended")
        #expect(camera.zoom["factor"].isNear(6))
        #expect(camera.bench.states(.zoom).count - before <= 34, "at most 60 per second, in 0.54 s")
    }

    @Test func aGestureWithoutSamplesEndsByItself() {
        let camera = ZoomBench(zoom: ZoomSettings(gestureTimeout: .milliseconds(300)))
        #expect(camera.bench.frontEnd.state(on: .info)["zoom"]["gesture_timeout_ms"] == 300)
        let pinch = PinchSteps(camera: camera)
        pinch.step("began")
        pinch.step("changed", scale: 2)
        #expect(camera.bench.state(.pinch)["gesture"] == "g")
        camera.bench.advance(by: .milliseconds(300))
        #expect(camera.bench.state(.pinch) == .null)
        let change = camera.send(.pinch, pinch.command("changed", scale: 5))
        camera.bench.advance(by: ZoomBench.interval)
        #expect(camera.zoom["factor"] == 2 && change.answers.isEmpty)
    }
}
