extension ZoomModel {
    /// Applies a command of a controller.
    ///
    /// - Parameters:
    ///   - ticket: returned with the answer, in this call or later; see ``awaits(_:)``.
    ///   - origin: the sender.
    ///   - start: when a ramp of the command began; nil: now. It isn't later than now.
    package mutating func apply(
        _ command: ZoomCommand, ticket: Ticket, origin: Origin, at now: ZoomInstant,
        from start: ZoomInstant? = nil
    ) -> [ZoomAction] {
        if case .moveView(let place) = command {
            return moveView(place, ticket: ticket, origin: origin, at: now)
        }
        takeOver(origin)
        let before = motion
        let clamped: Bool
        switch command {
        case .go(let goal): clamped = go(to: goal, at: start ?? now)
        case .show(let factor, let center, let rate):
            clamped = show(factor, center: center, rate: rate, at: start ?? now)
        case .move(let velocity, let timeout):
            clamped = move(velocity: velocity, timeout: timeout, at: start ?? now)
        case .stop:
            ramp = nil
            halt()
            clamped = false
        case .moveView: clamped = false
        }
        countChange(since: before)
        awaiting = Awaiting(ticket: ticket, clamped: clamped)
        schedule.isStateDue = true
        return finish(at: now)
    }

    private mutating func go(to goal: ZoomGoal, at now: ZoomInstant) -> Bool {
        let requested =
            switch goal.target {
            case .factor(let factor): factor
            case .position(let position): settings.range.factor(at: position)
            case .by(let multiple): target * multiple
            }
        target = settings.range.clamp(requested)
        let place = goal.anchor?.confined
        hold = place.map { PinnedPoint(scene: framing.scenePoint(at: $0, factor: factor), anchor: $0) }
        let isSlowed = approach(at: goal.rate, now)
        return isSlowed || target != requested || place != goal.anchor
    }

    /// With a rate, the zoom is anchored at the one point of the scene, possibly outside the view, that has
    /// the same place in the view before and after. The center of the view then moves on a straight line.
    private mutating func show(
        _ wanted: Double, center wantedCenter: Point, rate: Double?, at now: ZoomInstant
    ) -> Bool {
        target = settings.range.clamp(wanted)
        // A center far outside the scene could overflow the anchor below.
        let center = wantedCenter.confined
        let shrinks = 1 / factor - 1 / target
        if rate != nil, abs(shrinks) > 1e-6 {
            let anchor = Point(
                x: 0.5 + (center.x - framing.center.x) / shrinks,
                y: 0.5 + (center.y - framing.center.y) / shrinks)
            hold = PinnedPoint(scene: framing.scenePoint(at: anchor, factor: factor), anchor: anchor)
        } else {
            hold = PinnedPoint(scene: center, anchor: .middle)
        }
        let isSlowed = approach(at: rate, now)
        return isSlowed || target != wanted || center != wantedCenter
    }

    /// Moves to the target at a rate in octaves per second, or without a ramp. Returns whether the rate was
    /// clamped.
    private mutating func approach(at rate: Double?, _ now: ZoomInstant) -> Bool {
        let from = rampStart(at: now)
        ramp = nil
        guard let rate, !isNear(target, from) else {
            drive(to: target)
            return false
        }
        let possible = min(max(rate, Ramp.rates.lowerBound), Ramp.rates.upperBound)
        begin(Ramp(from: from, to: target, rate: possible, start: now))
        return possible != rate
    }

    /// A move is a ramp to the factor at the end of its timeout. Another move before that renews it.
    private mutating func move(velocity: Double, timeout: Duration, at now: ZoomInstant) -> Bool {
        let rate = min(abs(velocity), Ramp.rates.upperBound)
        let from = rampStart(at: now)
        ramp = nil
        guard rate >= Ramp.rates.lowerBound else {
            halt()
            return velocity != 0
        }
        hold = nil
        target = settings.range.clamp(
            Ramp.destination(from: from, velocity: velocity < 0 ? -rate : rate, after: timeout))
        if !isNear(target, from) {
            begin(Ramp(from: from, to: target, rate: rate, start: now, isHeld: true))
        } else {
            drive(to: target)
        }
        return rate != abs(velocity)
    }

    /// Moves the view within the frame. A running ramp continues, and keeps the new center of the view in
    /// place.
    private mutating func moveView(
        _ move: ZoomCommand.ViewMove, ticket: Ticket, origin: Origin, at now: ZoomInstant
    ) -> [ZoomAction] {
        self.origin = origin
        let before = motion
        let place =
            switch move {
            case .at(let point): point
            case .by(let x, let y): Point(x: 0.5 + x, y: 0.5 + y)
            }
        let wanted = framing.scenePoint(at: place, factor: factor)
        hold = PinnedPoint(scene: wanted, anchor: .middle)
        // Not deferred while a request to the lens is under way: otherwise successive steps would start at
        // the same place.
        reframe()
        let isThere = abs(framing.center.x - wanted.x) < 1e-9 && abs(framing.center.y - wanted.y) < 1e-9
        // The part of the step that the edge of the frame cut off is dropped.
        hold = PinnedPoint(scene: framing.center, anchor: .middle)
        countChange(since: before)
        schedule.isStateDue = true
        let publications = finish(at: now)
        return publications + [.answer(ticket, ZoomAnswer(.done, clamped: !isThere))]
    }

    /// Start of a new ramp: the present factor or, during a ramp, the factor of that ramp at this time.
    /// Otherwise ramps that follow each other faster than the tick rate would make no progress. If the lens
    /// lags behind, its factor counts.
    private func rampStart(at now: ZoomInstant) -> Double {
        if let ramp, !lens.isMoving { ramp.factor(at: now) } else { factor }
    }

    private mutating func begin(_ ramp: Ramp) {
        self.ramp = ramp
        lastTick = ramp.start
        setpoint = ramp.from
        isHalting = false
        if ramp.from != factor { drive(to: ramp.from) }
    }
}
