/// The zoom of one camera: gestures, ramps, the split between lens and crop, and when states are published.
///
/// A pure state machine without clock, threads or I/O. Each event carries its time and returns the actions
/// that the caller has to carry out. Between events, ``wake`` is the time at which ``advance(to:)`` has to be
/// called.
///
/// It is not copyable, because a copy takes longer than most of what is read from it.
package struct ZoomModel: ~Copyable, Sendable {
    /// The limits and rates of one camera.
    package struct Settings: Sendable, Equatable {
        /// The factors that can be requested.
        package var range: ZoomRange
        /// The greatest factor of the lens (its least is 1). Greater factors are cropped. 1: the lens does
        /// not zoom.
        package var opticalMax: Double
        /// A gesture without a sample for this time is over.
        package var gestureTimeout: Duration
        /// Live samples per second while the zoom moves.
        package let liveRate: Double
        let liveInterval: Duration
        /// Steps of a ramp per second.
        let tickInterval: Duration
        /// Maximum number of states per second that a gesture causes.
        let stateInterval: Duration
        /// Width of the view divided by its height, both in pixels. Distances between fingers are computed in
        /// these proportions. Greater than 0.
        package var aspect: Double

        package init(
            range: ZoomRange, opticalMax: Double = 1, gestureTimeout: Duration = .seconds(2),
            liveRate: Double = 30,
            tickRate: Double = 60, stateRate: Double = 60, aspect: Double = 16.0 / 9
        ) {
            precondition(range.lowerBound >= 1 && range.upperBound.isFinite, "a zoom range is at least 1")
            precondition(aspect > 0 && aspect.isFinite, "an aspect ratio is greater than 0")
            self.range = range
            self.opticalMax = opticalMax
            self.gestureTimeout = gestureTimeout
            self.liveRate = liveRate
            // Here, because the conversion to a Duration takes longer than a comparison of times.
            liveInterval = .seconds(1 / liveRate)
            stateInterval = .seconds(1 / stateRate)
            tickInterval = .seconds(1 / tickRate)
            self.aspect = aspect
        }
    }

    /// Maximum number of running gestures. One more ends the gesture whose last sample is the oldest.
    static let maxGestures = 32

    package internal(set) var settings: Settings

    // The present state.
    var lens = Lens()
    var digital = 1.0
    var framing = Framing()

    // The requested state.
    /// The factor that was requested last, inside the range.
    package internal(set) var target: Double
    /// The factor to reach now; a ramp moves it towards the target.
    var setpoint: Double
    var hold: PinnedPoint?
    var ramp: Ramp?
    /// A stop was requested, and nothing was requested since: the factor at which it stops becomes the
    /// target.
    var isHalting = false
    var lastTick: ZoomInstant?
    /// The message that is answered when the zoom has settled.
    var awaiting: Awaiting?

    struct Awaiting: Sendable {
        let ticket: Ticket
        let clamped: Bool
    }

    // The running gestures, and the source of the last change.
    /// At most ``maxGestures``, and mostly one: it is found faster by comparing keys than by a hash.
    var gestures: [Gesture] = []
    /// The fingers of the gestures that are touches.
    var trackers: [Gesture.Key: TouchTracker] = [:]
    /// Counts the changes of the zoom and the view; see ``Gesture/seenChange``.
    var changes = 0
    var origin = Origin(kind: .restore)

    var schedule = PublicationSchedule()
    var actions: [ZoomAction] = []

    /// - Parameter optical: the present factor of the lens.
    package init(_ settings: Settings, optical: Double = 1) {
        self.settings = settings
        lens = Lens(at: optical)
        target = optical
        setpoint = optical
    }

    /// The present magnification.
    package var factor: Double { lens.optical * digital }

    /// Whether the zoom has reached its target and neither ramp nor lens moves.
    package var isSettled: Bool { ramp == nil && lens.isStill }

    /// Whether a pinch or a touch is running.
    package var isGestureRunning: Bool { !gestures.isEmpty }

    /// Whether a running gesture made the last change.
    var isLedByGesture: Bool { origin.kind == .gesture && !gestures.isEmpty }

    /// Whether a message still waits for its answer. The caller checks this after it has carried out the
    /// returned actions, and answers `accepted` if so.
    package func awaits(_ ticket: Ticket) -> Bool { awaiting?.ticket == ticket }

    /// Whether a value of the message that waits for its answer was clamped.
    package var awaitedIsClamped: Bool { awaiting?.clamped ?? false }

    /// The center of the view in the scene. Together with ``factor``, the input of
    /// ``restore(factor:center:at:)``.
    package var center: Point { framing.center }

    package var snapshot: ZoomState {
        ZoomState(
            factor: factor, target: target, ramping: !isSettled,
            velocity: ramp.flatMap { $0.isHeld ? $0.velocity : nil }, min: settings.range.lowerBound,
            max: settings.range.upperBound, position: settings.range.position(of: factor),
            optical: lens.optical, digital: digital,
            viewport: framing.viewport(optical: lens.optical, digital: digital), origin: origin)
    }

    /// The running pinch with the newest sample; its base is the one that the next sample will use.
    package var runningGesture: RunningGesture? { running { !$0.isTouch } }

    /// The same for touches.
    package var runningTouch: RunningGesture? { running(where: \.isTouch) }

    private func running(where isMeant: (Gesture.Key) -> Bool) -> RunningGesture? {
        gestures.filter { isMeant($0.key) }.max { $0.lastSampleTime < $1.lastSampleTime }.map {
            RunningGesture(
                gesture: $0.key.gesture, client: $0.key.client,
                base: $0.seenChange == changes ? $0.base : factor / $0.scale, scale: $0.scale,
                fingers: trackers[$0.key]?.count)
        }
    }

    /// When ``advance(to:)`` has to be called if no other event comes before. Nil: not at all.
    package var wake: ZoomInstant? {
        var next: ZoomInstant?
        func consider(_ instant: ZoomInstant?) {
            guard let instant else { return }
            next = next.map { min($0, instant) } ?? instant
        }
        if let ramp {
            let tick = (lastTick ?? ramp.start).advanced(by: settings.tickInterval)
            consider(min(tick, ramp.arrival))
        }
        // While a request to the lens is under way nothing is published; its report is an event of its own.
        if !lens.awaitsReport { consider(schedule.sampleDue(settings)) }
        for place in gestures.indices {
            consider(gestures[place].lastSampleTime.advanced(by: settings.gestureTimeout))
        }
        return next
    }

    /// Restores the zoom of an earlier run. Has to be called before any other event.
    package mutating func restore(
        factor: Double, center: Point, at now: ZoomInstant
    ) -> [ZoomAction] {
        origin = Origin(kind: .restore)
        target = settings.range.clamp(factor)
        hold = PinnedPoint(scene: center, anchor: .middle)
        // The first value that a driver reports may be older than a change made on the lens itself.
        if settings.opticalMax > 1 { lens.invalidate() }
        drive(to: target)
        schedule.isStateDue = true
        return finish(at: now)
    }

    /// Changes the aspect ratio of the view (width over height, in pixels) for the samples that follow.
    ///
    /// Running touches keep their scale, computed for the new proportions, so that the zoom does not jump.
    package mutating func setAspect(_ aspect: Double) {
        precondition(aspect > 0 && aspect.isFinite, "an aspect ratio is greater than 0")
        settings.aspect = aspect
        for key in Array(trackers.keys) { trackers[key]?.setAspect(aspect) }
    }

    /// Continues ramps, ends gestures that timed out, and publishes samples that are due.
    package mutating func advance(to now: ZoomInstant) -> [ZoomAction] {
        if let ramp {
            lastTick = now
            if now >= ramp.arrival {
                self.ramp = nil
                // The end of a move is published immediately, even if the lens still lags behind.
                if ramp.isHeld { schedule.isStateDue = true }
            }
            drive(to: ramp.factor(at: now))
        }
        endSilentGestures(at: now)
        return finish(at: now)
    }
}
