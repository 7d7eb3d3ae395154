import TestSupport
import Testing
import ZoomModel

/// The guarantees of the contract hold for any events of several controllers in any order.
///
/// ``PropertyChecker`` compares each event with what the contract makes expect. A failure prints the seed
/// that repeats it and the shrunk list of events.
struct PropertyTests {
    @Test(arguments: PropertyLens.all, PropertyRun.seeds)
    func theGuaranteesHold(lens: PropertyLens, seed: UInt64) {
        if let failure = PropertyRun.failure(seed: seed, lens: lens) { Issue.record("\(failure)") }
    }

    /// Fingers that return to where they began restore the zoom, whatever happened before and between.
    @Test(arguments: PropertyLens.all, PropertyRun.seeds)
    func returningFingersRestoreTheZoom(lens: PropertyLens, seed: UInt64) {
        var traffic = PropertyTraffic(seed: seed, opticalMax: lens.opticalMax)
        var random = SeededGenerator(seed: seed)
        var checker = PropertyChecker(lens)
        for _ in 0..<20 {
            guard checker.run(traffic.events(40)) == nil else { return }
            let before = checker.snapshot
            let mode: PinchSample.Mode = Bool.random(using: &random) ? .cumulative : .incremental
            var scales = (0..<30).map { _ in Double.random(in: 0.02...50, using: &random) }
            scales += [1]
            if mode == .incremental {
                // Incremental scales do not restore what the range cut off.
                let factor = before.factor
                scales = scales.map { lens.range.clamp(factor * $0) / factor }
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

    /// A cumulative pinch with the published scales of an incremental one has the same effect. (Lenses with
    /// slow writes are left out: with them, rounding decides whether a write is needed, and with it what
    /// later events find.)
    @Test(arguments: PropertyLens.all.filter { $0.isPrompt && $0.lens.step == 0 }, PropertyRun.seeds)
    func cumulativeAndIncrementalScalesAgree(lens: PropertyLens, seed: UInt64) {
        var traffic = PropertyTraffic(seed: seed, opticalMax: lens.opticalMax)
        let incremental = traffic.events(PropertyRun.length).map { event -> PropertyEvent in
            var event = event
            // The running pinch with the newest sample is the one of the event only if no two events have the
            // same time.
            event.pause += .microseconds(1)
            guard case .pinch(var sample) = event.kind else { return event }
            // Late samples are tested elsewhere. The scale of an end is not published.
            sample.sequence = nil
            if sample.phase == .ended { sample.scale = nil }
            // The cumulative scales of the traffic serve as incremental ones.
            sample.mode = .incremental
            event.kind = .pinch(sample)
            return event
        }
        // At this rate each sample is published. Otherwise rounding could decide which ones are left out.
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

    /// The published factors without repetitions: rounding may decide whether a factor is published twice.
    private func stops(_ published: [ZoomState]) -> [Double] {
        published.map(\.factor).reduce(into: []) { stops, factor in
            if stops.last.map({ !near($0, factor, within: 1e-6) }) ?? true { stops.append(factor) }
        }
    }

    private func agree(_ one: [Double], _ other: [Double]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { near($0, $1, within: 1e-6) }
    }

    /// The properties detect planted faults.
    @Test(arguments: PropertyFault.allCases, PropertyLens.all)
    func aPlantedFaultIsDetected(fault: PropertyFault, lens: PropertyLens) throws {
        // The speed of a moving lens does not depend on the rate of the ramp.
        if fault == .changesRampRates && lens.lens.speed > 0 { return }
        let failure = (1...5 as ClosedRange<UInt64>).lazy
            .compactMap { PropertyRun.failure(seed: $0, lens: lens, fault: fault) }.first
        let found = try #require(failure, "\(fault) is not detected in five runs with the lens \(lens)")
        #expect(fault.guarantees.contains(found.violation.guarantee), "\(found)")
        #expect(found.events.count <= 40, "\(found)")
    }
}
