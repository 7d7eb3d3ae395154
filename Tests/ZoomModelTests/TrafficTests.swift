import TestSupport
import Testing
import ZoomModel

/// A minute of random traffic from fixed seeds.
struct TrafficTests {
    private static let lenses = [
        FakeLens(), FakeLens(latency: .milliseconds(7)), FakeLens(latency: .milliseconds(130)),
        FakeLens(stopLatency: .milliseconds(30), speed: 1.5), FakeLens(step: 0.125),
        FakeLens(latency: .milliseconds(20), stopLatency: .milliseconds(5), speed: 6, step: 0.0625),
    ]

    @Test(arguments: lenses, [1, 2, 3] as [UInt64]) func randomTrafficKeepsTheZoomInBounds(
        lens: FakeLens, seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var harness = ZoomHarness(opticalMax: 2, lens: lens)
        var messages = 0
        while harness.time < .seconds(60) {
            messages += 1
            sendAnything(to: &harness, &random)
            check(harness)
            harness.run(pause(&random))
            check(harness)
        }
        // Per second: 60 steps of a ramp, 60 samples of a gesture, and a few timeouts.
        #expect(harness.wakes < 60 * 125 + messages)

        harness.run(.seconds(20))
        #expect(harness.model.isSettled)
        #expect(harness.model.wake == nil)
        #expect(harness.model.runningGesture == nil)
        #expect(
            harness.states.last?.zoom == harness.model.snapshot, "the last state is out of date")
        #expect(near(harness.lensFactor, harness.model.snapshot.optical))
        #expect(harness.answers.count == messages && harness.answers.values.allSatisfy { $0.count == 1 })
    }

    private func check(_ harness: ZoomHarness) {
        let zoom = harness.model.snapshot
        #expect(zoom.factor >= 1 && zoom.factor <= 8 * (1 + 1e-12))
        #expect(zoom.target >= 1 && zoom.target <= 8 * (1 + 1e-12))
        #expect(near(zoom.factor, zoom.optical * zoom.digital))
        #expect(zoom.viewport.x >= 0 && zoom.viewport.x + zoom.viewport.width <= 1 + 1e-12)
        #expect(zoom.viewport.y >= 0 && zoom.viewport.y + zoom.viewport.height <= 1 + 1e-12)
        #expect(0...1 ~= zoom.position)
    }

    private func pause(_ random: inout SeededGenerator) -> Duration {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: .zero
        case 4..<8: .microseconds(Int.random(in: 1...40_000, using: &random))
        default: .milliseconds(Int.random(in: 1...2500, using: &random))
        }
    }

    private func sendAnything(to harness: inout ZoomHarness, _ random: inout SeededGenerator) {
        let client: ClientIdentity =
            ["phone", "tablet", "script"].randomElement(using: &random) ?? "phone"
        let point = Point(x: .random(in: 0...1, using: &random), y: .random(in: 0...1, using: &random))
        let anchor = Bool.random(using: &random) ? point : nil
        let rate = Bool.random(using: &random) ? Double.random(in: 0.2...20, using: &random) : nil
        let scale = Double.random(in: 0.2...5, using: &random)
        let mode: PinchSample.Mode = Bool.random(using: &random) ? .cumulative : .incremental
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<2:
            harness.zoom(to: .random(in: 0.5...9, using: &random), rate: rate, anchor: anchor, by: client)
        case 2: harness.send(.go(ZoomGoal(.by(scale), rate: rate, anchor: anchor)), by: client)
        case 3: harness.send(.go(ZoomGoal(.position(point.x), rate: rate, anchor: anchor)), by: client)
        case 4: harness.send(.move(velocity: scale - 2.5, timeout: .milliseconds(700)), by: client)
        case 5: harness.send(.stop, by: client)
        case 6: harness.pinch(.began, anchor: anchor, by: client)
        case 7: harness.pinch(.ended, by: client)
        case 8: harness.pinch(.cancelled, revert: point.x < 0.5, by: client)
        default: harness.pinch(.changed, scale, mode: mode, anchor: anchor, by: client)
        }
    }
}
