internal import Cameras
internal import LoopThread

/// The lens: it has one job at a time, and while a motor is on its way it is asked where it is.
extension V4L2Camera {
    /// How often a motor that is on its way is asked where it is, and how often it may say the same before it is taken to have stopped.
    private static let lookEvery = Duration.milliseconds(33)
    private static let sameAtMost = 30

    package func driveLens(to optical: Double) {
        guard !isLost else { return lensReported(.failed(.unplugged)) }
        if lens.drift != nil { return drift(to: optical) }
        wantedFactor = optical
        let goal = lens.goal(at: optical)
        // Between two steps of a lens there is nothing to be done.
        if goal == lastGoal {
            return lensReported(.written(optical: place.factor, moving: isMoving))
        }
        isDriving = true
        lastGoal = nil
        wantedGoal = goal
        lookTimer.cancel()
        if let motor = lens.motor { told[motor.control] = nil }
        wantedLens = .drive(goal)
        nextJob()
    }

    package func stopLens() {
        guard !isLost else { return lensReported(.failed(.unplugged)) }
        if lens.drift != nil { return stopDrift() }
        lookTimer.cancel()
        isStopping = true
        isDriving = false
        lastGoal = nil
        wantedLens = .halt(
            isMoving: isMoving || isControlBusy, known: lens.motor.flatMap { told[$0.control] })
        nextJob()
    }

    func driven(_ result: Result<LensPlace, CameraError>) {
        guard isDriving else { return }
        isDriving = false
        switch result {
        case .success(let now):
            note(now)
            isMoving = now.isShort
            lastGoal = wantedGoal
            // An event on the way is of no more use.
            if let motor = lens.motor { told[motor.control] = nil }
            timesTheSame = 0
            if isMoving { lookTimer.set(after: Self.lookEvery) }
            lensReported(.written(optical: place.factor, moving: isMoving))
        case .failure(.unplugged): lose()
        case .failure(let error):
            isMoving = false
            lensReported(.failed(error))
        }
    }

    func halted(_ result: Result<LensPlace, CameraError>) {
        guard isStopping else { return }
        isStopping = false
        isMoving = false
        switch result {
        case .success(let now):
            note(now)
            lensReported(.stopped(optical: place.factor))
        case .failure(.unplugged): lose()
        case .failure(let error): lensReported(.failed(error))
        }
    }

    func lookAgain() {
        guard wantedLens == nil else { return }
        wantedLens = .look
        nextJob()
    }

    func looked(_ result: Result<LensPlace, CameraError>) {
        guard isMoving, !isDriving, !isStopping else { return }
        switch result {
        case .success(let now):
            timesTheSame = now.raw == place.raw ? timesTheSame + 1 : 0
            isMoving = timesTheSame < Self.sameAtMost && now.raw != lastGoal?.raw
            note(now)
            if isMoving {
                lookTimer.set(after: Self.lookEvery)
            } else if now.raw != lastGoal?.raw {
                // It won't get there: the next wish is a new one, even if it is the same.
                lastGoal = nil
            }
            lensReported(.moved(optical: place.factor, moving: isMoving))
        case .failure(.unplugged): lose()
        case .failure(let error):
            isMoving = false
            lastGoal = nil
            lensReported(.failed(error))
        }
    }

    /// What the motor alone does.
    var motorFactor: Double {
        lens.motor.map { $0.calibration.factor(at: place.raw ?? $0.range.lowerBound) } ?? 1
    }

    private func note(_ now: LensPlace) {
        place = now
        description.optical = now.factor
        if let motor = lens.motor, let raw = now.raw { _ = map.note(raw, of: motor.control) }
    }

    /// The motor is elsewhere by somebody else's hand, or it tells of its own way.
    func motorMoved(to raw: Int64) {
        guard let motor = lens.motor, raw != place.raw else { return }
        // On its way it is between where it was and where it was sent.
        let way = [place.raw, lastGoal?.raw ?? wantedGoal?.raw].compactMap { $0 }
        let isOnItsWay = (way.min() ?? raw) <= raw && raw <= (way.max() ?? raw)
        let isOurs = (isDriving || isMoving) && isOnItsWay
        let crop = place.factor / motorFactor
        lastGoal = nil
        place.raw = raw
        place.factor = motor.calibration.factor(at: raw) * crop
        description.optical = place.factor
        // While we drive it ourselves, the reports of that say where it is.
        if !isOurs && !isStopping { lensReported(.taken(optical: place.factor)) }
    }
}
