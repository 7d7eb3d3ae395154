/// When the state, and samples between two states, are due to be published.
struct Pace: Equatable {
    private(set) var lastState: ContinuousClock.Instant?
    private(set) var lastLive: ContinuousClock.Instant?
    /// Something happened that everybody has to know at once.
    private(set) var stateIsOwed = false
    /// A sample of a gesture was applied since the last state.
    private(set) var sampleIsOwed = false
    /// The zoom is on its way since the last sample.
    private(set) var liveIsOwed = false
    private(set) var gestureIsOwed = false
    /// Whether the zoom was at rest after the last event.
    private var wasSettled = true

    /// Notes whether the zoom is at rest: that it came to rest, everybody has to know; that it is under way, by samples.
    ///
    /// - Parameter isGuided: fingers lead it. To rest between two of their samples is nothing to tell: their end is.
    mutating func note(isSettled: Bool, isGuided: Bool) {
        if !isSettled { oweLive() } else if !wasSettled && !isGuided { oweState() }
        wasSettled = isSettled
    }

    mutating func oweState() { stateIsOwed = true }
    mutating func oweSample() { sampleIsOwed = true }
    mutating func oweLive() { liveIsOwed = true }
    mutating func oweGesture() { gestureIsOwed = true }

    /// When a sample that waits may be published.
    func sampleDue(_ settings: ZoomModel.Settings) -> ContinuousClock.Instant? {
        guard sampleIsOwed else { return nil }
        return lastState?.advanced(by: .seconds(1 / settings.stateRate))
    }

    /// What is to be published now.
    ///
    /// - Parameter isBusy: the camera is being written to; what it will be at isn't known, so nothing is said.
    mutating func publications(
        at now: ContinuousClock.Instant, settings: ZoomModel.Settings, isBusy: Bool
    ) -> [ZoomAction] {
        var due: [ZoomAction] = []
        if gestureIsOwed {
            gestureIsOwed = false
            due.append(.publishGesture)
        }
        if isBusy { return due }
        let sampleIsDue = sampleIsOwed && sampleDue(settings).map { $0 <= now } ?? true
        if stateIsOwed || sampleIsDue {
            (stateIsOwed, sampleIsOwed, liveIsOwed) = (false, false, false)
            (lastState, lastLive) = (now, now)
            due.append(.publishState)
        } else if liveIsOwed, lastLive.map({ $0.advanced(by: .seconds(1 / settings.liveRate)) <= now }) ?? true {
            liveIsOwed = false
            lastLive = now
            due.append(.publishLive)
        }
        return due
    }
}
