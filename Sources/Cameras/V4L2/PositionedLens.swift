/// A lens that can be read: a motor that goes to a value, the sensor's crop, or both.
struct PositionedLens: LensDriver {
    enum State: Equatable {
        case still
        /// The motor is on its way; so many readings in a row were the same.
        case moving(sameReadings: Int)
        /// A request is not reported yet. `wasMoving`: an earlier movement may go on. `isDisturbed`: the
        /// motor was turned externally meanwhile.
        case requested(Double, wasMoving: Bool, isDisturbed: Bool)
        case stopping(wasMoving: Bool)
    }

    /// Time between two readings of a motor that is on its way.
    static let pollInterval = Duration.milliseconds(33)
    /// After so many equal readings (1 s) a motor counts as stopped.
    static let maxSameReadings = 30
    /// An event that comes so soon after a write may be of a turn before it. The host polls a USB
    /// camera for its events at least every 128 ms.
    static let overlapTime = Duration.milliseconds(200)

    private(set) var lens: V4L2Lens
    private(set) var place: LensPosition
    private(set) var state = State.still
    /// The goal of the last request.
    private var goal: V4L2Lens.Goal?
    /// The device has taken ``goal``, and neither another program nor a new mode has changed it since: the
    /// same goal needs no call.
    private var isGoalSet = false
    /// The last write of a request: where the motor was before and where it was sent, and when the result
    /// came. Nil once a turn was written again after it.
    private var lastWrite: (from: Int64?, to: Int64?, at: ContinuousClock.Instant)?

    init(_ lens: V4L2Lens, at place: LensPosition) { (self.lens, self.place) = (lens, place) }

    func optical(at now: ContinuousClock.Instant) -> Double { place.factor }

    var isMoving: Bool {
        switch state {
        case .still: false
        case .moving: true
        case .requested(_, let wasMoving, _), .stopping(let wasMoving): wasMoving
        }
    }

    var awaitsReport: Bool {
        switch state {
        case .requested, .stopping: true
        case .still, .moving: false
        }
    }

    mutating func request(_ optical: Double, at now: ContinuousClock.Instant) -> [LensAction] {
        let goal = lens.goal(at: optical)
        // Several factors can mean the same step of the motor and the same crop.
        if isGoalSet && goal == self.goal {
            return [.report(.written(optical: place.factor, moving: isMoving))]
        }
        state = .requested(optical, wasMoving: isMoving, isDisturbed: false)
        (self.goal, isGoalSet) = (goal, false)
        return [.wake(at: nil), .forgetMotorEvents, .run(.drive(goal))]
    }

    mutating func stop(isThreadBusy: Bool, known: Int64?) -> [LensAction] {
        let wasMoving = isMoving
        state = .stopping(wasMoving: wasMoving)
        isGoalSet = false
        return [.wake(at: nil), .run(.halt(isMoving: wasMoving || isThreadBusy, known: known))]
    }

    mutating func finished(_ report: LensJobReport, at now: ContinuousClock.Instant) -> [LensAction] {
        switch (report, state) {
        case (.driven(.success), .requested(let optical, let wasMoving, isDisturbed: true)):
            // Whether the turn or the write came last is unknown; after another write it is known.
            state = .requested(optical, wasMoving: wasMoving, isDisturbed: false)
            return goal.map { [.run(.drive($0))] } ?? []
        case (.driven(.success(let place)), .requested):
            lastWrite = (from: self.place.raw, to: goal?.raw, at: now)
            return driven(place, at: now) + [.report(.written(optical: place.factor, moving: isMoving))]
        case (.settled(.success(let place)), .still), (.settled(.success(let place)), .moving):
            lastWrite = nil
            return driven(place, at: now) + [.report(.moved(optical: place.factor, moving: isMoving))]
        case (.settled(.failure(.unplugged)), .still), (.settled(.failure(.unplugged)), .moving):
            return [.deviceGone]
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

    /// The device has taken the goal; the motor is there, or on its way.
    private mutating func driven(_ place: LensPosition, at now: ContinuousClock.Instant) -> [LensAction] {
        self.place = place
        state = place.isBeforeGoal ? .moving(sameReadings: 0) : .still
        isGoalSet = true
        let wake = isMoving ? now.advanced(by: Self.pollInterval) : nil
        return [.place(place), .forgetMotorEvents, .wake(at: wake)]
    }

    private mutating func polled(
        _ place: LensPosition, sameReadings: Int, at now: ContinuousClock.Instant
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

    mutating func wake(at now: ContinuousClock.Instant) -> [LensAction] {
        if case .moving = state { [.run(.poll)] } else { [] }
    }

    mutating func motorMoved(to raw: Int64, at now: ContinuousClock.Instant) -> [LensAction] {
        guard let motor = lens.motor, raw != place.raw else { return [] }
        let crop = place.factor / motorFactor
        let isOurs = isExpected(raw)
        let mayBeUndone = overlapsWithLastWrite(raw, at: now)
        isGoalSet = false
        place.raw = raw
        place.factor = motor.calibration.factor(at: raw) * crop
        if isOurs { return [.place(place)] }
        var actions = [LensAction.place(place)]
        if case .requested(let optical, let wasMoving, _) = state {
            state = .requested(optical, wasMoving: wasMoving, isDisturbed: true)
        } else if mayBeUndone {
            let goal = V4L2Lens.Goal(raw: raw)
            self.goal = goal
            actions.append(.run(.settle(goal)))
        }
        return actions + [.report(.taken(optical: place.factor))]
    }

    /// Whether a turn may have come before our last write, although its event came after it. Reading
    /// the control does not show that: a driver may return what was written last. So the lens is driven to
    /// where it was turned.
    private func overlapsWithLastWrite(_ raw: Int64, at now: ContinuousClock.Instant) -> Bool {
        guard state == .still, let lastWrite, now < lastWrite.at.advanced(by: Self.overlapTime) else {
            return false
        }
        // A motor may report values on its way to where it was sent.
        return !isBetween(raw, lastWrite.from, lastWrite.to)
    }

    private func isBetween(_ raw: Int64, _ a: Int64?, _ b: Int64?) -> Bool {
        let ends = [a, b].compactMap { $0 }
        return (ends.min() ?? raw) <= raw && raw <= (ends.max() ?? raw)
    }

    /// Whether an event is explained by our own request: the motor is between where it was and where it was
    /// sent.
    private func isExpected(_ raw: Int64) -> Bool {
        switch state {
        case .still: false
        case .moving, .requested: isBetween(raw, place.raw, goal?.raw)
        // The report of the stop has its position.
        case .stopping: true
        }
    }

    mutating func cropChanged(_ crop: V4L2Lens.Crop?, factor: Double) -> [LensAction] {
        let before = (crop: lens.crop, factor: place.factor)
        lens.crop = crop
        place.factor = motorFactor * factor
        if before.crop != crop || before.factor != place.factor { isGoalSet = false }
        var actions = [LensAction.place(place)]
        // While a mode with another crop is set, requests wait in the queue: this one gets the new mode's
        // goal.
        if case .requested(let optical, _, _) = state {
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
