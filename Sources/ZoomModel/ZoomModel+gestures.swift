extension ZoomModel {
    /// Takes in a message of a pinch.
    ///
    /// The base of a gesture is the zoom when it began. If something other than the gesture has changed the zoom or the
    /// view since its last sample, the gesture continues from the present zoom and view. A `changed` without `began`
    /// starts a gesture and leaves the zoom as it is.
    package mutating func apply(
        _ sample: PinchSample, ticket: Ticket, origin: Origin, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        var confined = sample
        confined.anchor = sample.anchor?.confined
        return apply(
            confined, of: Gesture.Key(client: origin.client, gesture: sample.gesture),
            clamped: confined.anchor != sample.anchor, ticket: ticket, origin: origin, at: now)
    }

    /// Takes in a message of a touch: fingers come one at a time, and only those that changed.
    ///
    /// One finger drags the view, two pinch round their midpoint. When their number changes, they start anew, with no jump.
    package mutating func apply(
        _ sample: TouchSample, ticket: Ticket, origin: Origin, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        let key = Gesture.Key(client: origin.client, gesture: sample.gesture, isTouch: true)
        var hand = hands[key] ?? Hand(aspect: settings.aspect)
        let isStale = hand.isStale(sample)
        if isStale && !sample.touches.contains(where: { $0.phase == .ended || $0.phase == .cancelled }) {
            actions.append(.answer(ticket, ZoomAnswer(.superseded)))
            return takeActions()
        }
        let meaning = hand.take(sample, isStale: isStale)
        if hand.count > 0 { hands[key] = hand }
        let isOutside = sample.touches.contains { $0.place != $0.place.confined }
        return apply(meaning, of: key, clamped: isOutside, ticket: ticket, origin: origin, at: now)
    }

    /// - Parameter clamped: whether fingers were outside of the view, and were taken back to its edge.
    private mutating func apply(
        _ sample: PinchSample, of key: Gesture.Key, clamped: Bool, ticket: Ticket, origin: Origin,
        at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        let known = sample.phase == .began ? nil : gestures[key]
        var sample = sample
        if let known, known.isStale(sample) {
            guard sample.phase.isLast else {
                actions.append(.answer(ticket, ZoomAnswer(.superseded)))
                return takeActions()
            }
            // That the gesture is over is true all the same; where the fingers were isn't any more.
            (sample.scale, sample.anchor, sample.sequence) = (nil, nil, nil)
        }
        if known == nil && sample.phase.isLast {
            // The end of a gesture that is over, or was never there: nobody's zoom is to be disturbed by it.
            actions.append(.answer(ticket, ZoomAnswer(.done)))
            return takeActions()
        }
        if let known, known.seenChange != changes, sample.phase.onlyLetsGo, known.isHeld(by: sample) {
            // Somebody else has the zoom by now: fingers that are lifted without having moved don't take it back.
            forget(key)
            return finish(at: now) + [.answer(ticket, ZoomAnswer(.done))]
        }
        takeOver(origin)
        let before = course
        if !isSettled && known?.seenChange != changes {
            // The fingers take the zoom as they find it, also in the middle of somebody's ramp.
            ramp = nil
            halt()
        }
        var gesture: Gesture
        if let known {
            gesture = known
            if gesture.seenChange != changes { gesture.rebase(factor: factor, framing: framing) }
            gesture.take(sample, factor: factor, framing: framing, in: settings.range, at: now)
        } else {
            gesture = Gesture(
                sample, key: key, factor: factor, framing: framing, in: settings.range, change: changes,
                at: now)
        }
        if case .cancelled(revert: true) = sample.phase { gesture.revert() }
        // Without a scale, a gesture that begins leaves the zoom as it is: driving it there could only cause a jump.
        let isBeyond = (known != nil || gesture.requested != factor) && follow(gesture)
        countChange(since: before)
        gesture.seenChange = changes
        keep(gesture, after: sample.phase, isNew: known == nil)
        awaiting = Awaiting(ticket: ticket, clamped: clamped || isBeyond)
        return finish(at: now)
    }

    /// Ends the gestures that fell silent: their fingers are gone, or their client is.
    mutating func endSilentGestures(at now: ContinuousClock.Instant) {
        for gesture in gestures.values
        where gesture.lastHeard.advanced(by: settings.gestureTimeout) <= now {
            forget(gesture.key)
        }
    }

    /// Brings the zoom to where the fingers are. Returns whether the requested factor was clamped.
    private mutating func follow(_ gesture: Gesture) -> Bool {
        target = settings.range.clamp(gesture.requested)
        hold = gesture.hold
        head(for: target)
        return target != gesture.requested
    }

    private mutating func keep(_ gesture: Gesture, after phase: PinchSample.Phase, isNew: Bool) {
        switch phase {
        case .began, .changed:
            if isNew && gestures[gesture.key] == nil && gestures.count >= Self.gesturesAtMost,
                let oldest = gestures.values.min(by: { $0.lastHeard < $1.lastHeard })
            {
                forget(oldest.key)
            }
            gestures[gesture.key] = gesture
            if isNew { pace.oweGesture() }
            if phase == .began { pace.oweState() } else { pace.oweSample() }
        case .ended, .cancelled:
            forget(gesture.key)
        }
    }

    private mutating func forget(_ key: Gesture.Key) {
        hands[key] = nil
        if gestures.removeValue(forKey: key) != nil { pace.oweGesture() }
        // The last sample is always told, and the state afterwards is the one to keep.
        pace.oweState()
    }
}
