internal import Base
internal import Cameras
internal import Contract
internal import Logging
internal import Settings

/// The camera's own video for a recording, while it is stored unchanged: H.264 in the size and at the rate of
/// the session.
///
/// It comes from a second stream of the device, or in place of the session's frames. A device of the latter
/// kind has one format at a time, so its stream stops for each change, and photos and previews are decoded
/// meanwhile. If the device refuses, or no picture of H.264 comes, the recording has the frames of the
/// session, and is encoded.
final class CameraVideo {
    private enum State {
        /// Frames come in the mode of the session.
        case off
        /// The device is being changed to H.264, or its second stream is being opened. `isWanted`: nothing
        /// has ended that since.
        case beginning(isWanted: Bool)
        /// The device was changed.
        case on
        /// Beside the frames.
        case beside(any VideoStream)
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
    ///   - isTimed: whether it has to begin at a time: then there is no time to change the device.
    ///   - view: what a frame shows now.
    ///   - then: called once, perhaps during the call: frames can be requested.
    func begin(
        for options: RecordingOptions, isTimed: Bool, showing view: Region, effect: Effect,
        then: @escaping () -> Void
    ) {
        guard !isTimed, let video = video(for: options, view, effect) else { return then() }
        state = .beginning(isWanted: true)
        switch video {
        case .instead(let mode):
            device.setRecordingMode(mode) { [weak self] in
                self?.changed($0)
                then()
            }
        case .beside(let mode):
            device.openVideo(mode) { [weak self] in
                self?.opened($0)
                then()
            }
        }
    }

    /// The video that a recording can store; nil: the frames of the session are recorded.
    private func video(for options: RecordingOptions, _ view: Region, _ effect: Effect) -> VideoAccess? {
        guard case .off = state, context.settings.recording.usesCameraVideo, options.passesThrough,
            options.changeOfPicture(showing: view, effect: effect) == nil
        else { return nil }
        return device.backend.description.video(for: device.backend.mode)
    }

    private func opened(_ result: Result<any VideoStream, CameraError>) {
        switch (result, state) {
        case (.success(let stream), .beginning(isWanted: true)):
            context.logger.info("\(context.id): the camera's own video is recorded, of its second stream")
            state = .beside(stream)
            limitTimer.set(after: Self.limit)
        case (.success(let stream), _):
            stream.close()
            ended()
        case (.failure(let error), _):
            warn(of: error)
            ended()
        }
    }

    /// Whether the recording's frames are others than those of photos and previews.
    var isBeside: Bool { if case .beside = state { true } else { false } }

    /// Requests a frame for the recording.
    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        if case .beside(let stream) = state { return stream.frame(exposedAfter: time, then: then) }
        device.frame(exposedAfter: time, then: then)
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
        switch state {
        case .on, .beside:
            fail(device.commandError(error).message)
            return true
        case .off, .beginning, .ending: return false
        }
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
        case .beside(let stream):
            ended()
            stream.close()
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
        for then in waiting.takeAll() { then() }
    }

    /// Calls back once, when frames come in the mode of the session again.
    func whenEnded(_ then: @escaping () -> Void) {
        if case .off = state { then() } else { waiting.append(then) }
    }

    /// The agent stops: nothing waits for the device any more.
    func abandon() {
        limitTimer.cancel()
        if case .beside(let stream) = state { stream.close() }
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
