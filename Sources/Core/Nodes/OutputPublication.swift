internal import Base
internal import Cameras
internal import Contract
internal import Logging
internal import Settings

/// The state `output`, and what the log has of a virtual camera. Without a virtual camera there is no state,
/// but `null` takes the place of one that an earlier run has published.
final class OutputPublication {
    /// What a virtual camera does.
    enum Report {
        case starting
        case failed(CommandError)
        case running(OutputInUse)
        /// No program reads the device, so nothing is written.
        case idle(OutputInUse)
    }

    private let context: CameraContext
    private let settings: OutputSettings
    private let wasConfigured: Bool
    private var report = Report.starting
    private var published: OutputState?
    private var loggedError: CommandError?
    private var hasWarned = false
    private lazy var throttle = ThrottledPublication(on: context.loop) { [weak self] in
        self?.publishIfChanged()
    }

    init(_ context: CameraContext, _ settings: OutputSettings, wasConfigured: Bool) {
        (self.context, self.settings, self.wasConfigured) = (context, settings, wasConfigured)
    }

    func start() {
        guard settings.path == nil, wasConfigured else { return }
        context.publish(published.map { context.stamped($0) }, on: .output)
        context.saveState()
    }

    func update(_ report: Report) {
        self.report = report
        log()
        if state != published { throttle.markDue() }
    }

    private func log() {
        switch report {
        case .failed(let error):
            if loggedError == error { return }
            loggedError = error
            context.logger.warning("\(context.id): no virtual camera: \(error.message)")
        case .running, .idle:
            if loggedError != nil { context.logger.notice("\(context.id): the virtual camera runs again") }
            loggedError = nil
        case .starting: break
        }
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
        guard settings.path != nil else { return }
        published = state
        throttle.markPublished()
        context.publish(published.map { context.stamped($0) }, on: .output)
    }

    private func publishIfChanged() { if state != published { publish() } }

    private var state: OutputState {
        var state = OutputState(.starting, device: settings.path ?? "")
        switch report {
        case .starting: break
        case .failed(let error): (state.state, state.error) = (.failed, error)
        case .running(let output): fill(&state, .running, output)
        case .idle(let output): fill(&state, .idle, output)
        }
        return state
    }

    private func fill(_ state: inout OutputState, _ word: OutputState.Word, _ output: OutputInUse) {
        state.state = word
        (state.width, state.height) = (output.format.width, output.format.height)
        (state.pixelFormat, state.fps) = (output.format.pixels.rawValue, output.rate)
        state.shows = output.showsCamera ? .camera : .black
        state.isRead = output.isRead
    }
}
