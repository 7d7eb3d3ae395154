extension ZoomModel {
    /// Applies a message of a pinch.
    ///
    /// The base of a gesture is the zoom when it began. If something other than the gesture has changed the
    /// zoom or the view since its last sample, the gesture continues from the present zoom and view. A
    /// `changed` without `began` starts a gesture and leaves the zoom as it is.
    package mutating func apply(
        _ sample: PinchSample, ticket: Ticket, origin: Origin, at now: ZoomInstant
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
        _ sample: TouchSample, ticket: Ticket, origin: Origin, at now: ZoomInstant
    ) -> [ZoomAction] {
        let key = Gesture.Key(client: origin.client, gesture: sample.gesture, isTouch: true)
        var tracker = trackers[key] ?? TouchTracker(aspect: settings.aspect)
        let isStale = tracker.isStale(sample)
        if isStale && !sample.touches.contains(where: { $0.phase == .ended || $0.phase == .cancelled }) {
            return takeActions() + [.answer(ticket, ZoomAnswer(.superseded))]
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
        at now: ZoomInstant
    ) -> [ZoomAction] {
        let known = sample.phase == .began ? nil : place(of: key)
        let isStale = known.map { gestures[$0].isStale(sample) } ?? false
        if isStale && !sample.phase.isLast {
            return takeActions() + [.answer(ticket, ZoomAnswer(.superseded))]
        }
        var sample = sample
        // A late end still ends the gesture, but its values are out of date.
        if isStale { (sample.scale, sample.anchor, sample.sequence) = (nil, nil, nil) }
        if known == nil && sample.phase.isLast {
            // The end of an unknown gesture, or of one that is over already, has no effect.
            return takeActions() + [.answer(ticket, ZoomAnswer(.done))]
        }
        /// Whether nothing but this gesture has changed the zoom since its last sample.
        let isUndisturbed = known.map { gestures[$0].seenChange == changes } ?? false
        if let known, !isUndisturbed, sample.endsWithoutRevert, gestures[known].isRepeated(by: sample) {
            // Fingers that are lifted without having moved don't interrupt what has changed it.
            remove(key)
            return finish(at: now) + [.answer(ticket, ZoomAnswer(.done))]
        }
        takeOver(origin)
        let before = motion
        if !isSettled && !isUndisturbed {
            // The gesture takes over from a ramp or a moving lens at the present factor.
            ramp = nil
            halt()
        }
        let place: Int
        if let known {
            place = known
            if !isUndisturbed { gestures[place].rebase(factor: factor, framing: framing) }
            gestures[place].take(sample, factor: factor, framing: framing, in: settings.range, at: now)
        } else {
            place = begin(
                Gesture(
                    sample, key: key, factor: factor, framing: framing, in: settings.range, change: changes,
                    at: now))
        }
        if sample.revert { gestures[place].revert() }
        // The first sample drives the zoom only if it asks for another factor than the present one.
        let requested = gestures[place].requested
        let isBeyond =
            (known != nil || requested != factor) && follow(to: requested, holding: gestures[place].hold)
        countChange(since: before)
        gestures[place].seenChange = changes
        switch sample.phase {
        case .began: schedule.isStateDue = true
        case .changed: schedule.isSampleDue = true
        case .ended, .cancelled:
            remove(key)
            schedule.isStateDue = true
        }
        awaiting = Awaiting(ticket: ticket, clamped: clamped || isBeyond)
        return finish(at: now)
    }

    // By index: an element that is passed to a closure is copied.
    private func place(of key: Gesture.Key) -> Int? { gestures.indices.first { gestures[$0].key == key } }

    /// Adds a gesture, in the place of a running one with its key. Returns its place.
    private mutating func begin(_ gesture: Gesture) -> Int {
        schedule.isGestureDue = true
        if let place = place(of: gesture.key) {
            gestures[place] = gesture
            return place
        }
        if gestures.count >= Self.maxGestures,
            let oldest = gestures.min(by: { $0.lastSampleTime < $1.lastSampleTime })
        {
            remove(oldest.key)
        }
        gestures.append(gesture)
        return gestures.count - 1
    }

    /// Ends the gestures of all clients but one, and leaves the zoom where it is.
    package mutating func endGestures(except client: ClientIdentity?, at now: ZoomInstant) -> [ZoomAction] {
        for gesture in gestures where gesture.key.client != client { remove(gesture.key) }
        return finish(at: now)
    }

    /// Ends the gestures that timed out.
    mutating func endSilentGestures(at now: ZoomInstant) {
        for gesture in gestures where gesture.lastSampleTime.advanced(by: settings.gestureTimeout) <= now {
            remove(gesture.key)
        }
    }

    /// Drives zoom and view to the targets of a gesture. Returns whether the requested factor was clamped.
    private mutating func follow(to requested: Double, holding point: PinnedPoint) -> Bool {
        target = settings.range.clamp(requested)
        hold = point
        drive(to: target)
        return target != requested
    }

    private mutating func remove(_ key: Gesture.Key) {
        trackers[key] = nil
        if let place = place(of: key) {
            gestures.remove(at: place)
            schedule.isGestureDue = true
        }
        // The state after the last sample is published at once.
        if schedule.isSampleDue { schedule.isStateDue = true }
    }
}
