internal import Base

/// The lens: ``LensDriver`` decides, this carries out.
extension V4L2Camera {
    func driveLens(to optical: Double) {
        guard !isClosed else { return }
        perform(lens.request(optical, at: loop.now))
    }

    func stopLens() {
        guard !isClosed else { return }
        let known = lens.lens.motor.flatMap { readings.eventValue(of: $0.control) }
        perform(lens.stop(isThreadBusy: calls.isThreadBusy, known: known))
    }

    func wakeLens() { perform(lens.wake(at: loop.now)) }

    func perform(_ actions: [LensAction]) {
        for action in actions where !isClosed {
            switch action {
            case .run(let job): calls.add(lensJob: job)
            case .report(let report):
                description.optical = lens.optical(at: loop.now)
                callbacks.lensReported(report)
            case .wake(let time): lensTimer.set(at: time)
            case .place(let place):
                description.optical = place.factor
                if let motor = lens.lens.motor, let raw = place.raw {
                    readings.note(raw, of: motor.control)
                }
            case .forgetMotorEvents:
                if let motor = lens.lens.motor { readings.forgetEvents(of: motor.control) }
            case .deviceGone: deviceGone()
            }
        }
        runNext()
    }
}
