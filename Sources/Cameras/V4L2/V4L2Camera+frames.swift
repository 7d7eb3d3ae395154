internal import Base

/// Frames and the mode. The capture thread changes the mode, because the buffers have to be released for it.
extension V4L2Camera {
    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        guard !isClosed else { return then(.failure(.unplugged)) }
        if let number = calls.addFrame(after: time, then) {
            threads.capture.send(.frame(number: number, after: time))
        }
    }

    func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        guard !isClosed else { return then(.failure(.unplugged)) }
        guard calls.add(mode, then) else {
            let count = CameraCalls.maxWaiting
            return then(.failure(.device("the camera is slow: \(count) changes of its mode wait already")))
        }
        runNext()
    }

    func requestKeyFrame() {
        guard !isClosed, let control = readings.keyFrameControl else { return }
        calls.addKeyFrame(control)
        runNext()
    }

    func openVideo(
        _ mode: CameraMode, then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) {
        guard !isClosed else { return then(.failure(.unplugged)) }
        video?.close()
        let callbacks = V4L2VideoStream.Callbacks(
            streamed: { [weak self] in self?.callbacks.streamed($0, $1) },
            needsKeyFrame: { [weak self] in self?.requestKeyFrame() })
        video = V4L2VideoStream.open(videoNode, mode, among: devices, on: loop, callbacks, then: then)
    }

    /// The capture thread has changed the mode, or has left everything as it was.
    func modeChanged(_ result: Result<CaptureThread.ModeChangeResult, CameraError>) {
        guard case .changing(let then, _) = calls.modeChange else { return }
        switch result {
        case .failure(.unplugged): return deviceGone()
        case .failure(let error):
            calls.modeChange = .none
            then(.failure(error))
        case .success(let now):
            mode = now.setup.mode
            let before = description.optical
            if let factor = now.cropFactor {
                let actions = lens.cropChanged(now.setup.crop, factor: factor)
                description.opticalMax = lens.lens.max
                description.actuators = lens.lens.actuators
                // Still in the change: the control thread gets nothing.
                perform(actions)
            }
            // The ranges of some controls depend on the mode.
            calls.modeChanged(to: mode, movesLens: description.optical != before)
        }
        runNext()
    }

    /// The controls are known as they are in the new mode.
    func endModeChange() {
        guard case .adopting(let then, let mode, let movesLens) = calls.modeChange else { return }
        calls.modeChange = .none
        then(.success(mode))
        // While it is driven or stopped, that job reports the position.
        if movesLens && !isClosed && !lens.awaitsReport {
            callbacks.lensReported(.moved(optical: lens.optical(at: loop.now), moving: lens.isMoving))
        }
    }
}
