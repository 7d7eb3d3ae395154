import Settings
import TestSupport
import Testing

@testable import Contract

/// Zooms without a rate. The arithmetic is tested in `ZoomModelTests`; what a controller notices, in
/// `Tests/Scenarios/zoom.scenario`.
struct ZoomTests {
    let camera = ZoomBench()

    @Test func byMultipliesTheTargetOfARamp() {
        let ramp = camera.send(.zoom, #"{"factor": 4, "rate": 0.2}"#)
        #expect(ramp.statuses == [.accepted])
        #expect(camera.done(.zoom, #"{"by": 2}"#)["factor"].isNear(8))
        #expect(ramp.statuses == [.accepted, .superseded])
    }

    @Test func eachChangeIsOneRev() throws {
        let revs = [2, 3, 4].map { camera.zoom(to: $0)["rev"].number }
        let first = try #require(revs[0])
        #expect(revs == [first, first + 1, first + 2])
    }
}
