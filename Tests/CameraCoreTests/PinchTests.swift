import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Pinches, beside `Tests/Scenarios/pinch.scenario`. The rules of scales, anchors and sequences are tested in
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
}
