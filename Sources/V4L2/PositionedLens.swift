internal import Cameras

/// A lens that can be read: a motor that goes to a value, the sensor's crop, or both.
package struct PositionedLens: LensDriver {
    package enum State: Equatable {
        case still
        /// The motor is on its way; so many readings in a row were the same.
        case moving(sameReadings: Int)
        /// A request is not reported yet. `wasMoving`: an earlier movement may go on.
        case requested(Double, wasMoving: Bool)
        case stopping(wasMoving: Bool)
    }

    /// Time between two readings of a motor that is on its way.
    package static let pollInterval = Duration.milliseconds(33)
    /// After so many equal readings (1 s) a motor counts as stopped.
    package static let maxSameReadings = 30

    package private(set) var lens: V4L2Lens
    package private(set) var place: LensPlace
    package private(set) var state = State.still
    /// The goal of the last request.
    private var goal: V4L2Lens.Goal?
    /// The device has taken ``goal``, and neither another program nor a new mode has changed it since: the
    /// same goal needs no call.
    private var isGoalSet = false

    package init(_ lens: V4L2Lens, at place: LensPlace) { (self.lens, self.place) = (lens, place) }

    package func optical(at now: ContinuousClock.Instant) -> Double { place.factor }

    package var isMoving: Bool {
        switch state {
        case .still: false
        case .moving: true
        case .requested(_, let wasMoving), .stopping(let wasMoving): wasMoving
        }
    }

    package var awaitsReport: Bool {
        switch state {
        case .requested, .stopping: true
        case .still, .moving: false
        }
    }

    package mutating func request(_ optical: Double, at now: ContinuousClock.Instant) -> [LensAction] {
        let goal = lens.goal(at: optical)
        // Several factors can mean the same step of the motor and the same crop.
        if isGoalSet && goal == self.goal {
            return [.report(.written(optical: place.factor, moving: isMoving))]
        }
        state = .requested(optical, wasMoving: isMoving)
        (self.goal, isGoalSet) = (goal, false)
        return [.wake(at: nil), .forgetMotorEvents, .run(.drive(goal))]
    }

    package mutating func stop(isThreadBusy: Bool, known: Int64?) -> [LensAction] {
        let wasMoving = isMoving
        state = .stopping(wasMoving: wasMoving)
        isGoalSet = false
        return [.wake(at: nil), .run(.halt(isMoving: wasMoving || isThreadBusy, known: known))]
    }

    package mutating func finished(_ report: LensJobReport, at now: ContinuousClock.Instant) -> [LensAction] {
        switch (report, state) {
        case (.driven(.success(let place)), .requested):
            self.place = place
            state = place.isShort ? .moving(sameReadings: 0) : .still
            isGoalSet = true
            let wake = isMoving ? now.advanced(by: Self.pollInterval) : nil
            return [
                .place(place), .forgetMotorEvents, .wake(at: wake),
                .report(.written(optical: place.factor, moving: isMoving)),
            ]
        case (.halted(.success(let place)), .stopping):
            self.place = place
            state = .still
            return [.place(place), .report(.stopped(optical: place.factor))]
        case (.polled(.success(let place)), .moving(let count)):
            return polled(place, sameReadings: place.raw == self.place.raw ? count + 1 : 0, at: now)
        case (.driven(.failure(let error)), .requested), (.halted(.failure(let error)), .stopping),
            (.polled(.failure(let error)), .moving):
            // The owner answers what is pending when the device is gone.
            if error == .unplugged { return [.deviceGone] }
            state = .still
            isGoalSet = false
            return [.wake(at: nil), .report(.failed(error))]
        // The result of a job that a later request or stop made irrelevant.
        default: return []
        }
    }

    private mutating func polled(
        _ place: LensPlace, sameReadings: Int, at now: ContinuousClock.Instant
    ) -> [LensAction] {
        self.place = place
        let isThere = isGoalSet && place.raw == goal?.raw
        if !isThere && sameReadings < Self.maxSameReadings {
            state = .moving(sameReadings: sameReadings)
            return [
                .place(place), .wake(at: now.advanced(by: Self.pollInterval)),
                .report(.moved(optical: place.factor, moving: true)),
            ]
        }
        state = .still
        // A motor that does not get to its goal: the next request is a new one, even to the same goal.
        if !isThere { isGoalSet = false }
        return [.place(place), .report(.moved(optical: place.factor, moving: false))]
    }

    package mutating func wake(at now: ContinuousClock.Instant) -> [LensAction] {
        if case .moving = state { [.run(.poll)] } else { [] }
    }

    package mutating func motorMoved(to raw: Int64) -> [LensAction] {
        guard let motor = lens.motor, raw != place.raw else { return [] }
        let crop = place.factor / motorFactor
        let isOurs = isExpected(raw)
        isGoalSet = false
        place.raw = raw
        place.factor = motor.calibration.factor(at: raw) * crop
        return [.place(place)] + (isOurs ? [] : [.report(.taken(optical: place.factor))])
    }

    /// Whether an event is explained by our own request: the motor is between where it was and where it was
    /// sent.
    private func isExpected(_ raw: Int64) -> Bool {
        let way = [place.raw, goal?.raw].compactMap { $0 }
        let isOnItsWay = (way.min() ?? raw) <= raw && raw <= (way.max() ?? raw)
        switch state {
        case .still: return false
        case .moving, .requested: return isOnItsWay
        // The report of the stop has its position.
        case .stopping: return true
        }
    }

    package mutating func cropChanged(_ crop: V4L2Lens.Crop?, factor: Double) -> [LensAction] {
        let before = (crop: lens.crop, factor: place.factor)
        lens.crop = crop
        place.factor = motorFactor * factor
        if before.crop != crop || before.factor != place.factor { isGoalSet = false }
        var actions = [LensAction.place(place)]
        // While a mode with another crop is set, requests wait in the queue: this one gets the new mode's
        // goal.
        if case .requested(let optical, _) = state {
            let goal = lens.goal(at: optical)
            self.goal = goal
            actions.append(.run(.drive(goal)))
        }
        return actions
    }

    /// The motor's share of the factor.
    private var motorFactor: Double {
        lens.motor.map { $0.calibration.factor(at: place.raw ?? $0.range.lowerBound) } ?? 1
    }
}
