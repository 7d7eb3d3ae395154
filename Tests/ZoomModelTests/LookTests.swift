import Testing
import ZoomModel

/// Looking elsewhere in the frame.
struct LookTests {
    var bench = Bench()

    private var middle: Point { scenePoint(at: .middle, in: bench.model.snapshot) }

    @Test mutating func aPointOfTheViewComesToItsMiddle() {
        bench.zoom(to: 4)
        let wanted = scenePoint(at: Point(x: 0.7, y: 0.2), in: bench.model.snapshot)
        let count = bench.states.count
        bench.send(.look(.at(Point(x: 0.7, y: 0.2))))
        #expect(near(middle, wanted))
        #expect(bench.factor == 4)
        #expect(bench.states.count == count + 1)
        #expect(bench.lastAnswers == [ZoomAnswer(.done)])
    }

    @Test mutating func stepsAreInWidthsOfTheView() {
        bench.zoom(to: 4)
        for _ in 0..<3 { bench.send(.look(.by(x: 0.25, y: -0.5))) }
        #expect(near(middle, Point(x: 0.6875, y: 0.125)))
        #expect(near(bench.model.snapshot.viewport.x, 0.5625))
    }

    @Test mutating func theEdgeStopsItAndTheAnswerSaysSo() {
        bench.zoom(to: 2)
        bench.send(.look(.by(x: 3, y: 0)))
        #expect(near(middle, Point(x: 0.75, y: 0.5)))
        #expect(bench.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        bench.send(.look(.by(x: -0.5, y: 0)))
        #expect(near(middle, .middle), "what the edge kept out is forgotten")
        bench.zoom(to: 1)
        bench.send(.look(.by(x: 0.5, y: 0.5)))
        #expect(near(middle, .middle))
    }

    @Test mutating func aRampGoesOn() {
        let ramp = bench.zoom(to: 8, rate: 1)
        bench.run(.seconds(1))
        bench.send(.look(.by(x: 0.2, y: 0)))
        let seen = middle
        bench.run(.seconds(2))
        #expect(bench.factor == 8)
        #expect(bench.statuses(ramp) == [.done])
        #expect(near(middle, seen), "the ramp keeps the new middle")
    }

    @Test mutating func aPinchGoesOnWithWhatItSeesThen() {
        bench.zoom(to: 4)
        bench.pinch(.began, anchor: Point(x: 0.3, y: 0.3))
        bench.send(.look(.by(x: 0.4, y: 0.4)), by: "tablet")
        let held = scenePoint(at: Point(x: 0.3, y: 0.3), in: bench.model.snapshot)
        bench.pinch(.changed, 1.5, anchor: Point(x: 0.3, y: 0.3))
        #expect(near(bench.factor, 6))
        #expect(near(scenePoint(at: Point(x: 0.3, y: 0.3), in: bench.model.snapshot), held))
    }

    /// Steps are merged, not dropped, however long the lens takes; nor did the edge keep them out.
    @Test mutating func stepsAddUpWhileTheLensIsBusy() {
        bench = Bench(opticalMax: 2, lens: FakeLens(latency: .milliseconds(200)))
        bench.zoom(to: 4)
        bench.run(.seconds(1))
        bench.zoom(to: 1.9)
        bench.run(.milliseconds(10))
        bench.zoom(to: 4)
        for _ in 0..<2 {
            bench.send(.look(.by(x: 0.1, y: 0)))
            #expect(bench.lastAnswers == [ZoomAnswer(.done)])
        }
        bench.run(.seconds(1))
        #expect(near(middle, Point(x: 0.55, y: 0.5)))
    }

    // MARK: While somebody else turns the lens

    /// To look elsewhere doesn't stop it, and when it stands still, what is wanted is what is.
    @Test(arguments: [1.2, 3]) mutating func theLensStaysTheirs(end: Double) {
        bench = Bench(opticalMax: 4)
        bench.zoom(to: 2)
        bench.moveLens(to: 2.2, moving: true)
        bench.send(.look(.by(x: 0.1, y: 0)))
        bench.moveLens(to: end)
        #expect(bench.factor == end)
        #expect(bench.states.last?.zoom.target == end)
        #expect(bench.lens.requests == [2])
    }

    /// It passes by where it is asked to be: that is no reason to let it go on.
    @Test mutating func aCommandForWhereItPassesByHoldsIt() {
        bench = Bench(opticalMax: 4)
        bench.moveLens(to: 2, moving: true)
        let ticket = bench.zoom(to: 2)
        #expect(bench.lens.requests == [2])
        #expect(bench.statuses(ticket) == [.done])
        #expect(bench.factor == 2)
    }

    @Test mutating func itCarriesNoRampOutOfTheRange() {
        bench = Bench(.init(range: ZoomRange(min: 1.5, max: 8), opticalMax: 4))
        bench.restore(2)
        bench.moveLens(to: 3, moving: true)
        bench.zoom(to: 5, rate: 1)
        bench.moveLens(to: 1, moving: true)
        #expect(bench.factor >= 1.5)
        bench.run(.seconds(2))
        #expect(near(bench.factor, 5))
    }

    /// A report that comes while the lens is being written to moves the edge of the frame: what fingers take hold of is what is seen.
    @Test mutating func fingersHoldWhatIsSeenWhileTheLensIsBusy() {
        bench = Bench(opticalMax: 2, lens: FakeLens(latency: .milliseconds(200)))
        bench.zoom(to: 3)
        bench.run(.seconds(1))
        bench.zoom(to: 1.5)
        bench.run(.seconds(1))
        bench.zoom(to: 3, anchor: Point(x: 0, y: 0))
        bench.moveLens(to: 1.9)
        let anchor = Point(x: 0.5, y: 0.5)
        let held = scenePoint(at: anchor, in: bench.model.snapshot)
        #expect(near(bench.model.center, held))
    }
}
