/// The calls of a camera: which one its control thread gets next, and who waits for their results. Pure.
///
/// The thread has one job at a time, so that a stop of the lens waits for one other at most. A change of the
/// mode is made by the capture thread; with a sensor that crops, the control thread gets nothing meanwhile.
/// Each completion leaves this with its call.
struct CameraCalls {
    typealias ModeCompletion = (Result<CameraMode, CameraError>) -> Void
    typealias FrameCompletion = (Result<Frame, CameraError>) -> Void
    /// Controls that are to be set.
    typealias Setting = (
        values: [String: Control.Value], then: (Result<[Control], CameraError>) -> Void
    )

    /// A request for a frame that comes behind a change of the mode.
    struct HeldFrame: Equatable {
        let number: Int
        let after: ContinuousClock.Instant
    }

    /// What is to be done next.
    enum Step: Equatable {
        case run(ControlThread.Job)
        /// The oldest change of the mode, by the capture thread, and then the frames that come behind it.
        case change(CameraMode, then: [HeldFrame])
    }

    /// A change of the mode that is under way.
    enum ModeChange {
        case none
        /// The capture thread sets the device up. `cropChanges`: the control thread must not touch the crop.
        case changing(ModeCompletion, cropChanges: Bool)
        /// The device is in the new mode; the control thread takes over the lens as it is there, and reads
        /// the controls. `movesLens`: the lens could not stay where it was.
        case adopting(ModeCompletion, CameraMode, movesLens: Bool)
    }

    /// Settings of controls, or changes of the mode, that may wait at most.
    static let maxWaiting = 16

    private(set) var isThreadBusy = false
    private var lastWasLens = false
    /// The newest job of the lens.
    private var lensJob: ControlThread.Job?
    private var settings: [Setting] = []
    /// The one that the control thread has.
    private var setting: Setting?
    /// Changes of the mode that have not begun, in order.
    private var modes: [(mode: CameraMode, then: ModeCompletion)] = []
    var modeChange = ModeChange.none
    private var adoptionIsDue = false
    private var frames: [Int: FrameCompletion] = [:]
    private var lastFrame = 0
    /// Frames that were requested behind a change of the mode that has not begun.
    private var heldFrames: [HeldFrame] = []
    private var refreshIsDue = false
    /// The control that requests a key frame, if one is to be requested.
    private var keyFrameControl: UInt32?

    // MARK: Calls

    /// Replaces a job of the lens that still waits.
    mutating func add(lensJob job: ControlThread.Job) { lensJob = job }

    /// Returns false if too many wait already.
    mutating func add(_ setting: Setting) -> Bool {
        guard settings.count < Self.maxWaiting else { return false }
        settings.append(setting)
        return true
    }

    /// Returns false if too many wait already.
    mutating func add(_ mode: CameraMode, _ then: @escaping ModeCompletion) -> Bool {
        guard modes.count < Self.maxWaiting else { return false }
        modes.append((mode, then))
        return true
    }

    /// Returns the frame's number if it may be requested now: not while a change of the mode waits.
    mutating func addFrame(after time: ContinuousClock.Instant, _ then: @escaping FrameCompletion) -> Int? {
        lastFrame += 1
        frames[lastFrame] = then
        if modes.isEmpty { return lastFrame }
        heldFrames.append(HeldFrame(number: lastFrame, after: time))
        return nil
    }

    /// Has a key frame requested. One that waits is enough.
    mutating func addKeyFrame(_ control: UInt32) { keyFrameControl = control }

    mutating func addRefresh() { refreshIsDue = true }

    // MARK: Results

    /// The control thread has done its job.
    mutating func jobFinished() { isThreadBusy = false }

    /// Takes the setting that the control thread had.
    mutating func takeSetting() -> Setting? { setting.take() }

    mutating func takeFrame(_ number: Int) -> FrameCompletion? { frames.removeValue(forKey: number) }

    /// The capture thread has made a change of the mode; the control thread has to know the lens in it.
    mutating func modeChanged(to mode: CameraMode, movesLens: Bool) {
        guard case .changing(let then, _) = modeChange else { return }
        modeChange = .adopting(then, mode, movesLens: movesLens)
        adoptionIsDue = true
    }

    // MARK: The next step

    /// What is to be done now; nil: nothing, until something is added or finished. To be called until it
    /// returns nil.
    ///
    /// - Parameter lens: as it is now. A change of the mode changes its crop, if it has one.
    mutating func next(with lens: V4L2Lens) -> Step? {
        var mayChange = !modes.isEmpty
        switch modeChange {
        case .none: break
        case .changing(_, cropChanges: true): return nil
        case .changing, .adopting: mayChange = false
        }
        if isThreadBusy { return nil }
        let isStop = lensJob?.isStop ?? false
        // A stop comes first, but for a crop that is another one in the new mode.
        if adoptionIsDue, lens.crop != nil || !isStop {
            adoptionIsDue = false
            return run(.adopt(lens))
        }
        // A lens that is always on its way takes turns with the others.
        let othersWait = !settings.isEmpty || mayChange
        if let job = lensJob, isStop || !lastWasLens || !othersWait {
            lensJob = nil
            lastWasLens = true
            return run(job)
        }
        if mayChange {
            lastWasLens = false
            let next = modes.removeFirst()
            modeChange = .changing(next.then, cropChanges: lens.crop != nil)
            guard modes.isEmpty else { return .change(next.mode, then: []) }
            defer { heldFrames = [] }
            return .change(next.mode, then: heldFrames)
        }
        if !settings.isEmpty {
            lastWasLens = false
            let next = settings.removeFirst()
            setting = next
            return run(.set(next.values))
        }
        if let control = keyFrameControl.take() { return run(.forceKeyFrame(control)) }
        guard refreshIsDue else { return nil }
        refreshIsDue = false
        return run(.refresh)
    }

    private mutating func run(_ job: ControlThread.Job) -> Step {
        isThreadBusy = true
        return .run(job)
    }
}
