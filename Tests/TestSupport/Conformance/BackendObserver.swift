import Cameras
import Contract

/// Makes the calls of a camera for ``BackendConformance``, and holds every answer against the contract of
/// ``CameraBackend``.
final class BackendObserver {
    enum Life { case open, closed }
    /// What the last request to the lens waits for.
    enum Lens { case still, requested, moving, stopping }

    private struct Call {
        let name: String
        let wasBeforeClose: Bool
    }

    let camera: any CameraBackend
    let now: () -> ContinuousClock.Instant
    private(set) var problems: [String] = []
    private(set) var life = Life.open
    private(set) var lens = Lens.still
    /// How many calls were answered.
    private(set) var answers = 0
    /// The next answer or callback closes the camera, from inside.
    var closesInNextAnswer = false
    private var calls: [Call] = []
    private var pending: Set<Int> = []
    private var modeCalls: [Int] = []
    /// The mode after the last change that was answered.
    private var mode: CameraMode
    /// Grow with each change of the controls or the mode: what was requested before is not comparable
    /// afterwards.
    private var (controlsEpoch, modeEpoch) = (0, 0)

    init(_ camera: any CameraBackend, now: @escaping () -> ContinuousClock.Instant) {
        (self.camera, self.now) = (camera, now)
        mode = camera.mode
        camera.callbacks.lensReported = { [weak self] in self?.received($0) }
        camera.callbacks.controlsChanged = { [weak self] in
            self?.calledBack("controlsChanged")
            self?.controlsEpoch += 1
        }
        camera.callbacks.streamed = { [weak self] frames, lost in
            self?.calledBack("streamed")
            self?.expect(frames >= 0 && lost >= 0, "streamed(\(frames), \(lost)) is negative")
        }
    }

    var hasPending: Bool { !pending.isEmpty || lens == .requested || lens == .stopping }

    func expect(_ isSo: Bool, _ problem: @autoclosure () -> String) {
        if !isSo { problems.append(problem()) }
    }

    // MARK: Calls

    func frame(after time: ContinuousClock.Instant, then: @escaping (Frame) -> Void = { _ in }) {
        let id = begin("frame")
        let epoch = modeCalls.isEmpty ? modeEpoch : nil
        camera.frame(exposedAfter: time) { [weak self] result in
            guard let self, answered(id, result.error) else { return }
            if case .success(let frame) = result {
                expect(
                    frame.exposedAt >= time,
                    "a frame was exposed \(frame.exposedAt.duration(to: time)) too early")
                expect(frame.exposedAt <= now(), "a frame was given before its exposure")
                if epoch == modeEpoch && modeCalls.isEmpty { expectSize(of: frame, mode) }
                then(frame)
            }
            closeIfWanted()
        }
    }

    func setControls(_ values: [String: Control.Value], then: @escaping (CameraError?) -> Void = { _ in }) {
        let id = begin("setControls")
        let before = camera.controls
        let epoch = controlsEpoch
        camera.setControls(values) { [weak self] result in
            guard let self, answered(id, result.error) else { return }
            switch result {
            case .success(let list):
                controlsEpoch += 1
                expect(list == camera.controls, "setControls returned other controls than the camera has")
                for (name, value) in values {
                    let found = list.first { $0.name == name }
                    guard found?.kind != .button else { continue }
                    expect(
                        found?.value == value,
                        "\(name) was set to \(value) and is \(String(describing: found?.value))")
                }
            case .failure(.unplugged): break
            case .failure where epoch == controlsEpoch:
                let isAsBefore = camera.controls.map(\.value) == before.map(\.value)
                expect(isAsBefore, "setControls failed and changed a control")
            case .failure: break
            }
            then(result.error)
            closeIfWanted()
        }
    }

