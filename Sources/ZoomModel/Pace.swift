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
    /// - Parameters:
    ///   - isKnown: whether it is known what the camera is at. While it is being written to it isn't, and nothing is said.
    ///   - isPinched: whether there is a gesture, whose state then goes with each state of the zoom.
    mutating func publications(
        at now: ContinuousClock.Instant, settings: ZoomModel.Settings, isKnown: Bool, isPinched: Bool
    ) -> [ZoomAction] {
        var due: [ZoomAction] = []
        let sampleIsDue = sampleIsOwed && sampleDue(settings).map { $0 <= now } ?? true
        if isKnown && (stateIsOwed || sampleIsDue) {
            (stateIsOwed, sampleIsOwed, liveIsOwed) = (false, false, false)
            (lastState, lastLive) = (now, now)
            due.append(.publishState)
            if isPinched { oweGesture() }
        } else if isKnown && liveIsOwed && liveIsDue(at: now, settings) {
            liveIsOwed = false
            due.append(.publishLive)
        }
        if gestureIsOwed {
            gestureIsOwed = false
            due.append(.publishGesture)
        }
        return due
    }

    /// Whether a sample between two states is due. They are due at even intervals: one that waited for the next tick of a ramp
    /// doesn't put off those after it.
    private mutating func liveIsDue(at now: ContinuousClock.Instant, _ settings: ZoomModel.Settings) -> Bool {
        let interval = Duration.seconds(1 / settings.liveRate)
        let due = lastLive?.advanced(by: interval) ?? now
        if due > now { return false }
        lastLive = due.advanced(by: interval) > now ? due : now
        return true
    }
}
