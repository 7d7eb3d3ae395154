import TestSupport
import ZoomModel

/// Planted faults that the properties have to detect.
enum PropertyFault: CaseIterable, Sendable {
    /// Cumulative scales are multiplied from sample to sample.
    case accumulatesScales
    /// A gesture keeps its base after another change of the zoom.
    case keepsItsBase
    /// Anchors are replaced by the center.
    case dropsAnchors
    /// The range is larger than documented.
    case ignoresTheRange
    /// Ramps have another rate.
    case changesRampRates
    /// Late samples are applied.
    case ignoresNumbers
    /// Lifted fingers are not noticed.
    case missesLiftedFingers
    /// Gestures never time out.
    case neverTimesOut
    /// Some states are not published.
    case dropsStates
    /// Some published states are out of date.
    case publishesTheStateBefore
    /// Some messages are not answered.
    case losesAnswers
    /// Some messages are answered twice.
    case answersTwice
    /// Viewport commands have no effect.
    case ignoresViewMoves
    /// The distance between two fingers is computed as in a square view.
    case ignoresTheAspect
    /// The distance is computed between places that are clamped to the view.
    case clampsDistances
    /// The scale of `began` is taken as the scale at the start.
    case ignoresTheFirstScale
    /// Incremental scales multiply the target before it is clamped.
    case keepsTheOvershoot
    /// Cumulative scales multiply the clamped target.
    case dropsTheOvershoot
    /// A command or a sample that changes nothing rebases the other pinches.
    case rebasesWithoutAChange

    /// The guarantees that the fault violates.
    var guarantees: Set<Guarantee> {
        switch self {
        case .accumulatesScales, .ignoresNumbers, .ignoresTheAspect, .clampsDistances: [.sample]
        case .keepsTheOvershoot, .dropsTheOvershoot, .rebasesWithoutAChange: [.sample]
        case .ignoresTheFirstScale: [.start]
        case .keepsItsBase: [.sample, .start]
        case .missesLiftedFingers, .neverTimesOut: [.sample, .start, .rest, .anchor]
        case .dropsAnchors, .ignoresViewMoves: [.anchor]
        case .ignoresTheRange: [.inRange, .sample, .start, .command]
        case .changesRampRates: [.ramp]
        case .dropsStates: [.publication]
        case .publishesTheStateBefore: [.publication]
        case .losesAnswers, .answersTwice: [.answers]
        }
    }
}

/// The model under test, with a fault or without.
struct PropertySubject {
    private let model: HeldModel
    private let fault: PropertyFault?
    private var count = 0
    private var sums: [String: Double] = [:]
    private var bases: [String: Double] = [:]
    /// The pinches that ``PropertyFault/rebasesWithoutAChange`` rebases.
    private var pinches: [String: RunningGesture] = [:]
    private var rebases: [String: Double] = [:]
    private var states: [ZoomState] = []

    init(_ settings: ZoomModel.Settings, fault: PropertyFault?) {
        var settings = settings
        if fault == .ignoresTheRange {
            settings.range = settings.range.lowerBound...(settings.range.upperBound * 1.01)
        }
        if fault == .ignoresTheAspect { settings.aspect = 1 }
        if fault == .neverTimesOut { settings.gestureTimeout = .seconds(3600) }
        model = HeldModel(ZoomModel(settings))
        self.fault = fault
    }

    var snapshot: ZoomState { model.snapshot }
    var isSettled: Bool { model.isSettled }
    var wake: ZoomInstant? { model.wake }
    var runningGesture: RunningGesture? { model.runningGesture }
    var isPinched: Bool { model.runningGesture != nil || model.runningTouch != nil }

    /// The state that is published now.
    mutating func publication() -> ZoomState {
        states = states.suffix(1) + [model.snapshot]
        count += 1
        switch fault {
        case .publishesTheStateBefore where count.isMultiple(of: 5): return states[0]
        default: return model.snapshot
        }
    }

    mutating func restore(at now: ZoomInstant) -> [ZoomAction] {
        corrupt(model.zoom.restore(factor: 1, center: .middle, at: now))
    }

    mutating func advance(to now: ZoomInstant) -> [ZoomAction] {
        corrupt(model.zoom.advance(to: now))
    }

    mutating func lensReported(_ report: LensEvent, at now: ZoomInstant) -> [ZoomAction] {
        corrupt(model.zoom.lensReported(report, at: now))
    }

    mutating func lensFailed(at now: ZoomInstant) -> [ZoomAction] {
        corrupt(model.zoom.lensFailed(at: now))
    }

    mutating func apply(
        _ command: ZoomCommand, ticket: Ticket, origin: Origin, at now: ZoomInstant
    ) -> [ZoomAction] {
        var command = command
        switch (fault, command) {
        case (.dropsAnchors, .go(var goal)):
            goal.anchor = .middle
            command = .go(goal)
        case (.changesRampRates, .go(var goal)):
            goal.rate = goal.rate.map { $0 * 1.02 }
            command = .go(goal)
        case (.ignoresViewMoves, .moveView): command = .moveView(.by(x: 0, y: 0))
        default: break
        }
        let before = model.snapshot
        let actions = model.zoom.apply(command, ticket: ticket, origin: origin, at: now)
        rebaseOthers(than: nil, since: before)
        return corrupt(actions)
    }

