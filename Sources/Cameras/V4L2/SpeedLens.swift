/// A lens that has a speed and no position. The control thread has driven it to its wide end; since then its
/// position is estimated by the clock.
struct SpeedLens: LensDriver {
    enum State: Equatable {
        case idle
        /// A request is not reported yet.
        case requested
        case stopping
    }

    /// Time between two reports of a lens that is on its way.
    static let reportInterval = Duration.milliseconds(33)

    let lens: V4L2Lens
    private(set) var state = State.idle
    /// Outside ``State/requested`` the factor to which it was driven last.
    private var goal = 1.0
    /// In (1), out (-1) or still (0), as the device has taken it.
    private var speed: Int64 = 0
    private var estimated: ConstantRateLens

    init(_ lens: V4L2Lens, _ speedControl: V4L2Lens.SpeedControl, at now: ContinuousClock.Instant) {
        self.lens = lens
        estimated = ConstantRateLens(speed: speedControl.rate, at: 1, now: now)
    }

    func optical(at now: ContinuousClock.Instant) -> Double { estimated.factor(at: now) }
    var isMoving: Bool { speed != 0 }
    var awaitsReport: Bool { state != .idle }

    mutating func request(_ optical: Double, at now: ContinuousClock.Instant) -> [LensAction] {
        (state, goal) = (.requested, optical)
        let here = estimated.factor(at: now)
        let wanted: Int64 = optical > here ? 1 : optical < here ? -1 : 0
        return wanted == speed
            ? finished(.turned(speed: wanted, nil), at: now) : [.run(.turn(wanted))]
    }

    mutating func stop(isThreadBusy: Bool, known: Int64?) -> [LensAction] {
        state = .stopping
        return [.run(.turn(0))]
    }

    mutating func finished(_ report: LensJobReport, at now: ContinuousClock.Instant) -> [LensAction] {
        guard case .turned(let taken, let error) = report else { return [] }
        if let error {
            if error == .unplugged { return [.deviceGone] }
            // The lens goes on as before, and so does the estimate.
            state = .idle
            return [.report(.failed(error))]
        }
        speed = taken
        var actions: [LensAction]
        if isMoving && state != .stopping {
            estimated.drive(to: goal, at: now)
            actions = [.wake(at: nextReport(after: now))]
        } else {
            estimated.stop(at: now)
            actions = [.wake(at: nil)]
        }
        let optical = estimated.factor(at: now)
        switch state {
        // The result of an earlier request: the stop comes behind it.
        case .stopping where isMoving: return actions
        case .stopping: actions.append(.report(.stopped(optical: optical)))
        case .requested: actions.append(.report(.written(optical: optical, moving: isMoving)))
        case .idle: actions.append(.report(.moved(optical: optical, moving: isMoving)))
        }
        state = .idle
        return actions
    }

    mutating func wake(at now: ContinuousClock.Instant) -> [LensAction] {
        guard isMoving, state == .idle else { return [] }
        if now >= estimated.arrival { return [.run(.turn(0))] }
        return [
            .wake(at: nextReport(after: now)),
            .report(.moved(optical: estimated.factor(at: now), moving: true)),
        ]
    }

    mutating func motorMoved(to raw: Int64, at now: ContinuousClock.Instant) -> [LensAction] { [] }

    mutating func cropChanged(_ crop: V4L2Lens.Crop?, factor: Double) -> [LensAction] { [] }

    private func nextReport(after now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        min(estimated.arrival, now.advanced(by: Self.reportInterval))
    }
}
