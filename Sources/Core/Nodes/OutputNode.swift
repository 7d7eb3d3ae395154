internal import Base
internal import Cameras
internal import Contract
internal import Logging
internal import Settings

/// `output`: a virtual camera, that is a device on which other programs see what is in view.
///
/// The device gets a picture at a fixed rate, also without a camera: then it is black, so that programs which
/// read it don't hang. One picture is under way at a time: a device that is slow or that blocks causes fewer
/// pictures, and delays nothing else.
final class OutputNode: BasedNode {
    private enum Phase {
        /// No output is configured, or the camera has stopped.
        case off
        /// The device can't be used for this reason; it is tried again.
        case failed(CommandError)
        case opening(any ActiveOutput)
        case open(OutputInUse)
    }

    /// How long after a failure the device is tried again.
    private static let retryDelay = Duration.seconds(2)
    /// A device that needs longer for a picture, or to be opened, is reported as one that blocks.
    private static let longestCall = Duration.seconds(5)
    /// How often a device is asked whether it is read, while it isn't.
    private static let readPolling = Duration.milliseconds(250)

    private var settings: OutputSettings { context.settings.output }
    private var phase = Phase.off
    private lazy var report = OutputPublication(context)
    private lazy var frames = OutputFrames(context, device: device) { [weak self] in self?.showIfDue() }
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }
    private lazy var blockTimer = context.timer { [weak self] in self?.isBlocked() }

    /// Opens the device.
    func start() {
        report.start()
        var saved = SavedOutput()
        saved.hasOutput = settings.path == nil ? nil : true
        context.keep(saved)
        open()
    }

    /// Whether a picture of the camera may be on the device, or on its way there.
    var showsCamera: Bool { if case .open(let output) = phase { output.showsCamera } else { false } }

    // MARK: The device

    private func open() {
        guard let path = settings.path, !context.isStopping else { return }
        do throws(CommandError) {
            let output = try media.outputs.begin(path, settings) { [weak self] in self?.opened($0) }
            phase = .opening(output)
            blockTimer.set(after: Self.longestCall)
            report.update(.starting)
        } catch {
            failed(error)
        }
    }

    private func opened(_ result: Result<OutputFormat, CommandError>) {
        guard case .opening(let output) = phase else { return }
        blockTimer.cancel()
        switch result {
        case .failure(let error): failed(error)
        case .success(let format):
            phase = .open(OutputInUse(output, format, rate: settings.rate, at: context.now))
            context.logger.info(
                "\(context.id): the virtual camera \(settings.path ?? "") takes \(format.pixels.rawValue) \(format.width)×\(format.height)"
            )
            beginFrames()
            showIfDue()
        }
    }

    private func failed(_ error: CommandError) {
        let showedCamera = showsCamera
        phase = .failed(error)
        blockTimer.cancel()
        frames.end()
        report.update(.failed, nil, error)
        timer.set(after: Self.retryDelay)
        if showedCamera { context.post(.outputIsBlack) }
    }

    /// The thread of the output is in a call that doesn't return. It goes on when it does.
    private func isBlocked() {
        let path = settings.path ?? ""
        report.update(
            .failed, nil, CommandError(.device, "\(path) blocks: a call of the driver doesn't return."))
        guard case .open(let output) = phase else { return }
        output.block()
        context.post(.outputIsBlack)
    }

    private func close() {
        phase = .off
        timer.cancel()
        blockTimer.cancel()
        frames.end()
    }

    // MARK: Pictures

    private func timerFired() {
        switch phase {
        case .failed: open()
        case .open: showIfDue()
        case .off, .opening: break
        }
    }

    /// Gives the device its next picture, if its time has come; otherwise when it comes.
    private func showIfDue() {
        guard case .open(let output) = phase, !output.isBusy else { return }
        if isIdle(output) { return pollReader(of: output) }
        let due = output.timeOfNext(frames.newest)
        if due > context.now { return timer.set(at: due) }
        let view = frames.newest.map { zoom.shown(on: $0).view(on: $0) }
        let rate = max(device.backend.mode.rate, 0.001)
        let picture = output.next(
            frames.newest, view: view, effect: controls.effect, pause: .seconds(3 / rate), at: context.now)
        send(picture, to: output)
    }

    /// Whether no pictures have to be made, because no program reads the device.
    private func isIdle(_ output: OutputInUse) -> Bool {
        settings.isOnlyWhenRead && output.isRead == false && !output.showsCamera
    }

    private func pollReader(of output: OutputInUse) {
        frames.end()
        report.update(.idle, output)
        let due = output.lastCall.advanced(by: Self.readPolling)
        if due > context.now { return timer.set(at: due) }
        send(.nothing, to: output)
    }

    private func send(_ picture: OutputPicture, to output: OutputInUse) {
        timer.cancel()
        blockTimer.set(after: Self.longestCall)
        output.begin(picture, at: context.now) { [weak self, weak output] result in
            guard let self, let output, case .open(let present) = phase, present === output else { return }
            blockTimer.cancel()
            finished(picture, result, output)
        }
    }

    private func finished(_ picture: OutputPicture, _ result: OutputReport, _ output: OutputInUse) {
        let showedCamera = output.showsCamera
        switch result {
        case .failed(let error): return failed(error)
        case .shown(let isRead, let isDamaged):
            output.finished(picture, isDamaged: isDamaged, isRead: isRead, at: context.now)
            if case .frame(let frame, _, _) = picture, isDamaged {
                device.countDamagedFrame(exposedAt: frame.exposedAt)
            }
        }
        if settings.isOnlyWhenRead { followReader(of: output) }
        if !isIdle(output) { report.update(.running, output) }
        if showedCamera && !output.showsCamera { context.post(.outputIsBlack) }
        showIfDue()
    }

    private func followReader(of output: OutputInUse) {
        switch output.isRead {
        case nil: report.warnOfUnknownReaders()
        // A program that comes later must not see a picture of before.
        case false?: if output.showsCamera { output.becomeBlack() }
        case true?: beginFrames()
        }
    }

    // MARK: The camera

    override func observe(_ change: CameraChange) {
        switch change {
        case .deviceReady: beginFrames()
        case .deviceDetached: becomeBlack()
        case .stopped: close()
        default: break
        }
    }

    /// Begins to request frames, if the camera is there and a program may see them.
    private func beginFrames() {
        guard case .open(let output) = phase, device.presence == .ready else { return }
        if settings.isOnlyWhenRead && output.isRead == false { return }
        frames.begin()
    }

    override func failPending(_ cause: PendingFailure) {
        if cause == .privacy { becomeBlack() }
    }

    /// No picture of the camera is given to the device any more.
    private func becomeBlack() {
        frames.end()
        guard case .open(let output) = phase else { return }
        output.becomeBlack()
        showIfDue()
    }

    // MARK: State

    override func publish() { report.publish() }
}