    /// Implements ``PropertyFault/rebasesWithoutAChange`` by changing the scales of later samples.
    private mutating func rebaseOthers(than key: String?, since before: ZoomState) {
        guard fault == .rebasesWithoutAChange, !before.ramping, !model.snapshot.ramping else { return }
        guard near(before.factor, model.factor), before.viewport == model.snapshot.viewport else { return }
        for (other, pinch) in pinches where other != key {
            rebases[other, default: 1] *= model.factor / (pinch.base * pinch.scale)
        }
    }

    private mutating func note(_ sample: PinchSample, _ key: String, by client: ClientIdentity?) {
        guard fault == .rebasesWithoutAChange else { return }
        if let running = model.runningGesture, running.gesture == sample.gesture, running.client == client,
            sample.mode == .cumulative
        {
            pinches[key] = running
        } else {
            pinches[key] = nil
            rebases[key] = nil
        }
    }

    mutating func apply(
        _ sample: PinchSample, ticket: Ticket, origin: Origin, at now: ZoomInstant
    ) -> [ZoomAction] {
        let key = "\(origin.client?.name ?? "") \(sample.gesture)"
        var sample = sample
        switch fault {
        case .accumulatesScales where sample.phase == .began: sums[key] = 1
        case .accumulatesScales where sample.mode == .cumulative:
            sums[key, default: 1] *= sample.scale ?? 1
            if sample.scale != nil { sample.scale = sums[key] }
        case .keepsItsBase where sample.phase == .began:
            bases[key] = model.snapshot.factor
        case .keepsItsBase where sample.phase == .changed && sample.mode == .cumulative:
            if let base = bases[key], let scale = sample.scale {
                return corrupt(
                    model.zoom.apply(
                        .go(ZoomGoal(.factor(base * scale), anchor: sample.anchor)), ticket: ticket,
                        origin: origin, at: now))
            }
        case .dropsAnchors: sample.anchor = nil
        case .ignoresNumbers: sample.sequence = nil
        case .ignoresTheFirstScale where sample.phase == .began:
            sums[key] = sample.scale
            sample.scale = nil
        case .ignoresTheFirstScale where sample.mode == .cumulative:
            sample.scale = sample.scale.map { $0 / sums[key, default: 1] }
        case .keepsTheOvershoot where sample.phase == .began: sums[key] = sample.scale ?? 1
        case .keepsTheOvershoot where sample.mode == .incremental:
            sums[key, default: 1] *= sample.scale ?? 1
            sample.scale = sums[key]
            sample.mode = .cumulative
        case .dropsTheOvershoot where sample.phase == .began: sums[key] = sample.scale ?? 1
        case .dropsTheOvershoot where sample.mode == .cumulative:
            guard let last = sums[key], let scale = sample.scale else { break }
            sums[key] = scale
            sample.scale = scale / last
            sample.mode = .incremental
        case .rebasesWithoutAChange where sample.phase == .began: rebases[key] = nil
        case .rebasesWithoutAChange where sample.mode == .cumulative:
            sample.scale = sample.scale.map { $0 * rebases[key, default: 1] }
        default: break
        }
        let before = model.snapshot
        let actions = model.zoom.apply(sample, ticket: ticket, origin: origin, at: now)
        rebaseOthers(than: key, since: before)
        note(sample, key, by: origin.client)
        return corrupt(actions)
    }

    mutating func apply(
        _ sample: TouchSample, ticket: Ticket, origin: Origin, at now: ZoomInstant
    ) -> [ZoomAction] {
        var sample = sample
        if fault == .ignoresNumbers { sample.sequence = nil }
        if fault == .clampsDistances {
            sample.touches = sample.touches.map { touch in
                var touch = touch
                touch.place = Point(x: min(max(touch.place.x, 0), 1), y: min(max(touch.place.y, 0), 1))
                return touch
            }
        }
        if fault == .missesLiftedFingers { sample.touches.removeAll { $0.phase == .ended } }
        return corrupt(model.zoom.apply(sample, ticket: ticket, origin: origin, at: now))
    }

    private mutating func corrupt(_ actions: [ZoomAction]) -> [ZoomAction] {
        guard let fault else { return actions }
        return actions.flatMap { action -> [ZoomAction] in
            switch (fault, action) {
            case (.dropsStates, .publishState):
                count += 1
                return count.isMultiple(of: 5) ? [] : [action]
            case (.losesAnswers, .answer):
                count += 1
                return count.isMultiple(of: 7) ? [] : [action]
            case (.answersTwice, .answer):
                count += 1
                return count.isMultiple(of: 7) ? [action, action] : [action]
            default: return [action]
            }
        }
    }
}
