/// The completions of a camera's calls. Each leaves this with its call, so that it is called exactly once.
struct PendingRequests {
    typealias ControlsCompletion = (Result<[Control], CameraError>) -> Void
    typealias ModeCompletion = (Result<CameraMode, CameraError>) -> Void
    typealias FrameCompletion = (Result<Frame, CameraError>) -> Void

    /// A change of the mode.
    enum PendingModeChange {
        case none
        /// The capture thread sets the device up.
        case changing(ModeCompletion)
        /// The device is in the new mode; the controls in it are still to be read. `movesLens`: the lens
        /// could not stay where it was.
        case adopting(ModeCompletion, CameraMode, movesLens: Bool)
    }

    private var lastNumber = 0
    private var settings: [Int: (values: [String: Control.Value], then: ControlsCompletion)] = [:]
    private var frames: [Int: FrameCompletion] = [:]
    /// Changes of the mode that have not begun, in order.
    private(set) var modes: [(mode: CameraMode, then: ModeCompletion)] = []
    var modeChange = PendingModeChange.none
    /// Frames that were requested behind a change of the mode that has not begun.
    private(set) var heldFrames: [(number: Int, after: ContinuousClock.Instant)] = []

    /// Returns the setting's number, under which ``takeSetting(_:)`` gives it back.
    mutating func addSetting(
        _ values: [String: Control.Value], _ then: @escaping ControlsCompletion
    ) -> Int {
        lastNumber += 1
        settings[lastNumber] = (values, then)
        return lastNumber
    }

    func values(ofSetting number: Int) -> [String: Control.Value] { settings[number]?.values ?? [:] }

    mutating func takeSetting(_ number: Int) -> (
        values: [String: Control.Value], then: ControlsCompletion
    )? {
        settings.removeValue(forKey: number)
    }

    mutating func add(_ mode: CameraMode, _ then: @escaping ModeCompletion) {
        modes.append((mode, then))
    }

    /// The oldest change of the mode begins. Returns its mode, and the frames that come behind it.
    mutating func beginModeChange() -> (
        mode: CameraMode, frames: [(number: Int, after: ContinuousClock.Instant)]
    ) {
        let next = modes.removeFirst()
        modeChange = .changing(next.then)
        guard modes.isEmpty else { return (next.mode, []) }
        defer { heldFrames = [] }
        return (next.mode, heldFrames)
    }

    /// Returns the frame's number, and whether it may be requested now: not while a change of the mode waits.
    mutating func addFrame(
        after time: ContinuousClock.Instant, _ then: @escaping FrameCompletion
    ) -> (number: Int, isHeld: Bool) {
        lastNumber += 1
        frames[lastNumber] = then
        if !modes.isEmpty { heldFrames.append((lastNumber, time)) }
        return (lastNumber, !modes.isEmpty)
    }

    mutating func takeFrame(_ number: Int) -> FrameCompletion? { frames.removeValue(forKey: number) }

    /// The next completion, to be called with `.unplugged`; nil: nothing is pending.
    mutating func takeNextForFailure() -> (() -> Void)? {
        if let number = frames.keys.min(), let then = takeFrame(number) {
            return { then(.failure(.unplugged)) }
        }
        if let number = settings.keys.min(), let setting = takeSetting(number) {
            return { setting.then(.failure(.unplugged)) }
        }
        switch modeChange {
        case .changing(let then), .adopting(let then, _, _):
            modeChange = .none
            return { then(.failure(.unplugged)) }
        case .none: break
        }
        guard !modes.isEmpty else { return nil }
        let mode = modes.removeFirst()
        return { mode.then(.failure(.unplugged)) }
    }
}
