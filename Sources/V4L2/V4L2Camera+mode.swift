package import Cameras
internal import LoopThread

/// How frames come. A change is made by the thread for frames, as it has the buffers, which have to be given back for it.
extension V4L2Camera {
    struct Change {
        let mode: CameraMode
        let then: (Result<CameraMode, CameraError>) -> Void
        /// What came of it, until the lens and the controls are known as they are in it.
        var result: Result<CameraMode, CameraError>?
        /// The lens couldn't stay where it was.
        var movedLens = false
    }

    package func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        guard !isLost else { return then(.failure(.unplugged)) }
        guard changes.count < Self.waitingAtMost else {
            return then(
                .failure(.device("it is slow, and \(changes.count) changes of its mode wait already")))
        }
        changes.append(Change(mode: mode, then: then))
        nextJob()
    }

    /// The sensor's crop is a part of what changes: nobody else may touch it until the new one is known.
    var isCropChanging: Bool { change != nil && change?.result == nil && lens.crop != nil }

    func beginChange() {
        let next = changes.removeFirst()
        change = next
        stream.send(.change(next.mode))
        guard changes.isEmpty else { return }
        for frame in framesHeld { stream.send(.frame(number: frame.number, after: frame.after)) }
        framesHeld = []
    }

    func changed(_ result: Result<StreamSide.Changed, CameraError>) {
        guard change != nil else { return }
        change?.result = result.map(\.setup.mode)
        switch result {
        case .failure(.unplugged): return lose()
        // All is as it was.
        case .failure: endChange()
        case .success(let now):
            mode = now.setup.mode
            if let factor = now.cropFactor { cropChanged(now.setup.crop, factor) }
            // The ranges of some controls are a matter of the mode.
            lensToAdopt = lens
        }
        nextJob()
    }

    /// The lens in the new mode: it may reach less far, and not be where it was.
    private func cropChanged(_ crop: V4L2Lens.Crop?, _ factor: Double) {
        let before = place.factor
        let isSame = lens.crop == crop
        lens.crop = crop
        description.opticalMax = lens.max
        description.actuators = lens.actuators
        place.factor = motorFactor * factor
        description.optical = place.factor
        if !isSame || place.factor != before { lastGoal = nil }
        if case .drive = wantedLens {
            let goal = lens.goal(at: wantedFactor)
            wantedGoal = goal
            wantedLens = .drive(goal)
        }
        change?.movedLens = place.factor != before
    }

    /// All is known of the new mode, or that it came to nothing.
    func endChange() {
        guard let ended = change, let result = ended.result else { return }
        change = nil
        ended.then(result)
        // While it is being driven or stopped, the report of that says where it is.
        if ended.movedLens && !isLost && !isDriving && !isStopping {
            lensReported(.moved(optical: place.factor, moving: isMoving))
        }
    }

    /// The device is gone.
    func dropChanges() {
        changes = [change].compactMap { $0 } + changes
        (change, lensToAdopt) = (nil, nil)
        while !changes.isEmpty { changes.removeFirst().then(.failure(.unplugged)) }
    }
}
