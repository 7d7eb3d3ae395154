import Testing
import ZoomModel

/// Whatever many controllers do, in whatever order: the guarantees of the contract hold.
///
/// ``PropertyChecker`` compares each step with what the contract leads one to expect. A failure prints the seed that repeats it and the
/// few events that are enough for it.
struct PropertyTests {
    @Test(arguments: PropertyLens.all, PropertyRun.seeds)
    func thePromisesHold(lens: PropertyLens, seed: UInt64) {
        if let failure = PropertyRun.failure(seed: seed, lens: lens) { Issue.record("\(failure)") }
    }

    /// Fingers that come back to where they began bring the zoom back, whatever came before and whatever was on the way.
    @Test(arguments: PropertyLens.all, PropertyRun.seeds)
    func outAndBackEndsWhereItBegan(lens: PropertyLens, seed: UInt64) {
        var traffic = PropertyTraffic(seed: seed, opticalMax: lens.opticalMax)
        var random = TrafficTests.Seeded(state: seed)
        var checker = PropertyChecker(lens)
        for _ in 0..<20 {
            guard checker.run(traffic.events(40)) == nil else { return }
            let before = checker.snapshot
            let mode: PinchSample.Mode = Bool.random(using: &random) ? .cumulative : .incremental
            var scales = (0..<30).map { _ in Double.random(in: 0.02...50, using: &random) }
            scales += [1]
            if mode == .incremental {
                // What the range cuts off, an incremental scale doesn't bring back.
                let factor = before.factor
                scales = scales.map { min(max(factor * $0, lens.range.min), lens.range.max) / factor }
            }
            let steps = zip(scales, [1] + scales).map { mode == .cumulative ? $0 : $0 / $1 }
            let anchor = Point(x: .random(in: 0...1, using: &random), y: .random(in: 0...1, using: &random))
            let samples =
                [PinchSample(gesture: "round", phase: .began, mode: mode, anchor: anchor)]
                + steps.map {
                    PinchSample(gesture: "round", phase: .changed, scale: $0, mode: mode, anchor: anchor)
                } + [PinchSample(gesture: "round", phase: .ended)]
            let events = samples.map {
                PropertyEvent(
                    client: "thumb", kind: .pinch($0),
                    pause: .milliseconds(Int.random(in: 0...60, using: &random)))
            }
            #expect(
                checker.run(events) == nil, "\(checker.violation?.description ?? "") V4L2MQTT_SEED=\(seed)")
            let isBack = near(checker.snapshot.factor, before.factor)
            #expect(isBack, "\(before) became \(checker.snapshot); V4L2MQTT_SEED=\(seed)")
            guard lens.opticalMax == 1 else { continue }
            let isSeen = near(
                scenePoint(at: .middle, in: checker.snapshot), scenePoint(at: .middle, in: before))
            #expect(isSeen, "\(before) became \(checker.snapshot); V4L2MQTT_SEED=\(seed)")
        }
    }

    /// An incremental pinch goes where a cumulative one goes whose scales are those that were published for it. (Where a write
    /// takes time, the last bit of a factor decides whether there is one, and with it what others find under way.)
    @Test(arguments: PropertyLens.all.filter { $0.isPrompt && $0.lens.step == 0 }, PropertyRun.seeds)
    func cumulativeAndIncrementalScalesAgree(lens: PropertyLens, seed: UInt64) {
        var traffic = PropertyTraffic(seed: seed, opticalMax: lens.opticalMax)
        let incremental = traffic.events(PropertyRun.length).map { event -> PropertyEvent in
            var event = event
            // The pinch that was heard last is the one of the event only if no two events have the same time.
            event.pause += .microseconds(1)
            guard case .pinch(var sample) = event.kind else { return event }
            // Late samples are another property. The scale of an end is not published.
            sample.sequence = nil
            if sample.phase == .ended { sample.scale = nil }
            // A cumulative scale of the traffic, out of place here, is as good a step as any other.
            sample.mode = .incremental
            event.kind = .pinch(sample)
            return event
        }
        // Each sample is published: which of them are left out depends on when the state before was, and that on a last bit.
        var (one, other) = (PropertyChecker(lens, stateRate: 1e6), PropertyChecker(lens, stateRate: 1e6))
        var cumulative = incremental
        let violation = one.run(incremental) { index, running in
            guard case .pinch(var sample) = cumulative[index].kind else { return }
            sample.mode = .cumulative
            if sample.scale != nil { sample.scale = running?.scale }
            cumulative[index].kind = .pinch(sample)
        }
        guard violation == nil, other.run(cumulative) == nil else { return }
        #expect(agree(stops(one.published), stops(other.published)), "V4L2MQTT_SEED=\(seed)")
    }

    /// The factors that were published, each once: whether a factor is said twice may depend on its last bit, as at the end of the range.
    private func stops(_ published: [ZoomSnapshot]) -> [Double] {
        published.map(\.factor).reduce(into: []) { stops, factor in
            if stops.last.map({ !near($0, factor, within: 1e-6) }) ?? true { stops.append(factor) }
        }
    }

    private func agree(_ one: [Double], _ other: [Double]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { near($0, $1, within: 1e-6) }
    }

    /// The properties are worth what they catch.
    @Test(arguments: PropertyFault.allCases, PropertyLens.all)
    func aPlantedFaultIsCaught(fault: PropertyFault, lens: PropertyLens) throws {
        // A lens that moves by itself is as slow as it is, whatever the ramp.
        if fault == .hurriesRamps && lens.lens.speed > 0 { return }
        let failure = (1...5 as ClosedRange<UInt64>).lazy
            .compactMap { PropertyRun.failure(seed: $0, lens: lens, fault: fault) }.first
        let found = try #require(failure, "\(fault) stays unseen in five runs with the lens \(lens)")
        #expect(fault.guarantees.contains(found.violation.guarantee), "\(found)")
        #expect(found.events.count <= 40, "\(found)")
    }
}
