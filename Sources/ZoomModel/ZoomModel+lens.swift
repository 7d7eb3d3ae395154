extension ZoomModel {
    /// Takes in what became of the lens.
    package mutating func lensReported(
        _ report: LensReport, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        let before = course
        if case .moved(let optical, let moving) = report, isSettled, moving || optical != lens.optical {
            takeOver(Origin(kind: .external))
            pace.oweState()
        }
        // To look elsewhere meanwhile doesn't make the lens one's own.
        let isOthers = origin.kind == .external || (lens.isForeign && ramp == nil && !lens.isUnsure)
        let request = lens.take(report)
        if let request { actions.append(.driveLens(request)) }
        // The lens is where it says, also when something else is wanted of it by now.
        let isKnown = request != nil || !lens.isUnsure
        // Somebody else's lens doesn't carry the crop out of the range.
        if settings.range.clamp(factor) != factor {
            digital = max(1, settings.range.clamp(factor) / lens.optical)
        }
        if isOthers {
            reframe()
            rest()
            countChange(since: before)
        } else if isHalting && lens.isStill {
            reframe()
            rest()
            // Who took the zoom over while the lens still moved goes on from where it came to rest.
            changes += 1
        } else if isKnown {
            crop()
        } else {
            // What the next fingers take hold of has to be where it is seen.
            reframe()
        }
        if isGuided { pace.oweSample() } else { pace.oweLive() }
        return finish(at: now, isKnown: isKnown)
    }

    /// The lens reaches another factor by now, as in another format of the frames. What was wanted goes on to be, by lens and crop anew.
    package mutating func lensReaches(
        _ opticalMax: Double, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        settings.opticalMax = opticalMax
        lens.doubt()
        if !isHalting { head(for: aim) }
        return finish(at: now)
    }

    /// Somebody else has turned the lens, perhaps in the middle of a ramp: whoever asked for that is overtaken by a hand as by a newer
    /// command.
    package mutating func lensTaken(to optical: Double, at now: ContinuousClock.Instant) -> [ZoomAction] {
        let before = course
        ramp = nil
        if isSettled { return lensReported(.moved(optical: optical, moving: false), at: now) }
        // The report of the request that is under way tells where the lens comes to rest.
        takeOver(Origin(kind: .external))
        halt()
        countChange(since: before)
        pace.oweState()
        return finish(at: now)
    }

    /// The lens refused what it was last asked; the zoom stays as it is.
    package mutating func lensFailed(at now: ContinuousClock.Instant) -> [ZoomAction] {
        lens.fail()
        ramp = nil
        rest()
        if let awaiting {
            self.awaiting = nil
            actions.append(.answer(awaiting.ticket, ZoomAnswer(.failed, clamped: awaiting.clamped)))
        }
        if isGuided { pace.oweSample() } else { pace.oweState() }
        return finish(at: now)
    }

    /// Makes somebody the one who moves the zoom; whoever did before is told.
    mutating func takeOver(_ origin: Origin) {
        if let awaiting {
            self.awaiting = nil
            actions.append(.answer(awaiting.ticket, ZoomAnswer(.superseded, clamped: awaiting.clamped)))
        }
        self.origin = origin
    }

    /// Wants a factor now: of the lens what it can do, the rest by cropping.
    mutating func head(for wanted: Double) {
        aim = wanted
        isHalting = false
        if let request = lens.wish(lensPart(of: wanted)) { actions.append(.driveLens(request)) }
        // While the lens is being written to, the crop waits for it, so that the picture changes once.
        if !lens.isUnsure { crop() }
    }

    /// Gives up what is wanted in favour of what is.
    mutating func halt() {
        if lens.stop() { actions.append(.stopLens) }
        if lens.isUnsure { isHalting = true } else { rest() }
    }

    /// What is, is what is wanted.
    private mutating func rest() {
        aim = factor
        target = factor
        hold = nil
        isHalting = false
    }

    private func lensPart(of factor: Double) -> Double {
        min(max(factor, 1), settings.opticalMax)
    }

    /// Crops for what the lens doesn't do, or won't do once it is there.
    private mutating func crop() {
        let settled = max(1, aim / (lens.isStill ? lens.optical : lensPart(of: aim)))
        // A crop that is to give way to the lens does so as fast as the lens comes: the picture doesn't jump back meanwhile.
        digital = digital > settled ? min(digital, max(settled, aim / lens.optical)) : settled
        reframe()
    }

    mutating func reframe() {
        if let hold {
            framing.keep(hold, factor: factor, optical: lens.optical)
        } else {
            framing.confine(factor: factor, optical: lens.optical)
        }
    }

    /// Ends the handling of an event: publishes what is due, and answers who waited for the zoom to settle.
    ///
    /// - Parameter isKnown: whether it is known where the lens is; nil: it is, unless a report is outstanding.
    mutating func finish(at now: ContinuousClock.Instant, isKnown: Bool? = nil) -> [ZoomAction] {
        pace.note(isSettled: isSettled, isGuided: isGuided)
        actions += pace.publications(
            at: now, settings: settings, isKnown: isKnown ?? !lens.isUnsure, isPinched: !gestures.isEmpty)
        if isSettled, let awaiting {
            self.awaiting = nil
            actions.append(.answer(awaiting.ticket, ZoomAnswer(.done, clamped: awaiting.clamped)))
        }
        return takeActions()
    }

    mutating func takeActions() -> [ZoomAction] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }
}
