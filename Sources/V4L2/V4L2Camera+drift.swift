internal import Cameras
internal import LoopThread

/// A lens that has no position, only a speed. It began at its wide end; since then, where it is is reckoned by the clock.
extension V4L2Camera {
    private static let tickEvery = Duration.milliseconds(33)

    func drift(to optical: Double) {
        guard let reckoned else { return }
        driftGoal = optical
        isDriving = true
        let here = reckoned.factor(at: loop.now)
        let wanted: Int64 = optical > here ? 1 : optical < here ? -1 : 0
        if wanted == speed { return turned(wanted, nil) }
        wantedLens = .turn(wanted)
        nextJob()
    }

    func stopDrift() {
        isStopping = true
        isDriving = false
        wantedLens = .turn(0)
        nextJob()
    }

    /// The lens has taken a speed, or refused it.
    func turned(_ now: Int64, _ error: CameraError?) {
        if error == .unplugged { return lose() }
        if let error {
            // It goes on as it did; where that is, the clock knows.
            (isDriving, isStopping) = (false, false)
            return lensReported(.failed(error))
        }
        speed = now
        let time = loop.now
        if speed != 0 && !isStopping {
            reckoned?.drive(to: driftGoal, at: time)
            tick(at: time)
        } else {
            reckoned?.stop(at: time)
            driftTimer.cancel()
        }
        isMoving = speed != 0
        let place = reckoned?.factor(at: time) ?? 1
        if isStopping {
            isStopping = speed != 0
            if !isStopping { lensReported(.stopped(optical: place)) }
        } else if isDriving {
            isDriving = false
            lensReported(.written(optical: place, moving: isMoving))
        } else {
            lensReported(.moved(optical: place, moving: isMoving))
        }
    }

    func driftTicked() {
        guard let reckoned, isMoving, !isDriving, !isStopping else { return }
        let time = loop.now
        if time >= reckoned.arrival {
            wantedLens = .turn(0)
            return nextJob()
        }
        tick(at: time)
        lensReported(.moved(optical: reckoned.factor(at: time), moving: true))
    }

    private func tick(at time: ContinuousClock.Instant) {
        guard let reckoned else { return }
        driftTimer.set(at: min(reckoned.arrival, time.advanced(by: Self.tickEvery)))
    }
}
