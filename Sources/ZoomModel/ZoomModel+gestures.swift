extension ZoomModel {
    /// Applies a message of a pinch.
    ///
    /// The base of a gesture is the zoom when it began. If something other than the gesture has changed the
    /// zoom or the view since its last sample, the gesture continues from the present zoom and view. A
    /// `changed` without `began` starts a gesture and leaves the zoom as it is.
    package mutating func apply(
        _ sample: PinchSample, ticket: Ticket, origin: Origin, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        var confined = sample
        confined.anchor = sample.anchor?.confined
        return apply(
            confined, of: Gesture.Key(client: origin.client, gesture: sample.gesture),
            clamped: confined.anchor != sample.anchor, ticket: ticket, origin: origin, at: now)
    }

    /// Applies a message of a touch, which lists the fingers that changed.
    ///
    /// One finger drags the view, two pinch around their midpoint. When the fingers that count change, the
    /// touch starts again from the present zoom and view.
    package mutating func apply(
        _ sample: TouchSample, ticket: Ticket, origin: Origin, at now: ContinuousClock.Instant
    ) -> [ZoomAction] {
        let key = Gesture.Key(client: origin.client, gesture: sample.gesture, isTouch: true)
        var tracker = trackers[key] ?? TouchTracker(aspect: settings.aspect)
        let isStale = tracker.isStale(sample)
        if isStale && !sample.touches.contains(where: { $0.phase == .ended || $0.phase == .cancelled }) {
            actions.append(.answer(ticket, ZoomAnswer(.superseded)))
            return takeActions()
        }
        let meaning = tracker.take(sample, isStale: isStale)
        if tracker.count > 0 { trackers[key] = tracker }
        let isOutside = sample.touches.contains { $0.place != $0.place.confined }
        return apply(meaning, of: key, clamped: isOutside, ticket: ticket, origin: origin, at: now)
    }

    /// - Parameter clamped: whether the anchor, or a finger that it is computed from, was clamped to the
    ///   view.
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
            // A late end still ends the gesture, but its values are out of date.
            (sample.scale, sample.anchor, sample.sequence) = (nil, nil, nil)
        }
        if known == nil && sample.phase.isLast {
            // The end of an unknown gesture, or of one that is over already, has no effect.
            actions.append(.answer(ticket, ZoomAnswer(.done)))
            return takeActions()
        }
        if let known, known.seenChange != changes, sample.phase.endsWithoutRevert,
            known.isRepeated(by: sample)
        {
            // Something else has changed the zoom: fingers that are lifted without having moved don't
            // interrupt it.
            remove(key)
            return finish(at: now) + [.answer(ticket, ZoomAnswer(.done))]
        }
        takeOver(origin)
        let before = motion
        if !isSettled && known?.seenChange != changes {
            // The gesture takes over from a ramp or a moving lens at the present factor.
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
        // The first sample drives the zoom only if it asks for another factor than the present one.
        let isBeyond = (known != nil || gesture.requested != factor) && follow(gesture)
        countChange(since: before)
        gesture.seenChange = changes
        store(gesture, after: sample.phase, isNew: known == nil)
        awaiting = Awaiting(ticket: ticket, clamped: clamped || isBeyond)
        return finish(at: now)
    }

    /// Ends the gestures that timed out.
    mutating func endSilentGestures(at now: ContinuousClock.Instant) {
        for gesture in gestures.values
        where gesture.lastSampleTime.advanced(by: settings.gestureTimeout) <= now {
            remove(gesture.key)
        }
    }

    /// Drives zoom and view to the targets of the gesture. Returns whether the requested factor was clamped.
    private mutating func follow(_ gesture: Gesture) -> Bool {
        target = settings.range.clamp(gesture.requested)
        hold = gesture.hold
        drive(to: target)
        return target != gesture.requested
    }

    private mutating func store(_ gesture: Gesture, after phase: PinchSample.Phase, isNew: Bool) {
        switch phase {
        case .began, .changed:
            if isNew && gestures[gesture.key] == nil && gestures.count >= Self.maxGestures,
                let oldest = gestures.values.min(by: { $0.lastSampleTime < $1.lastSampleTime })
            {
                remove(oldest.key)
            }
            gestures[gesture.key] = gesture
            if isNew { schedule.markGestureDue() }
            if phase == .began { schedule.markStateDue() } else { schedule.markSampleDue() }
        case .ended, .cancelled:
            remove(gesture.key)
        }
    }

    private mutating func remove(_ key: Gesture.Key) {
        trackers[key] = nil
        if gestures.removeValue(forKey: key) != nil { schedule.markGestureDue() }
        // The state after the last sample is always published.
        schedule.markStateDue()
    }
}
