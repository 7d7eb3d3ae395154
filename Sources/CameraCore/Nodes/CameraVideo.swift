internal import Cameras
internal import Logging
internal import LoopThread
internal import Messages
internal import Picture
internal import Settings

/// The camera's own video for a recording: while it is stored unchanged, frames come as H.264 instead of the
/// session's pixel format, in the same size and at the same rate.
///
/// Such a device has one format at a time, so its stream stops for each change. Photos and previews are
/// decoded meanwhile. If the device refuses the change, or no picture of H.264 comes, the recording has the
/// frames of the session, and is encoded.
final class CameraVideo {
    private enum State {
        /// Frames come in the mode of the session.
        case off
        /// The device is being changed to H.264. `isWanted`: nothing has ended that since.
        case beginning(isWanted: Bool)
        case on
        /// The device is being changed back.
        case ending
    }

    /// Longest time from the change of the device to the first frame of the recording.
    private static let limit = Duration.seconds(3)

    private let context: CameraContext
    private let device: Device
    private var state = State.off
    /// Called when frames come in the mode of the session again.
    private var waiting: [() -> Void] = []
    private lazy var limitTimer = context.timer { [weak self] in
        self?.fail("no picture came within \(Int(Self.limit / .seconds(1))) s")
    }

    init(_ context: CameraContext, device: Device) { (self.context, self.device) = (context, device) }

    // MARK: The recording

    /// A recording begins, whose claim on the mode is held until ``whenEnded(_:)``.
    ///
    /// - Parameters:
    ///   - isTimed: whether it has to begin at a time: then there is none to change the device.
    ///   - view: what a frame shows now.
    ///   - then: called once, perhaps during the call: frames can be requested.
    func begin(
        for options: RecordingOptions, isTimed: Bool, showing view: Region, effect: Effect,
        then: @escaping () -> Void
    ) {
        guard !isTimed, let mode = mode(for: options, view, effect) else { return then() }
        state = .beginning(isWanted: true)
        device.setRecordingMode(mode) { [weak self] in
            self?.changed($0)
            then()
        }
    }

    /// The mode of the video that a recording can store; nil: the frames of the session are recorded.
    private func mode(for options: RecordingOptions, _ view: Region, _ effect: Effect) -> CameraMode? {
        guard case .off = state, context.settings.recording.usesCameraVideo, options.passesThrough,
            options.changeOfPicture(showing: view, effect: effect) == nil
        else { return nil }
        return device.backend.description.videoMode(beside: device.backend.mode)
    }

    private func changed(_ result: Result<CameraMode, CameraError>) {
        guard case .beginning(let isWanted) = state else { return }
        switch result {
        case .success(let mode):
            context.logger.info("\(context.id): the camera's own video is recorded, \(mode.words)")
            context.post(.modeChanged)
            state = .on
            if isWanted { limitTimer.set(after: Self.limit) } else { changeBack() }
        case .failure(let error):
            warn(of: error)
            ended()
        }
    }

    /// The first frame is in the recording.
    func recordingBegan() { limitTimer.cancel() }

    /// No frame came. Returns whether the recording goes on with those of the session: then they are
    /// requested.
    func failed(_ error: CameraError) -> Bool {
        guard case .on = state else { return false }
        fail(device.commandError(error).message)
        return true
    }

    private func fail(_ words: String) {
        context.logger.warning("\(context.id): the camera's own video isn't recorded any more: \(words)")
        end()
    }

    // MARK: The end

    /// The camera's video isn't stored any more: the recording ends, or shows what the agent has to encode.
    func end() {
        limitTimer.cancel()
        switch state {
        case .beginning: state = .beginning(isWanted: false)
        case .on: changeBack()
        case .off, .ending: break
        }
    }

    private func changeBack() {
        state = .ending
        // A device that is closed is opened in the mode of the session.
        if context.isStopping || device.absence != nil { return ended() }
        device.restoreSessionMode { [weak self] result in
            guard let self, case .ending = state else { return }
            switch result {
            case .success: context.post(.modeChanged)
            case .failure(.unplugged): break
            case .failure(let error):
                let reason = device.commandError(error).message
                context.logger.warning("\(context.id): frames are still H.264 after a recording: \(reason)")
                context.post(.sessionModeLost)
            }
            ended()
        }
    }

    private func ended() {
        state = .off
        let waiting = waiting
        self.waiting = []
        for then in waiting { then() }
    }

    /// Calls back once, when frames come in the mode of the session again.
    func whenEnded(_ then: @escaping () -> Void) {
        if case .off = state { then() } else { waiting.append(then) }
    }

    /// The agent stops: nothing waits for the device any more.
    func abandon() {
        limitTimer.cancel()
        ended()
    }

    private func warn(of error: CameraError) {
        if error == .unplugged { return }
        let reason = device.commandError(error).message
        context.logger.warning("\(context.id): the camera's own video isn't recorded: \(reason)")
    }
}

extension CameraMode {
    /// For the log.
    fileprivate var words: String { "\(pixelFormat) \(width)×\(height)" }
}
