extension ZoomModel {
    /// Applies an event of the lens.
    package mutating func lensReported(
        _ event: LensEvent, at now: ZoomInstant
    ) -> [ZoomAction] {
        let before = motion
        if case .moved(let optical, let moving) = event, isSettled, moving || optical != lens.optical {
            takeOver(Origin(kind: .external))
            schedule.isStateDue = true
        }
        // A `viewport` command meanwhile does not end the external movement.
        let isExternal =
            origin.kind == .external || (lens.isMovedExternally && ramp == nil && !lens.awaitsReport)
        let request = lens.handle(event)
        if let request { actions.append(.driveLens(request)) }
        // The reported factor is valid even if a newer request follows immediately.
        let isKnown = request != nil || !lens.awaitsReport
        confineFactor()
        if isExternal {
            reframe()
            settleHere()
            countChange(since: before)
        } else if isHalting && lens.isStill {
            reframe()
            settleHere()
            // A gesture that started while the lens still moved continues from where the lens came to rest.
            changes += 1
        } else if isKnown {
            crop()
        } else {
            // The next gesture takes its anchor point from the view as it is seen now.
            reframe()
        }
        if isLedByGesture { schedule.isSampleDue = true } else { schedule.isLiveDue = true }
        return finish(at: now, isKnown: isKnown)
    }

    /// Changes the greatest factor of the lens, as another frame format can. The requested factor stays; its
    /// split between lens and crop is computed again.
    package mutating func lensReaches(
        _ opticalMax: Double, at now: ZoomInstant
    ) -> [ZoomAction] {
        settings.opticalMax = opticalMax
        lens.invalidate()
        if !isHalting { drive(to: setpoint) }
        return finish(at: now)
    }

    /// The lens was moved by hand or by another program, possibly during a ramp. As a newer command does,
    /// this supersedes the message that waits for the zoom.
    package mutating func lensTaken(to optical: Double, at now: ZoomInstant) -> [ZoomAction] {
        let before = motion
        ramp = nil
        if isSettled { return lensReported(.moved(optical: optical, moving: false), at: now) }
        // The report of the pending request has the position where the lens comes to rest. If the request
        // fails, the lens stays here.
        _ = lens.handle(.moved(optical: optical, moving: lens.isMoving))
        confineFactor()
        reframe()
        takeOver(Origin(kind: .external))
        halt()
        countChange(since: before)
        schedule.isStateDue = true
        return finish(at: now)
    }

    /// The last request to the lens failed. The zoom stays as it is.
    package mutating func lensFailed(at now: ZoomInstant) -> [ZoomAction] {
        lens.fail()
        ramp = nil
        settleHere()
        answerAwaiting(.failed)
        if isLedByGesture { schedule.isSampleDue = true } else { schedule.isStateDue = true }
        return finish(at: now)
    }

    /// Makes `origin` the source of the zoom. A message that still waits for the zoom is answered as
    /// superseded.
    mutating func takeOver(_ origin: Origin) {
        answerAwaiting(.superseded)
        self.origin = origin
    }

    private mutating func answerAwaiting(_ status: ZoomAnswer.Status) {
        guard let awaiting else { return }
        self.awaiting = nil
        actions.append(.answer(awaiting.ticket, ZoomAnswer(status, clamped: awaiting.clamped)))
    }

    /// Requests a factor: as much as possible from the lens, the rest by cropping.
    mutating func drive(to wanted: Double) {
        setpoint = wanted
        isHalting = false
        if let request = lens.request(lensPart(of: wanted)) { actions.append(.driveLens(request)) }
        // While a request to the lens is under way, the crop waits for its report, so that the picture
        // changes once.
        if !lens.awaitsReport { crop() }
    }

    /// Stops ramp and lens at the present factor.
    mutating func halt() {
        if lens.stop() { actions.append(.stopLens) }
        if lens.awaitsReport { isHalting = true } else { settleHere() }
    }

    /// An external movement of the lens does not take the factor out of the range.
    private mutating func confineFactor() {
        let confined = settings.range.clamp(factor)
        if confined != factor { digital = max(1, confined / lens.optical) }
    }

    /// Makes the present factor the target.
    private mutating func settleHere() {
        setpoint = factor
        target = factor
        hold = nil
        isHalting = false
    }

    private func lensPart(of factor: Double) -> Double {
        min(max(factor, 1), settings.opticalMax)
    }

    /// Sets the crop to what the lens does not provide, or will not provide when it has arrived.
    private mutating func crop() {
        let settled = max(1, setpoint / (lens.isStill ? lens.optical : lensPart(of: setpoint)))
        // A crop that the lens replaces shrinks only as fast as the lens moves, so that the factor does not
        // drop.
        digital = digital > settled ? min(digital, max(settled, setpoint / lens.optical)) : settled
        reframe()
    }

    mutating func reframe() {
        if let hold {
            framing.keep(hold, factor: factor, optical: lens.optical)
        } else {
            framing.confine(factor: factor, optical: lens.optical)
        }
    }

    /// Ends the handling of an event: publishes what is due, and answers the waiting message if the zoom has
    /// settled.
    ///
    /// - Parameter isKnown: whether the factor of the lens is known. Nil: it is unless a report is
    ///   outstanding.
    mutating func finish(at now: ZoomInstant, isKnown: Bool? = nil) -> [ZoomAction] {
        schedule.note(isSettled: isSettled, isLedByGesture: isLedByGesture)
        schedule.takePublications(
            at: now, settings: settings, isKnown: isKnown ?? !lens.awaitsReport, isPinched: isGestureRunning,
            to: &actions)
        if isSettled { answerAwaiting(.done) }
        return takeActions()
    }

    mutating func takeActions() -> [ZoomAction] {
        // Without actions, which is so after most samples, nothing is allocated.
        defer { actions = [] }
        return actions
    }
}
