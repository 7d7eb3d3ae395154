/// What one camera's zoom does: gestures, ramps, the split between lens and crop, and who is told when.
///
/// A pure state machine. Each event comes with its time and returns what is to be done; there is no clock, no thread and
/// no I/O in here. Between events the caller asks ``wake`` when to call ``advance(to:)``.
package struct ZoomModel: Sendable {
    /// What doesn't change while the camera runs.
    package struct Settings: Sendable, Equatable {
        /// The factors that may be asked for.
        package var range: ZoomRange
        /// The lens's longest factor (its shortest is 1); what is beyond is cropped. 1: no lens that zooms.
        package var opticalMax: Double
        /// After so long without a sample, a gesture is over.
        package var gestureTimeout: Duration
        /// Samples between two states, per second.
        package var liveRate: Double
        /// How often a ramp is carried on, per second.
        package var tickRate: Double
        /// States per second that a gesture causes at the most.
        package var stateRate: Double
        /// Width of the view divided by its height, both in pixels. Distances between fingers are computed in
        /// these proportions. Greater than 0.
        package var aspect: Double

        package init(
            range: ZoomRange, opticalMax: Double = 1, gestureTimeout: Duration = .seconds(2),
            liveRate: Double = 30,
            tickRate: Double = 60, stateRate: Double = 60, aspect: Double = 16.0 / 9
        ) {
            precondition(aspect > 0 && aspect.isFinite, "an aspect ratio is greater than 0")
            self.range = range
            self.opticalMax = opticalMax
            self.gestureTimeout = gestureTimeout
            self.liveRate = liveRate
            self.tickRate = tickRate
            self.stateRate = stateRate
            self.aspect = aspect
        }
    }

    /// Gestures that are kept in mind at once; beyond, the one that was silent for longest is forgotten.
    static let gesturesAtMost = 32

    package internal(set) var settings: Settings

    // What the camera is at.
    var lens = Lens()
    var digital = 1.0
    var framing = Framing()

    // What is wanted of it.
    /// What was asked for.
    package internal(set) var target: Double
    /// What is wanted now, on the way to the target.
    var aim: Double
    var hold: Hold?
    var ramp: Ramp?
    /// The lens was told to stop, and nothing was wanted since: where it stops is what is wanted then.
    var isHalting = false
    var lastTick: ContinuousClock.Instant?
    /// The message that is answered once the zoom has settled.
    var awaiting: Awaiting?

    struct Awaiting: Sendable {
        let ticket: Ticket
        let clamped: Bool
    }

    // Who moves it.
    var gestures: [Gesture.Key: Gesture] = [:]
    /// The fingers behind those gestures that are touches.
    var hands: [Gesture.Key: Hand] = [:]
    /// Counts the changes of the zoom and the view; see ``Gesture/seenChange``.
    var changes = 0
    var origin = Origin(kind: .restore)

    var pace = Pace()
    var actions: [ZoomAction] = []

    /// - Parameter optical: where the lens is found.
    package init(_ settings: Settings, optical: Double = 1) {
        self.settings = settings
        lens = Lens(at: optical)
        target = optical
        aim = optical
    }

    /// What the picture is enlarged by.
    package var factor: Double { lens.optical * digital }

    /// Whether the camera is where it was last asked to be, and nothing is on its way.
    package var isSettled: Bool { ramp == nil && lens.isStill }

    /// Whether fingers lead the zoom now.
    var isGuided: Bool { origin.kind == .gesture && !gestures.isEmpty }

    /// Whether a message still waits for its answer. Whoever passed it in looks here after carrying out the actions that came
    /// back: what can't be done at once is answered as accepted.
    package func awaits(_ ticket: Ticket) -> Bool { awaiting?.ticket == ticket }

    /// Whether the awaited message's values were taken back into the range.
    package var awaitedIsClamped: Bool { awaiting?.clamped ?? false }

    /// The middle of the view in the scene; with ``factor``, what ``restore(factor:center:at:)`` wants.
    package var center: Point { framing.center }

    package var snapshot: ZoomSnapshot {
        ZoomSnapshot(
            factor: factor, target: target, ramping: !isSettled,
            velocity: ramp.flatMap { $0.isHeld ? $0.velocity : nil }, min: settings.range.min,
            max: settings.range.max,
            position: settings.range.position(of: factor), optical: lens.optical, digital: digital,
            viewport: framing.viewport(optical: lens.optical, digital: digital), origin: origin)
    }

    /// The pinch that was heard last, if any is under way, as it would go on.
    package var runningGesture: RunningGesture? { running { !$0.isTouch } }

    /// The same of touches.
    package var runningTouch: RunningGesture? { running(where: \.isTouch) }

    private func running(where isMeant: (Gesture.Key) -> Bool) -> RunningGesture? {
        gestures.values.filter { isMeant($0.key) }.max { $0.lastHeard < $1.lastHeard }.map {
            RunningGesture(
                gesture: $0.key.gesture, client: $0.key.client,
                base: $0.seenChange == changes ? $0.base : factor / $0.scale, scale: $0.scale,
                fingers: hands[$0.key]?.count)
        }
    }

    /// When ``advance(to:)`` is to be called, if nothing happens before.
    package var wake: ContinuousClock.Instant? {
        var next: ContinuousClock.Instant?
        func consider(_ instant: ContinuousClock.Instant?) {
            guard let instant else { return }
            next = next.map { min($0, instant) } ?? instant
        }
        if let ramp {
            let tick = (lastTick ?? ramp.start).advanced(by: .seconds(1 / settings.tickRate))
            consider(min(tick, ramp.arrival))
        }
        // While the camera is being written to nothing is said; the report of it comes by itself.
        if !lens.isUnsure { consider(pace.sampleDue(settings)) }
        for gesture in gestures.values {
            consider(gesture.lastHeard.advanced(by: settings.gestureTimeout))
        }
        return next
    }

    /// Takes up where an earlier run left the camera. To be called before anything else.
    package mutating func restore(
        factor: Double, center: Point, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        origin = Origin(kind: .restore)
        target = settings.range.clamp(factor)
        hold = Hold(scene: center, anchor: .middle)
        // What a driver says at first may be what it knew before somebody turned the lens.
        if settings.opticalMax > 1 { lens.doubt() }
        head(for: target)
        pace.oweState()
        return finish(at: now)
    }

    /// Changes the aspect ratio of the view (width over height, in pixels) for the samples that follow.
    ///
    /// Running touches keep their scale, computed for the new proportions, so that the zoom does not jump.
    package mutating func setAspect(_ aspect: Double) {
        precondition(aspect > 0 && aspect.isFinite, "an aspect ratio is greater than 0")
        settings.aspect = aspect
        for key in Array(hands.keys) { hands[key]?.setAspect(aspect) }
    }

    /// Carries on with what takes time: ramps, gestures that fell silent, samples that are due.
    package mutating func advance(to now: ContinuousClock.Instant) -> [ZoomAction] {
        if let ramp {
            lastTick = now
            if now >= ramp.arrival {
                self.ramp = nil
                // A lens may lag behind; that nobody holds a button any more is said all the same.
                if ramp.isHeld { pace.oweState() }
            }
            head(for: ramp.factor(at: now))
        }
        endSilentGestures(at: now)
        return finish(at: now)
    }
}
