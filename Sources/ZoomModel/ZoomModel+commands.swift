extension ZoomModel {
    /// Does what a controller asks.
    ///
    /// - Parameters:
    ///   - ticket: comes back with the answer, at once or later; see ``awaits(_:)``.
    ///   - origin: who asked.
    package mutating func apply(
        _ command: ZoomCommand, ticket: Ticket, origin: Origin, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        if case .look(let place) = command { return look(place, ticket: ticket, origin: origin, at: now) }
        takeOver(origin)
        let before = course
        let clamped: Bool
        switch command {
        case .go(let wanted, let rate, let anchor):
            clamped = go(to: wanted, rate: rate, anchor: anchor, at: now)
        case .show(let factor, let center, let rate):
            clamped = show(factor, center: center, rate: rate, at: now)
        case .move(let velocity, let timeout):
            clamped = move(velocity: velocity, timeout: timeout, at: now)
        case .stop:
            ramp = nil
            halt()
            clamped = false
        case .look: clamped = false
        }
        countChange(since: before)
        awaiting = Awaiting(ticket: ticket, clamped: clamped)
        pace.oweState()
        return finish(at: now)
    }

    private mutating func go(
        to wanted: ZoomCommand.Target, rate: Double?, anchor: Point?, at now: ContinuousClock.Instant
    ) -> Bool {
        let asked: Double
        switch wanted {
        case .factor(let factor): asked = factor
        case .position(let position): asked = settings.range.factor(at: position)
        case .by(let multiple): asked = target * multiple
        }
        target = settings.range.clamp(asked)
        let place = anchor?.confined
        hold = place.map { Hold(scene: framing.scenePoint(at: $0, factor: factor), anchor: $0) }
        let isSlowed = approach(at: rate, now)
        return isSlowed || target != asked || place != anchor
    }

    /// On the way there is one point of the scene, perhaps outside of the view, that stays where it is: round that the zoom goes, and so
    /// the view's middle goes straight to where it is to be.
    private mutating func show(
        _ wanted: Double, center wantedCenter: Point, rate: Double?, at now: ContinuousClock.Instant
    ) -> Bool {
        target = settings.range.clamp(wanted)
        // From far outside the scene, the way there could be longer than a Double can say.
        let center = wantedCenter.confined
        let shrinks = 1 / factor - 1 / target
        if rate != nil, abs(shrinks) > 1e-6 {
            let anchor = Point(
                x: 0.5 + (center.x - framing.center.x) / shrinks,
                y: 0.5 + (center.y - framing.center.y) / shrinks)
            hold = Hold(scene: framing.scenePoint(at: anchor, factor: factor), anchor: anchor)
        } else {
            hold = Hold(scene: center, anchor: .middle)
        }
        let isSlowed = approach(at: rate, now)
        return isSlowed || target != wanted || center != wantedCenter
    }

    /// Heads for the target, in octaves per second or at once. Returns whether the rate had to be another.
    private mutating func approach(at rate: Double?, _ now: ContinuousClock.Instant) -> Bool {
        let from = departure(at: now)
        ramp = nil
        guard let rate, target != from else {
            head(for: target)
            return false
        }
        let possible = min(max(rate, Ramp.rates.lowerBound), Ramp.rates.upperBound)
        begin(Ramp(from: from, to: target, rate: possible, start: now))
        return possible != rate
    }

    /// A move is a ramp to where it will have got when its time is over; another one, in time, carries it on.
    private mutating func move(velocity: Double, timeout: Duration, at now: ContinuousClock.Instant) -> Bool {
        let rate = min(abs(velocity), Ramp.rates.upperBound)
        let from = departure(at: now)
        ramp = nil
        guard rate >= Ramp.rates.lowerBound else {
            halt()
            return velocity != 0
        }
        hold = nil
        target = settings.range.clamp(
            Ramp.destination(from: from, velocity: velocity < 0 ? -rate : rate, after: timeout))
        if target != from {
            begin(Ramp(from: from, to: target, rate: rate, start: now, isHeld: true))
        } else {
            head(for: target)
        }
        return rate != abs(velocity)
    }

    /// Moves the view over the frame. Whoever zooms goes on with it: only what stays in place is another point from now on.
    private mutating func look(
        _ look: ZoomCommand.Look, ticket: Ticket, origin: Origin, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        self.origin = origin
        let before = course
        let place =
            switch look {
            case .at(let point): point
            case .by(let x, let y): Point(x: 0.5 + x, y: 0.5 + y)
            }
        let wanted = framing.scenePoint(at: place, factor: factor)
        hold = Hold(scene: wanted, anchor: .middle)
        // Also while the lens is being written to, or one step after another would begin at the same place.
        reframe()
        let isThere = abs(framing.center.x - wanted.x) < 1e-9 && abs(framing.center.y - wanted.y) < 1e-9
        // What the frame's edge keeps out isn't wanted any more either.
        hold = Hold(scene: framing.center, anchor: .middle)
        countChange(since: before)
        pace.oweState()
        let publications = finish(at: now)
        return publications + [.answer(ticket, ZoomAnswer(.done, clamped: !isThere))]
    }

    /// Where a new ramp goes on from: the zoom as it is, or where a ramp that is under way has got to by now; otherwise ramps
    /// that follow each other faster than they are carried on would get nowhere. A lens that lags behind its ramp is where it is.
    private func departure(at now: ContinuousClock.Instant) -> Double {
        if let ramp, !lens.isMoving { ramp.factor(at: now) } else { factor }
    }

    private mutating func begin(_ ramp: Ramp) {
        self.ramp = ramp
        lastTick = ramp.start
        aim = ramp.from
        isHalting = false
        if ramp.from != factor { head(for: ramp.from) }
    }
}
