package import Base
package import Cameras
import Contract

/// A camera for tests: the test decides when a call is answered, and how.
///
/// By default every call is answered immediately, with success. An operation in ``held`` is answered only by
/// ``release(_:moving:)`` or ``fail(_:with:)``. After ``unplug()`` and ``close()`` nothing is called.
package final class ScriptedCamera: CameraBackend {
    /// What a call requests. A request to the lens is answered by ``callbacks``, the others by their
    /// completion.
    package enum Operation: Hashable, Sendable, CaseIterable { case lens, stop, controls, mode, frame }

    /// A call, as it came in.
    package enum Call: Equatable, Sendable {
        case driveLens(Double)
        case stopLens
        case setControls([String: Control.Value])
        case setMode(CameraMode)
        case frame(exposedAfter: ContinuousClock.Instant)
        case close
    }

    private enum Life { case open, unplugged, closed }

    /// `optical` follows the lens reports.
    package var description: CameraDescription
    package let remarks: [String]
    package var callbacks = CameraCallbacks()
    package var controls: [Control]
    package var mode: CameraMode

    /// The operations whose calls wait until the test answers them.
    package var held: Set<Operation> = [] {
        didSet { if oldValue.contains(.frame) && !held.contains(.frame) { giveFrames() } }
    }
    /// The operations that fail instead of succeeding, when they are answered.
    package var failures: [Operation: CameraError] = [:]
    /// The picture of each frame; by default a gray one of the mode's size.
    package var picture: (CameraMode) -> Picture = ScriptedCamera.gray
    /// Minimum interval between two frames. Zero: a frame is exposed at each moment at which one is
    /// requested, so a caller that requests one after the other gets a frame each nanosecond.
    package var frameInterval = Duration.zero
    /// How often ``requestKeyFrame()`` was called.
    package private(set) var keyFrameRequests = 0
    /// All calls, in order.
    package private(set) var calls: [Call] = []
    /// What the caller did against the contract: a second request to the lens before the first was answered.
    package private(set) var violations: [String] = []
    /// Called by ``unplug()``.
    var wasUnplugged: () -> Void = {}

    /// Opens the video beside the frames; nil: there is none.
    package var openingVideo:
        ((CameraMode, _ then: @escaping (Result<any VideoStream, CameraError>) -> Void) -> Void)?

    let loop: EventLoop
    var pending: [PendingCall] = []
    private var frames = 0
    var lastFrame: Frame?
    private var life = Life.open
    private lazy var frameTimer = loop.timer { [weak self] in self?.giveFrames() }

    package init(
        description: CameraDescription = .scripted(), controls: [Control] = .scripted,
        remarks: [String] = [], on loop: EventLoop
    ) {
        (self.description, self.controls, self.remarks, self.loop) = (description, controls, remarks, loop)
        mode =
            description.mode(for: .high)?.mode ?? CameraMode(pixelFormat: "", width: 0, height: 0, rate: 0)
    }

    package var isClosed: Bool { life == .closed }

    // MARK: Calls of the owner

    package func driveLens(to optical: Double) {
        guard accepts(.driveLens(optical)) else { return callbacks.lensReported(.failed(.unplugged)) }
        if pending.contains(where: { $0.operation == .lens }) {
            violations.append("driveLens(to: \(optical)) while a request is pending")
        }
        pending.append(.lens(optical))
        answerUnlessHeld(.lens)
    }

    package func stopLens() {
        guard accepts(.stopLens) else { return callbacks.lensReported(.failed(.unplugged)) }
        pending.removeAll { $0.operation == .lens }
        pending.append(.stop)
        answerUnlessHeld(.stop)
    }

    package func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        guard accepts(.setControls(values)) else { return then(.failure(.unplugged)) }
        pending.append(.controls(values, then))
        answerUnlessHeld(.controls)
    }

    package func setMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        guard accepts(.setMode(mode)) else { return then(.failure(.unplugged)) }
        pending.append(.mode(mode, then))
        answerUnlessHeld(.mode)
    }

    package func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        guard accepts(.frame(exposedAfter: time)) else { return then(.failure(.unplugged)) }
        pending.append(.frame(after: time, then))
        giveFrames()
    }

    package func requestKeyFrame() { keyFrameRequests += 1 }

    package func openVideo(
        _ mode: CameraMode, then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) {
        guard life == .open else { return then(.failure(.unplugged)) }
        guard let openingVideo else { return then(.failure(.device("there is no video"))) }
        openingVideo(mode, then)
    }

    package func close() {
        if life != .closed { calls.append(.close) }
        life = .closed
        callbacks = CameraCallbacks()
        wasUnplugged = {}
        frameTimer.cancel()
        pending = []
    }

    // MARK: What the test lets happen

    /// How many calls of an operation wait for their answer.
    package func pendingCalls(of operation: Operation) -> Int {
        pending.count { $0.operation == operation }
    }

    /// Answers the oldest pending call of an operation: with success, or with its error in ``failures``.
    ///
    /// - Parameter moving: the lens begins to move and is reported where it was; ``report(_:)`` reports what
    ///   follows.
    /// - Returns: false when none is pending.
    @discardableResult package func release(_ operation: Operation, moving: Bool = false) -> Bool {
        if let error = failures[operation] { return fail(operation, with: error) }
        guard let place = pending.firstIndex(where: { $0.operation == operation }) else { return false }
        switch pending.remove(at: place) {
        case .lens(let optical):
            report(.written(optical: moving ? description.optical : optical, moving: moving))
        case .stop: report(.stopped(optical: description.optical))
        case .controls(let values, let then): then(set(values))
        case .mode(let wanted, let then): then(change(to: wanted))
        case .frame(let time, let then): then(.success(nextFrame(exposedAt: max(time, loop.now))))
        }
        return true
    }

    /// Lets the oldest pending call of an operation fail; nothing has changed then.
    ///
    /// - Returns: false when none is pending.
    @discardableResult package func fail(_ operation: Operation, with error: CameraError) -> Bool {
        guard let place = pending.firstIndex(where: { $0.operation == operation }) else { return false }
        switch pending.remove(at: place) {
        case .lens, .stop: callbacks.lensReported(.failed(error))
        case .controls(_, let then): then(.failure(error))
        case .mode(_, let then): then(.failure(error))
        case .frame(_, let then): then(.failure(error))
        }
        return true
    }

    /// Reports a change of the lens that no call requested: it moved, arrived, or another program drove it.
    package func report(_ report: LensReport) {
        switch report {
        case .written(let optical, _), .moved(let optical, _), .taken(let optical), .stopped(let optical):
            description.optical = optical
        case .failed: break
        }
        callbacks.lensReported(report)
    }

    /// Another program sets a control.
    package func change(_ name: String, to value: Control.Value) {
        guard let place = controls.firstIndex(where: { $0.name == name }) else { return }
        controls[place].value = value
        callbacks.controlsChanged()
    }

    /// The device is unplugged: everything pending fails with `.unplugged`, then the source reports it
    /// missing. Later calls complete with `.unplugged`.
    package func unplug() {
        guard life == .open else { return }
        life = .unplugged
        frameTimer.cancel()
        let lensWasPending = pending.contains { $0.operation == .lens || $0.operation == .stop }
        pending = []
        if lensWasPending { callbacks.lensReported(.failed(.unplugged)) }
        let wasUnplugged = wasUnplugged
        self.wasUnplugged = {}
        wasUnplugged()
    }

    // MARK: Inside

    private func accepts(_ call: Call) -> Bool {
        calls.append(call)
        return life == .open
    }

    /// Also the calls that were held earlier: the order of the calls is kept.
    private func answerUnlessHeld(_ operation: Operation) {
        while !held.contains(operation), release(operation) {}
    }

    private func giveFrames() {
        guard !held.contains(.frame) else { return }
        while let place = pending.firstIndex(where: { exposure(of: $0).map { $0 <= loop.now } ?? false }) {
            guard case .frame(let time, let then) = pending.remove(at: place) else { continue }
            if let error = failures[.frame] {
                then(.failure(error))
            } else if frameInterval > .zero, let lastFrame, lastFrame.exposedAt >= time {
                then(.success(lastFrame))
            } else {
                then(.success(nextFrame(exposedAt: loop.now)))
            }
        }
        frameTimer.set(at: pending.compactMap(exposure).min())
    }

    /// When the frame of a call is exposed: the last one may be recent enough, the next one comes after the
    /// interval.
    private func exposure(of call: PendingCall) -> ContinuousClock.Instant? {
        guard let time = call.frameTime else { return nil }
        guard frameInterval > .zero, let last = lastFrame?.exposedAt else { return time }
        return last >= time ? last : max(time, last.advanced(by: frameInterval))
    }

    private func nextFrame(exposedAt time: ContinuousClock.Instant) -> Frame {
        frames += 1
        let frame = Frame(picture: picture(mode), field: .whole, number: frames, exposedAt: time)
        lastFrame = frame
        return frame
    }
}
