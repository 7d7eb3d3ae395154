/// When states and live samples are due to be published.
struct PublicationSchedule: Equatable {
    private(set) var lastState: ZoomInstant?
    private(set) var lastLive: ZoomInstant?
    /// A change has to be published immediately.
    var isStateDue = false
    /// A sample of a gesture was applied since the last state; it is published at
    /// ``ZoomModel/Settings/stateInterval``.
    var isSampleDue = false
    /// The zoom has moved since the last live sample.
    var isLiveDue = false
    var isGestureDue = false
    /// Whether the zoom was settled after the last event.
    private var wasSettled = true

    /// Marks what follows from the zoom being settled or not: a live sample while it moves, a state when it
    /// has settled.
    ///
    /// - Parameter isLedByGesture: a gesture leads the zoom. That it settles between two samples causes no
    ///   state.
    mutating func note(isSettled: Bool, isLedByGesture: Bool) {
        if !isSettled { isLiveDue = true } else if !wasSettled && !isLedByGesture { isStateDue = true }
        wasSettled = isSettled
    }

    /// When a waiting sample of a gesture may be published.
    func sampleDue(_ settings: ZoomModel.Settings) -> ZoomInstant? {
        guard isSampleDue else { return nil }
        return lastState?.advanced(by: settings.stateInterval)
    }

    /// Appends what has to be published now to `due`.
    ///
    /// - Parameters:
    ///   - isKnown: whether the factor of the lens is known. If not, no state and no live sample is
    ///     published.
    ///   - isPinched: whether a gesture is running, whose state is then published with each state of the
    ///     zoom.
    mutating func takePublications(
        at now: ZoomInstant, settings: ZoomModel.Settings, isKnown: Bool, isPinched: Bool,
        to due: inout [ZoomAction]
    ) {
        let mayPublishSample = isSampleDue && sampleDue(settings).map { $0 <= now } ?? true
        if isKnown && (isStateDue || mayPublishSample) {
            (isStateDue, isSampleDue, isLiveDue) = (false, false, false)
            (lastState, lastLive) = (now, now)
            // An answer often follows.
            due.reserveCapacity(2)
            due.append(.publishState)
            if isPinched { isGestureDue = true }
        } else if isKnown && isLiveDue && takeLiveSlot(at: now, settings) {
            isLiveDue = false
            due.append(.publishLive)
        }
        if isGestureDue {
            isGestureDue = false
            due.append(.publishGesture)
        }
    }

    /// Whether a live sample is due. Due times have even intervals: a sample that waited for the next step of
    /// a ramp does not delay the following ones.
    private mutating func takeLiveSlot(at now: ZoomInstant, _ settings: ZoomModel.Settings)
        -> Bool
    {
        let interval = settings.liveInterval
        let due = lastLive?.advanced(by: interval) ?? now
        if due > now { return false }
        lastLive = due.advanced(by: interval) > now ? due : now
        return true
    }
}
