import Testing
import ZoomModel

/// Looking elsewhere in the frame.
struct ViewportTests {
    var harness = ZoomHarness()

    private var middle: Point { scenePoint(at: .middle, in: harness.model.snapshot) }

    @Test mutating func aPointOfTheViewComesToItsMiddle() {
        harness.zoom(to: 4)
        let wanted = scenePoint(at: Point(x: 0.7, y: 0.2), in: harness.model.snapshot)
        let count = harness.states.count
        harness.send(.look(.at(Point(x: 0.7, y: 0.2))))
        #expect(near(middle, wanted))
        #expect(harness.factor == 4)
        #expect(harness.states.count == count + 1)
        #expect(harness.lastAnswers == [ZoomAnswer(.done)])
    }

    @Test mutating func stepsAreInWidthsOfTheView() {
        harness.zoom(to: 4)
        for _ in 0..<3 { harness.send(.look(.by(x: 0.25, y: -0.5))) }
        #expect(near(middle, Point(x: 0.6875, y: 0.125)))
        #expect(near(harness.model.snapshot.viewport.x, 0.5625))
    }

    @Test mutating func theEdgeStopsItAndTheAnswerSaysSo() {
        harness.zoom(to: 2)
        harness.send(.look(.by(x: 3, y: 0)))
        #expect(near(middle, Point(x: 0.75, y: 0.5)))
        #expect(harness.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        harness.send(.look(.by(x: -0.5, y: 0)))
        #expect(near(middle, .middle), "what the edge kept out is forgotten")
        harness.zoom(to: 1)
        harness.send(.look(.by(x: 0.5, y: 0.5)))
        #expect(near(middle, .middle))
    }

    @Test mutating func aRampGoesOn() {
        let ramp = harness.zoom(to: 8, rate: 1)
        harness.run(.seconds(1))
        harness.send(.look(.by(x: 0.2, y: 0)))
        let seen = middle
        harness.run(.seconds(2))
        #expect(harness.factor == 8)
        #expect(harness.statuses(ramp) == [.done])
        #expect(near(middle, seen), "the ramp keeps the new middle")
    }

    @Test mutating func aPinchGoesOnWithWhatItSeesThen() {
        harness.zoom(to: 4)
        harness.pinch(.began, anchor: Point(x: 0.3, y: 0.3))
        harness.send(.look(.by(x: 0.4, y: 0.4)), by: "tablet")
        let held = scenePoint(at: Point(x: 0.3, y: 0.3), in: harness.model.snapshot)
        harness.pinch(.changed, 1.5, anchor: Point(x: 0.3, y: 0.3))
        #expect(near(harness.factor, 6))
        #expect(near(scenePoint(at: Point(x: 0.3, y: 0.3), in: harness.model.snapshot), held))
    }

    /// Steps are merged, not dropped, however long the lens takes; nor did the edge keep them out.
    @Test mutating func stepsAddUpWhileTheLensIsBusy() {
        harness = ZoomHarness(opticalMax: 2, lens: FakeLens(latency: .milliseconds(200)))
        harness.zoom(to: 4)
        harness.run(.seconds(1))
        harness.zoom(to: 1.9)
        harness.run(.milliseconds(10))
        harness.zoom(to: 4)
        for _ in 0..<2 {
            harness.send(.look(.by(x: 0.1, y: 0)))
            #expect(harness.lastAnswers == [ZoomAnswer(.done)])
        }
        harness.run(.seconds(1))
        #expect(near(middle, Point(x: 0.55, y: 0.5)))
    }

    // MARK: While somebody else turns the lens

    /// To look elsewhere doesn't stop it, and when it stands still, what is wanted is what is.
    @Test(arguments: [1.2, 3]) mutating func theLensStaysTheirs(end: Double) {
        harness = ZoomHarness(opticalMax: 4)
        harness.zoom(to: 2)
        harness.moveLens(to: 2.2, moving: true)
        harness.send(.look(.by(x: 0.1, y: 0)))
        harness.moveLens(to: end)
        #expect(harness.factor == end)
        #expect(harness.states.last?.zoom.target == end)
        #expect(harness.lens.requests == [2])
    }

    /// It passes by where it is asked to be: that is no reason to let it go on.
    @Test mutating func aCommandForWhereItPassesByHoldsIt() {
        harness = ZoomHarness(opticalMax: 4)
        harness.moveLens(to: 2, moving: true)
        let ticket = harness.zoom(to: 2)
        #expect(harness.lens.requests == [2])
        #expect(harness.statuses(ticket) == [.done])
        #expect(harness.factor == 2)
    }

    @Test mutating func itCarriesNoRampOutOfTheRange() {
        harness = ZoomHarness(.init(range: ZoomRange(min: 1.5, max: 8), opticalMax: 4))
        harness.restore(2)
        harness.moveLens(to: 3, moving: true)
        harness.zoom(to: 5, rate: 1)
        harness.moveLens(to: 1, moving: true)
        #expect(harness.factor >= 1.5)
        harness.run(.seconds(2))
        #expect(near(harness.factor, 5))
    }

    /// A report that comes while the lens is being written to moves the edge of the frame: what fingers take hold of is what is seen.
    @Test mutating func fingersHoldWhatIsSeenWhileTheLensIsBusy() {
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
