internal import Cameras
internal import Contract
internal import Logging

/// What happens to a device: what a source reports of it, or that it is closed and opened for privacy.
private enum DeviceReport {
    case found(any CameraBackend)
    case missing(CameraAbsence)
    case madePrivate(DeviceClosing.Steps, then: (CameraError?) -> Void)
    case privacyEnded
}

/// The device of a camera while it is there: the source that finds it, the backend that drives it, and who
/// uses its mode.
///
/// Every completion that was passed in is called exactly once, whatever the backend does: with the device's
/// answer, or with `unplugged` when the device goes or is replaced, or the camera is released.
final class Device {
    /// More frames than all encoders have at a time.
    private static let damagedFramesKept = 16
    /// Minimum interval between two warnings about frames that failed.
    private static let warningInterval = Duration.seconds(60)

    private let context: CameraContext
    private let source: any CameraSource
    private(set) var backend: any CameraBackend = AbsentCamera()
    private(set) var presence = Presence.unknown
    /// Fails the completions that the backend hasn't called yet.
    private var pending = WaitingList<(CameraError) -> Void>()
    /// Frames that came since the agent's start, and those that were lost: by the driver, or because they
    /// were refused.
    private(set) var frameCounts = (received: 0, lost: 0)
    /// When the last damaged frames were exposed.
    private var damagedFrames: [ContinuousClock.Instant] = []
    /// When a key frame was last requested because of a damaged frame, and how often it may be.
    private var keyFrameRequest: ContinuousClock.Instant?
    private static let keyFrameInterval = Duration.seconds(1)
    /// When the log last had a warning about a frame that failed.
    private var lastFrameWarning: ContinuousClock.Instant?
    private var mode = DeviceMode()
    /// When a frame was requested last that counts as a use of the camera.
    private var lastUse: ContinuousClock.Instant?
    /// After this time without such a request, the camera is no longer in use: longer than the time between
    /// two frames of the slowest preview.
    private static let timeOfUse = Duration.seconds(15)
    /// Reports that aren't handled yet. One that comes during another waits until all nodes have seen that
    /// one.
    private var reports: [DeviceReport] = []
    private var isHandlingReport = false
    /// The last requests to a device that is made private; nil: none is under way.
    private var closing: DeviceClosing?

    init(_ context: CameraContext, source: any CameraSource) {
        (self.context, self.source) = (context, source)
    }

    /// Looks for the device, unless the camera is private.
    func start(isPrivate: Bool) {
        source.found = { [weak self] in self?.handle(.found($0)) }
        source.missing = { [weak self] in self?.handle(.missing($0)) }
        source.isInUse = { [weak self] in self?.isInUse ?? false }
        if isPrivate { handle(.madePrivate(.init(stopsLens: false)) { _ in }) } else { source.search() }
    }

    /// Closes the backend, and fails the completions that it hasn't called. The source is no longer heard.
    func close() {
        source.found = { _ in }
        source.missing = { _ in }
        source.isInUse = { false }
        if closing != nil {
            closing = nil
            source.close()
        }
        release(.unplugged)
    }

    private func handle(_ report: DeviceReport) {
        reports.append(report)
        if isHandlingReport { return }
        isHandlingReport = true
        while !reports.isEmpty {
            switch reports.removeFirst() {
            case .found(let camera): attach(camera)
            case .missing(let absence): detach(absence)
            case .madePrivate(let steps, let then): close(after: steps, then)
            case .privacyEnded: reopen()
            }
        }
        isHandlingReport = false
    }

    /// Why no command can be carried out; nil: commands are admitted.
    var absence: CommandError? { presence.error }

    /// An error of the device as requests are answered with it.
    func commandError(_ error: CameraError) -> CommandError {
        // A request can fail as the device goes; then the reason is why it went.
        if error == .unplugged, let absence { return absence }
        return error.forMessages
    }

    // MARK: Presence

    private func attach(_ camera: any CameraBackend) {
        // A source that found it before it was closed; it closes it with the other one.
        if presence == .private { return }
        // A source may replace a device without reporting it as missing first.
        if !(backend is AbsentCamera) { detach(.replaced) }
        mode.deviceReplaced()
        presence = .arriving
        lastUse = nil
        backend = camera
        backend.callbacks.lensReported = { [weak self] in self?.lensReported($0) }
        backend.callbacks.controlsChanged = { [weak self] in self?.context.post(.controlsChangedExternally) }
        backend.callbacks.streamed = { [weak self] in self?.count(frames: $0, lost: $1) }
        for remark in camera.remarks { context.logger.warning("\(context.id): \(remark)") }
        context.post(.deviceAttached)
    }

