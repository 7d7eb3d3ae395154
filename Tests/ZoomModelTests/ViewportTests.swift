import TestSupport
import Testing
import ZoomModel

/// Viewport commands.
struct ViewportTests {
    var harness = ZoomHarness()

    private var middle: Point { scenePoint(at: .middle, in: harness.model.snapshot) }

    /// Steps during a write are added up, neither dropped nor clamped.
    @Test mutating func stepsAddUpDuringAWrite() {
        harness = ZoomHarness(opticalMax: 2, lens: FakeLens(latency: .milliseconds(200)))
        harness.zoom(to: 4)
        harness.run(.seconds(1))
        harness.zoom(to: 1.9)
        harness.run(.milliseconds(10))
        harness.zoom(to: 4)
        for _ in 0..<2 {
            harness.send(.moveView(.by(x: 0.1, y: 0)))
            #expect(harness.lastAnswers == [ZoomAnswer(.done)])
        }
        harness.run(.seconds(1))
        #expect(near(middle, Point(x: 0.55, y: 0.5)))
    }

    // MARK: During an external movement

    /// When the lens stands still, its factor is the target.
    @Test(arguments: [1.2, 3]) mutating func aViewportCommandDoesNotEndAnExternalMovement(end: Double) {
        harness = ZoomHarness(opticalMax: 4)
        harness.zoom(to: 2)
        harness.moveLens(to: 2.2, moving: true)
        harness.send(.moveView(.by(x: 0.1, y: 0)))
        harness.moveLens(to: end)
        #expect(harness.factor == end)
        #expect(harness.states.last?.zoom.target == end)
        #expect(harness.lens.requests == [2])
    }

    /// The lens has the requested factor at this moment but would move on.
    @Test mutating func aCommandForThePresentFactorStopsAnExternalMovement() {
        harness = ZoomHarness(opticalMax: 4)
        harness.moveLens(to: 2, moving: true)
        let ticket = harness.zoom(to: 2)
        #expect(harness.lens.requests == [2])
        #expect(harness.statuses(ticket) == [.done])
        #expect(harness.factor == 2)
    }

    @Test mutating func anExternalMovementDuringARampKeepsTheRange() {
        harness = ZoomHarness(.init(range: 1.5...8, opticalMax: 4))
        harness.restore(2)
        harness.moveLens(to: 3, moving: true)
        harness.zoom(to: 5, rate: 1)
        harness.moveLens(to: 1, moving: true)
        #expect(harness.factor >= 1.5)
        harness.run(.seconds(2))
        #expect(near(harness.factor, 5))
    }

    /// A report during a write moves the edge of the frame. The anchor point is taken from the visible view.
    @Test mutating func anAnchorIsTakenFromTheVisibleViewDuringAWrite() {
        harness = ZoomHarness(opticalMax: 2, lens: FakeLens(latency: .milliseconds(200)))
        harness.zoom(to: 3)
        harness.run(.seconds(1))
        harness.zoom(to: 1.5)
        harness.run(.seconds(1))
        harness.zoom(to: 3, anchor: Point(x: 0, y: 0))
        harness.moveLens(to: 1.9)
        let anchor = Point(x: 0.5, y: 0.5)
        let held = scenePoint(at: anchor, in: harness.model.snapshot)
        #expect(near(harness.model.center, held))
    }
}
