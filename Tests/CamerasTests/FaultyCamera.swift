import Contract

@testable import Cameras

/// A simulated camera that breaks one rule of the contract of ``CameraBackend``.
final class FaultyCamera: CameraBackend {
    /// Each with a part of the problem that is reported for it.
    enum Fault: String, CaseIterable {
        case answersFramesTwice = "frames: frame was answered twice"
        case answersControlsTwice = "controls: setControls was answered twice"
        case frameTooEarly = "seconds too early"
        case frameOfOldMode = "mode: a frame of 320×180 in the mode"
        case changesHalfOfTheControls = "setControls failed and changed a control"
        case returnsRequestedControls = "setControls returned other controls than the camera has"
        case modesInReverse = "setMode was answered out of order"
        case failedModeIsKept = "setMode failed and changed"
        case lensAnswersTwice = "without a request"
        case lensIsSilent = "the lens at 4.0 did not come"
        case lensLeavesItsRange = "the lens is at 99.0"
        case stopIsSilent = "the stop of a request did not come"
        case closeAnswers = "close: frame was answered after close()"
        case closeAnswersLate = "frame was answered after close()"
        case callsBackAfterClose = "streamed was called after close()"
        case silentAfterClose = "close: frame was never answered"
    }

    private let camera: SimulatedCamera
    private let fault: Fault
    private var isClosed = false
    private var late: [() -> Void] = []
    private var modeAnswers: [() -> Void] = []
    private var modeOverride: CameraMode?
    private var controlOverride: [Control]?
    private var oldFrame: Frame?
    /// The completion of the last frame that was requested.
    private var lastFrame: (Result<Frame, CameraError>) -> Void = { _ in }

    var callbacks = CameraCallbacks()

    init(_ camera: SimulatedCamera, fault: Fault) {
        (self.camera, self.fault) = (camera, fault)
        camera.callbacks.lensReported = { [weak self] in self?.received($0) }
        camera.callbacks.streamed = { [weak self] in self?.callbacks.streamed($0, $1) }
    }

    var description: CameraDescription { camera.description }
    var controls: [Control] { controlOverride ?? camera.controls }
    var mode: CameraMode { modeOverride ?? camera.mode }

    /// Called now and then: what is late comes now.
    func turn() {
        let now = late
        late = []
        for answer in now { answer() }
        if modeAnswers.count > 1 { modeAnswers.reverse() }
        let answers = modeAnswers
        modeAnswers = []
        for answer in answers { answer() }
    }

    private func received(_ report: LensReport) {
        switch (fault, report) {
        case (.lensIsSilent, .written), (.stopIsSilent, .stopped): return
        case (.lensLeavesItsRange, .written): callbacks.lensReported(.written(optical: 99, moving: false))
        default: callbacks.lensReported(report)
        }
        if fault == .lensAnswersTwice, case .written = report { callbacks.lensReported(report) }
    }

    func driveLens(to optical: Double) { camera.driveLens(to: optical) }
    func stopLens() { camera.stopLens() }

    func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        camera.setControls(values) { [self] result in
            var result = result
            if fault == .changesHalfOfTheControls, case .failure(.disabled) = result, !isClosed {
                var list = camera.controls
                for place in list.indices {
                    if let value = values[list[place].name] { list[place].value = value }
                }
                controlOverride = list
            }
            if fault == .returnsRequestedControls, case .success(var list) = result, !list.isEmpty {
                list[0].value = .number(77)
                result = .success(list)
            }
            then(result)
            if fault == .answersControlsTwice { then(result) }
        }
    }

    func setMode(_ wanted: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void) {
        if fault == .modesInReverse && !isClosed {
            modeAnswers.append { [camera] in camera.setMode(wanted, then: then) }
            return
        }
        camera.setMode(wanted) { [self] result in
            if fault == .failedModeIsKept, case .failure(.device) = result { modeOverride = wanted }
            then(result)
        }
    }

    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        if fault == .silentAfterClose && isClosed { return }
        if !isClosed { lastFrame = then }
        if fault == .frameTooEarly && !isClosed {
            return camera.frame(exposedAfter: .now - .seconds(60), then: then)
        }
        camera.frame(exposedAfter: time) { [self] result in
            if fault == .frameOfOldMode {
                if oldFrame == nil { oldFrame = try? result.get() }
                if let oldFrame, case .success(let frame) = result {
                    return then(
                        .success(
                            Frame(
                                picture: oldFrame.picture, field: frame.field, number: frame.number,
                                exposedAt: frame.exposedAt)))
                }
            }
            then(result)
            if fault == .answersFramesTwice { then(result) }
        }
    }

    func close() {
        isClosed = true
        let callbacks = callbacks
        camera.close()
        if fault == .closeAnswers { lastFrame(.failure(.unplugged)) }
        if fault == .closeAnswersLate { late.append { [lastFrame] in lastFrame(.failure(.unplugged)) } }
        if fault == .callsBackAfterClose {
            late.append {
                callbacks.streamed(1, 0)
                callbacks.controlsChanged()
            }
        }
    }
}
