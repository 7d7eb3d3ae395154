internal import Base
internal import Cameras
internal import Contract
internal import Logging
internal import Settings

/// The state `output`, and what the log has of a virtual camera. Without a virtual camera there is no state,
/// but `null` takes the place of one that an earlier run has published.
final class OutputPublication {
    private let context: CameraContext
    /// What the virtual camera does, its device if that is open, and why it can't be used.
    private var report: (word: OutputState.Word, output: OutputInUse?, error: CommandError?) =
        (.starting, nil, nil)
    private var loggedError: CommandError?
    private var hasWarned = false
    private lazy var publication = Publication<OutputState>(
        context, .output, isNullable: true, due: { [weak self] in self?.update() })

    init(_ context: CameraContext) { self.context = context }

    /// The device; nil: there is no virtual camera.
    private var path: String? { context.settings.output.path }

    func start() {
        guard path == nil, context.saved[SavedOutput.self].hasOutput == true else { return }
        publication.publish(nil)
        context.saveState()
    }

    func update(_ word: OutputState.Word, _ output: OutputInUse? = nil, _ error: CommandError? = nil) {
        report = (word, output, error)
        log()
        if publication.differs(state) { publication.updateSoon() }
    }

    private func log() {
        if let error = report.error {
            if loggedError == error { return }
            context.logger.warning("\(context.id): no virtual camera: \(error.message)")
        } else if report.output == nil {
            return
        } else if loggedError != nil {
            context.logger.notice("\(context.id): the virtual camera runs again")
        }
        loggedError = report.error
    }

    /// The driver doesn't tell whether the device is read.
    func warnOfUnknownReaders() {
        if hasWarned { return }
        hasWarned = true
        context.logger.notice(
            "\(context.id): output.when_read has no effect: the driver doesn't report whether a program reads the device"
        )
    }

    func publish() {
        if path != nil { publication.publish(state) }
    }

    private func update() { publication.update(state) }

    private var state: OutputState {
        var state = OutputState(report.word, device: path ?? "")
        state.error = report.error
        guard let output = report.output else { return state }
        (state.width, state.height) = (output.format.width, output.format.height)
        (state.pixelFormat, state.fps) = (output.format.pixels.rawValue, output.rate)
        state.shows = output.showsCamera ? .camera : .black
        state.isRead = output.isRead
        return state
    }
}