    func setMode(_ wanted: CameraMode, then: @escaping (CameraError?) -> Void = { _ in }) {
        let id = begin("setMode")
        modeCalls.append(id)
        camera.setMode(wanted) { [weak self] result in
            guard let self, answered(id, result.error) else { return }
            expect(modeCalls.first == id, "setMode was answered out of order")
            modeCalls.removeAll { $0 == id }
            switch result {
            case .success(let given):
                modeEpoch += 1
                mode = given
                let isAsked =
                    (given.pixelFormat, given.width, given.height)
                    == (wanted.pixelFormat, wanted.width, wanted.height)
                expect(isAsked, "setMode gave \(given) instead of \(wanted)")
                expect(camera.mode == given, "after setMode gave \(given) the mode is \(camera.mode)")
            case .failure(.unplugged): break
            case .failure: expect(camera.mode == mode, "setMode failed and changed \(mode) to \(camera.mode)")
            }
            then(result.error)
            closeIfWanted()
        }
    }

    /// Only when no request is pending: the contract allows one at a time.
    func driveLens(to optical: Double) {
        if life == .open { lens = .requested }
        camera.driveLens(to: optical)
    }

    func stopLens() {
        if life == .open { lens = .stopping }
        camera.stopLens()
    }

    /// Closes the camera. What is pending isn't answered any more; what is requested afterwards is at once.
    func close() {
        if life == .closed { finish() }
        (pending, modeCalls) = ([], [])
        (life, lens) = (.closed, .still)
        camera.close()
    }

    /// After time enough: every call must have been answered.
    func finish() {
        for id in pending.sorted() { expect(false, "\(calls[id].name) was never answered") }
        expect(lens == .still || lens == .moving, "the lens never answered: \(lens)")
    }

    // MARK: Answers

    private func begin(_ name: String) -> Int {
        calls.append(Call(name: name, wasBeforeClose: life == .open))
        pending.insert(calls.count - 1)
        return calls.count - 1
    }

    /// Returns whether the answer is the first one, and the camera was open.
    private func answered(_ id: Int, _ error: CameraError?) -> Bool {
        answers += 1
        let call = calls[id]
        guard pending.remove(id) != nil else {
            let when = life == .closed && call.wasBeforeClose ? "after close()" : "twice"
            expect(false, "\(call.name) was answered \(when)")
            return false
        }
        if life == .open { return true }
        modeCalls.removeAll { $0 == id }
        expect(error == .unplugged, "\(call.name) was answered with \(String(describing: error)) at the end")
        return false
    }

    private func calledBack(_ name: String) {
        expect(life == .open, "\(name) was called after close()")
    }

    private func received(_ report: LensReport) {
        calledBack("lensReported")
        switch report {
        case .written(_, let moving):
            expect(lens == .requested, "\(report) without a request")
            lens = moving ? .moving : .still
        case .moved(_, let moving):
            expect(!moving || lens != .still, "\(report) of a lens that stands still")
            if lens == .moving && !moving { lens = .still }
        case .stopped:
            expect(lens == .stopping, "\(report) without stopLens()")
            lens = .still
        case .failed:
            expect(lens != .still, "\(report) without a request")
            lens = .still
        case .taken: break
        }
        if let optical = report.position {
            let range = 0.999...camera.description.opticalMax * 1.001
            expect(range.contains(optical), "the lens is at \(optical), beyond \(range)")
            let described = camera.description.optical
            expect(
                abs(described / optical - 1) < 0.01,
                "the lens is at \(optical), the description has \(described)")
        }
        closeIfWanted()
    }

    private func closeIfWanted() {
        guard closesInNextAnswer, life == .open else { return }
        closesInNextAnswer = false
        close()
    }

    private func expectSize(of frame: Frame, _ mode: CameraMode) {
        switch frame.picture {
        case .planar(let picture):
            let isSame = (picture.width, picture.height) == (mode.width, mode.height)
            expect(isSame, "a frame of \(picture.width)×\(picture.height) in the mode \(mode)")
        case .jpeg(let bytes): expect(bytes.starts(with: [0xFF, 0xD8]), "a frame is no JPEG")
        case .h264(let video):
            expect(video.units.contains(where: \.isKey), "H.264 without a key frame")
        case .oriented: expect(false, "the frame of a driver is turned")
        }
    }
}

extension Result where Failure == CameraError {
    var error: CameraError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension LensReport {
    fileprivate var position: Double? {
        switch self {
        case .written(let optical, _), .moved(let optical, _), .taken(let optical), .stopped(let optical):
            optical
        case .failed: nil
        }
    }
}