    /// A source closes a device before it reports that it is gone: until then nothing is begun on it.
    private func leave() {
        switch presence {
        case .arriving, .restoring, .ready: presence = .leaving
        case .unknown, .absent, .leaving, .private: break
        }
    }

    private func lensReported(_ report: LensReport) {
        if report == .failed(.unplugged) { leave() }
        context.post(.lens(report))
    }

    private func detach(_ absence: CameraAbsence) {
        // The source has closed the device.
        if presence == .private { return closing?.end(.unplugged) ?? () }
        let isFirst = presence == .unknown
        if isFirst { presence = .absent(absence) } else { release(absence) }
        context.logger.warning("\(context.id): the camera \(absence.words)")
        context.publish(absence.availability, on: .availability)
        if !isFirst {
            context.failPending(.deviceGone(absence.error))
            context.post(.deviceDetached)
            context.saveState()
        }
        context.post(.presenceKnown)
    }

    /// Closes the backend, and fails the completions that it hasn't called.
    private func release(_ absence: CameraAbsence) {
        presence = .absent(absence)
        let released = takeBackend()
        released.close()
        released.callbacks.streamed = { _, _ in }
        failCompletions()
    }

    /// Takes the backend out of use: no node gets anything of it any more, but completions.
    private func takeBackend() -> any CameraBackend {
        let taken = backend
        backend = AbsentCamera()
        taken.callbacks.lensReported = { _ in }
        taken.callbacks.controlsChanged = {}
        return taken
    }

    /// Fails the completions that the backend hasn't called.
    private func failCompletions() { for fail in pending.takeAll() { fail(.unplugged) } }

    /// The session and the controls are restored; the zoom follows.
    func beginRestoringZoom() { presence = .restoring }

    /// The zoom is restored, or its time is over.
    func becomeReady() {
        presence = .ready
        context.publish(Availability(.online), on: .availability)
        context.post(.presenceKnown)
        context.post(.deviceReady)
    }

    private func count(frames: Int, lost: Int) {
        frameCounts.received += frames
        frameCounts.lost += lost
        context.logger.debug("\(context.id): received \(frames) frames, lost \(lost)")
    }

    /// Counts a frame as lost because nothing could be made of it. A frame is counted once, although it may
    /// be in a photo, a preview and a recording.
    ///
    /// - Parameter time: when it was exposed.
    func countDamagedFrame(exposedAt time: ContinuousClock.Instant) {
        if damagedFrames.contains(time) { return }
        if damagedFrames.count == Self.damagedFramesKept { damagedFrames.removeFirst() }
        damagedFrames.append(time)
        count(frames: 0, lost: 1)
        requestKeyFrame()
    }

    /// With the next key frame pictures of H.264 are intact again.
    private func requestKeyFrame() {
        let now = context.now
        if let last = keyFrameRequest, last.duration(to: now) < Self.keyFrameInterval { return }
        keyFrameRequest = now
        backend.requestKeyFrame()
    }

    /// Counts the frame of a result that failed because of the frame.
    func countIfDamaged<Value>(_ result: Result<Value, EncodingFailure>, _ frame: Frame) {
        if case .failure(let failure) = result, failure.isOfFrame {
            countDamagedFrame(exposedAt: frame.exposedAt)
        }
    }

    // MARK: Privacy

    /// Takes the device out of use, has all nodes fail what they want of it, and closes it. It isn't opened
    /// before ``endPrivacy()``, also if it isn't there at the moment.
    ///
    /// - Parameters:
    ///   - steps: what is requested of the device before it is closed. After the call no frame of it reaches
    ///     a node, whether or not the steps are done.
    ///   - then: called once when the device is closed, perhaps during the call: with the reason if its own
    ///     privacy control couldn't be set. Not called if ``endPrivacy()`` comes first.
    func makePrivate(after steps: DeviceClosing.Steps, then: @escaping (CameraError?) -> Void) {
        handle(.madePrivate(steps, then: then))
    }

    /// Looks for the device again.
    func endPrivacy() { handle(.privacyEnded) }

