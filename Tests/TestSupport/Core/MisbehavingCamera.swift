package import Cameras
import Contract

/// A scripted camera that breaks the contract of ``CameraBackend``, and reports the calls that tests watch.
package final class MisbehavingCamera: CameraBackend {
    package enum Fault: Hashable, Sendable, CaseIterable {
        /// Each completion is called twice.
        case answersTwice
        /// What is pending when the camera is closed is answered then.
        case answersAtClose
        /// What is pending when the camera is closed is answered by ``answerLate()``.
        case answersAfterClose
    }

    package let inner: ScriptedCamera
    package let faults: Set<Fault>
    package var callbacks = CameraCallbacks()
    /// The optical factor that was last read back from the lens.
    package private(set) var readBack: Double
    /// Added to each optical factor that is reported: another one than was read back.
    package var misreport = 0.0
    /// The number of each frame; nil: they are counted.
    package var frameNumber: Int?
    /// Called before each change of the mode.
    package var setModeCalled: (CameraMode) -> Void = { _ in }
    /// Answers the calls that are pending, by number.
    private var pending: [Int: () -> Void] = [:]
    private var lastCall = 0

    package init(_ inner: ScriptedCamera, _ faults: Set<Fault> = []) {
        (self.inner, self.faults, readBack) = (inner, faults, inner.description.optical)
        inner.callbacks.lensReported = { [weak self] in self?.report($0) }
        inner.callbacks.controlsChanged = { [weak self] in self?.callbacks.controlsChanged() }
    }

    package var description: CameraDescription { inner.description }
    package var controls: [Control] { inner.controls }
    package var mode: CameraMode { inner.mode }

    package func driveLens(to optical: Double) { inner.driveLens(to: optical) }

    package func stopLens() { inner.stopLens() }

    package func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        inner.setControls(values, then: corrupted(then))
    }

    package func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        setModeCalled(mode)
        inner.setMode(mode, then: corrupted(then))
    }

    package func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        let frameNumber = frameNumber
        inner.frame(
            exposedAfter: time, then: corrupted { result in then(result.map { $0.numbered(frameNumber) }) })
    }

    package func close() {
        inner.close()
        if faults.contains(.answersAtClose) { answerPending() }
        if !faults.contains(.answersAfterClose) { pending = [:] }
    }

    /// Calls what was pending when the camera was closed.
    package func answerLate() { if faults.contains(.answersAfterClose) { answerPending() } }

    private func answerPending() {
        let calls = pending.sorted { $0.key < $1.key }
        pending = [:]
        for call in calls { call.value() }
    }

    private func report(_ report: LensReport) {
        switch report {
        case .written(let optical, _), .moved(let optical, _), .taken(let optical), .stopped(let optical):
            readBack = optical
        case .failed: break
        }
        if misreport != 0, case .written(let optical, let moving) = report {
            return callbacks.lensReported(.written(optical: optical + misreport, moving: moving))
        }
        callbacks.lensReported(report)
    }

    private func corrupted<Value>(
        _ then: @escaping (Result<Value, CameraError>) -> Void
    ) -> (Result<Value, CameraError>) -> Void {
        lastCall += 1
        let number = lastCall
        pending[number] = { then(.failure(.unplugged)) }
        return { [weak self] result in
            self?.pending[number] = nil
            then(result)
            if self?.faults.contains(.answersTwice) == true { then(result) }
        }
    }
}

extension Frame {
    fileprivate func numbered(_ number: Int?) -> Frame {
        Frame(picture: picture, field: field, number: number ?? self.number, exposedAt: exposedAt)
    }
}
