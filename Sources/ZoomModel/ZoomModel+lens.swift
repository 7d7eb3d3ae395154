extension ZoomModel {
    /// Takes in what became of the lens.
    package mutating func lensReported(
        _ report: LensReport, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        let wasStopping = lens.isStopping
        if case .moved = report, isSettled { takeOver(Origin(kind: .external)) }
        if let request = lens.take(report) { actions.append(.driveLens(request)) }
        if origin.kind == .external || (wasStopping && lens.isStill) {
            reframe()
            rest()
        } else {
            applyDigital()
        }
        if isGuided { pace.oweSample() } else { pace.oweLive() }
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
        pace.oweState()
        return finish(at: now)
    }

    /// Makes somebody the one who moves the zoom; whoever did before is told.
    mutating func takeOver(_ origin: Origin) {
        if let awaiting {
            self.awaiting = nil
            actions.append(.answer(awaiting.ticket, ZoomAnswer(.superseded, clamped: awaiting.clamped)))
        }
        self.origin = origin
        if origin.kind != .gesture { changes += 1 }
    }

    /// Wants a factor now: of the lens what it can do, the rest by cropping.
    mutating func head(for wanted: Double) {
        aim = wanted
        if let request = lens.wish(min(max(wanted, 1), settings.opticalMax)) {
            actions.append(.driveLens(request))
        }
        applyDigital()
    }

    /// Gives up what is wanted in favour of what is.
    mutating func halt() {
        if lens.stop() { actions.append(.stopLens) } else { rest() }
    }

    /// What is, is what is wanted.
    private mutating func rest() {
        aim = factor
        target = factor
        hold = nil
    }

    /// Crops for what the lens doesn't do. While the lens is being written to, the crop waits for it, so that the picture
    /// changes once.
    private mutating func applyDigital() {
        if lens.isUnsure { return }
        let optical = lens.isMoving ? min(max(aim, 1), settings.opticalMax) : lens.optical
        digital = max(1, aim / optical)
        reframe()
    }

    private mutating func reframe() {
        if let hold {
            framing.keep(hold, factor: factor, optical: lens.optical)
        } else {
            framing.confine(factor: factor, optical: lens.optical)
        }
    }

    /// Ends the handling of an event: publishes what is due, and answers who waited for the zoom to settle.
    mutating func finish(at now: ContinuousClock.Instant) -> [ZoomAction] {
        pace.note(isSettled: isSettled, isGuided: isGuided)
        actions += pace.publications(at: now, settings: settings, isBusy: lens.isUnsure)
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