    private func close(after steps: DeviceClosing.Steps, _ then: @escaping (CameraError?) -> Void) {
        let wasAttached = !(backend is AbsentCamera)
        presence = .private
        let camera = takeBackend()
        // The nodes first: to a recording, a completion that fails is a device that was unplugged.
        context.failPending(.privacy)
        failCompletions()
        if wasAttached { context.post(.deviceDetached) }
        context.publish(Availability(.online, reason: "private"), on: .availability)
        context.post(.presenceKnown)
        let last = DeviceClosing(camera, wasAttached ? steps : .init(stopsLens: false), context) {
            [weak self] error in
            guard let self else { return }
            closing = nil
            source.close()
            camera.callbacks.streamed = { _, _ in }
            then(error)
        }
        closing = last
        last.begin()
    }

    private func reopen() {
        guard presence == .private else { return }
        if closing != nil {
            closing = nil
            source.close()
        }
        presence = .unknown
        context.publish(Availability(.offline, reason: "not_ready"), on: .availability)
        source.search()
    }

    /// Warns that a frame failed. A preview that stands still shows no reason: only photos and recordings are
    /// answered with it.
    private func warn(of error: CameraError) {
        guard case .device(let words) = error else { return }
        if let last = lastFrameWarning, last.duration(to: context.now) < Self.warningInterval { return }
        lastFrameWarning = context.now
        context.logger.warning("\(context.id): no picture: \(words)")
    }

    // MARK: The mode

    var modeUse: ModeUse { mode.use }

    /// Claims the mode; nil when it is in use.
    func claimMode(for use: ModeUse) -> ModeClaim? {
        mode.claim(for: use)
    }

    /// Ends a claim. One on a device that was replaced has ended already.
    func release(_ claim: ModeClaim) {
        if mode.release(claim) { context.post(.modeReleased) }
    }

    /// The mode of the session. While a recording stores the camera's own video, frames come in the pixel
    /// format of that video instead.
    var sessionMode: CameraMode { mode.sessionMode ?? backend.mode }

    /// Changes to the pixel format of a recording, for a node that has claimed the mode.
    ///
    /// - Parameter then: see ``setMode(_:then:)``.
    func setRecordingMode(
        _ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        self.mode.sessionMode = backend.mode
        setMode(mode) { [weak self] result in
            if case .failure = result { self?.mode.sessionMode = nil }
            then(result)
        }
    }

    /// Changes back to the mode of the session. If that fails, the session has the mode of the recording.
    ///
    /// - Parameter then: see ``setMode(_:then:)``.
    func restoreSessionMode(then: @escaping (Result<CameraMode, CameraError>) -> Void) {
        setMode(sessionMode) { [weak self] result in
            self?.mode.sessionMode = nil
            then(result)
        }
    }

    // MARK: Requests to the backend

    /// See ``Cameras/CameraBackend/setControls(_:then:)``.
    func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        backend.setControls(values, then: once(then))
    }

    /// See ``Cameras/CameraBackend/setMode(_:then:)``.
    func setMode(_ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void) {
        backend.setMode(mode, then: once(then))
    }

    /// Whether a better device that comes has to wait.
    private var isInUse: Bool {
        // A recording may have the frames of another stream.
        if mode.use == .recording { return true }
        return lastUse.map { $0.duration(to: context.now) < Self.timeOfUse } ?? false
    }

    /// See ``Cameras/CameraBackend/frame(exposedAfter:then:)``.
    ///
    /// - Parameter isUse: whether a better device that comes has to wait for the end of this use.
    func frame(
        exposedAfter time: ContinuousClock.Instant, isUse: Bool = true,
        then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        if isUse { lastUse = context.now }
        backend.frame(
            exposedAfter: time,
            then: once { [weak self] result in
                if case .failure(let error) = result { self?.warn(of: error) }
                then(result)
            })
    }

    /// See ``Cameras/CameraBackend/openVideo(_:then:)``.
    func openVideo(
        _ mode: CameraMode, then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) {
        backend.openVideo(mode, then: once(then))
    }

    /// Makes sure that a completion is called once.
    private func once<Value>(
        _ then: @escaping (Result<Value, CameraError>) -> Void
    ) -> (Result<Value, CameraError>) -> Void {
        let number = pending.add { then(.failure($0)) }
        return { [weak self] result in
            guard let self, pending.take(number) != nil else { return }
            if case .failure(.unplugged) = result { leave() }
            then(result)
        }
    }
}
