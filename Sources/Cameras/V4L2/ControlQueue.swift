/// Decides which job the control thread gets next. Pure: calls are known here by numbers.
///
/// The thread has one job at a time, so that a stop of the lens waits for one other at most. A change of the
/// mode is made by the capture thread; with a sensor that crops, the control thread gets nothing meanwhile.
struct ControlQueue {
    /// A change of the mode that is under way.
    enum ModeChangeProgress: Equatable {
        case none
        /// The capture thread sets the device up. `cropChanges`: the control thread must not touch the crop.
        case changing(cropChanges: Bool)
        /// The capture thread is done; the control thread takes over the lens as it is in the new mode.
        case adopting
    }

    /// What is to be done next.
    enum Step: Equatable {
        /// A job of the lens, the adoption of a new mode's lens, or a refresh.
        case run(ControlThread.Job)
        /// The setting of controls with this number.
        case set(Int)
        /// The oldest change of the mode, by the capture thread.
        case beginChange
    }

    private enum ThreadState { case idle, busy }

    /// Settings of controls, or changes of the mode, that may wait at most.
    static let maxWaiting = 16

    private var thread = ThreadState.idle
    private var lastWasLens = false
    private(set) var modeChange = ModeChangeProgress.none
    /// The newest job of the lens.
    private(set) var lensJob: ControlThread.Job?
    private var lensToAdopt: V4L2Lens?
    private(set) var settings: [Int] = []
    private(set) var changes = 0
    private var refreshIsDue = false
    /// The control that requests a key frame, if one is to be requested.
    private var keyFrameControl: UInt32?

    var isThreadBusy: Bool { thread == .busy }

    /// Replaces a job of the lens that still waits.
    mutating func add(lensJob job: ControlThread.Job) { lensJob = job }

    /// Returns false if too many wait already.
    mutating func add(setting number: Int) -> Bool {
        guard settings.count < Self.maxWaiting else { return false }
        settings.append(number)
        return true
    }

    /// Returns false if too many wait already.
    mutating func addModeChange() -> Bool {
        guard changes < Self.maxWaiting else { return false }
        changes += 1
        return true
    }

    /// Has a key frame requested. One that waits is enough.
    mutating func addKeyFrame(_ control: UInt32) { keyFrameControl = control }

    mutating func addRefresh() { refreshIsDue = true }

    /// The control thread has done its job.
    mutating func jobFinished() { thread = .idle }

    /// The capture thread has made a change of the mode; the control thread has to know the lens in it.
    mutating func modeChanged(to lens: V4L2Lens) {
        modeChange = .adopting
        lensToAdopt = lens
    }

    /// A change of the mode has ended: it was adopted, or it failed and everything is as before.
    mutating func modeChangeEnded() { modeChange = .none }

    /// What is to be done now; nil: nothing, until something is added or finished. To be called until it
    /// returns nil.
    ///
    /// - Parameter hasCrop: the lens has a crop, which a change of the mode changes.
    mutating func next(hasCrop: Bool) -> Step? {
        if thread == .busy || modeChange == .changing(cropChanges: true) { return nil }
        let isStop = lensJob?.isStop ?? false
        // A stop comes first, but for a crop that is another one in the new mode.
        if let lens = lensToAdopt, hasCrop || !isStop {
            lensToAdopt = nil
            return run(.adopt(lens))
        }
        // A lens that is always on its way takes turns with the others.
        let othersWait = !settings.isEmpty || (changes > 0 && modeChange == .none)
        if let job = lensJob, isStop || !lastWasLens || !othersWait {
            lensJob = nil
            lastWasLens = true
            return run(job)
        }
        if modeChange == .none && changes > 0 {
            lastWasLens = false
            changes -= 1
            modeChange = .changing(cropChanges: hasCrop)
            return .beginChange
        }
        if !settings.isEmpty {
            lastWasLens = false
            thread = .busy
            return .set(settings.removeFirst())
        }
        if let control = keyFrameControl {
            keyFrameControl = nil
            return run(.forceKeyFrame(control))
        }
        guard refreshIsDue else { return nil }
        refreshIsDue = false
        return run(.refresh)
    }

    private mutating func run(_ job: ControlThread.Job) -> Step {
        thread = .busy
        return .run(job)
    }
}
