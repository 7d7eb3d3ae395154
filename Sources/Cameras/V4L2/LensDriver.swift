/// Drives a lens: requests, results and events in, actions out. Pure: it has no clock, no device and no
/// callbacks; the camera carries out the actions in order.
protocol LensDriver {
    /// The lens in the device's terms.
    var lens: V4L2Lens { get }
    /// The factor where the lens was last known to be.
    func optical(at now: ContinuousClock.Instant) -> Double
    var isMoving: Bool { get }
    /// A request or a stop that is not reported yet.
    var awaitsReport: Bool { get }

    /// Drives the lens to a factor.
    mutating func request(_ optical: Double, at now: ContinuousClock.Instant) -> [LensAction]

    /// Stops the lens where it is.
    ///
    /// - Parameters:
    ///   - isThreadBusy: the control thread may be setting the lens moving at this moment.
    ///   - known: the motor's value according to the last event.
    mutating func stop(isThreadBusy: Bool, known: Int64?) -> [LensAction]

    /// The control thread has done a job of the lens.
    mutating func finished(_ report: LensJobReport, at now: ContinuousClock.Instant) -> [LensAction]

    /// The time of the last ``LensAction/wake(at:)`` has come.
    mutating func wake(at now: ContinuousClock.Instant) -> [LensAction]

    /// The driver reports by an event that the motor is elsewhere.
    mutating func motorMoved(to raw: Int64, at now: ContinuousClock.Instant) -> [LensAction]

    /// The crop after a change of the mode: what it can do, and the factor that it has.
    mutating func cropChanged(_ crop: V4L2Lens.Crop?, factor: Double) -> [LensAction]
}

/// What the camera does for a ``LensDriver``.
enum LensAction: Equatable {
    /// Queues a job for the control thread; it replaces one of the lens that still waits.
    case run(ControlThread.Job)
    case report(LensReport)
    /// Calls ``LensDriver/wake(at:)`` at this time, and not at an earlier one that was set; nil: not at all.
    case wake(at: ContinuousClock.Instant?)
    /// The lens was read, or reported by an event, at this place.
    case place(LensPosition)
    /// Values of the motor from earlier events are out of date.
    case forgetMotorEvents
    /// The device is gone.
    case deviceGone
}

/// The result of a job that ``LensAction/run(_:)`` queued.
enum LensJobReport: Equatable {
    case driven(Result<LensPosition, CameraError>)
    case halted(Result<LensPosition, CameraError>)
    case polled(Result<LensPosition, CameraError>)
    case settled(Result<LensPosition, CameraError>)
    /// A lens without a position has this speed now, or the error and its former speed.
    case turned(speed: Int64, CameraError?)
}
