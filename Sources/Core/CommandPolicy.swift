package import Contract
internal import ZoomModel

/// The rules that decide whether a command is admitted.
package struct CommandPolicy: Sendable, Equatable {
    /// The command can't be done without the device.
    var needsDevice = true
    /// The command moves the zoom, so another client's lease refuses it.
    var movesZoom = false
    /// A repetition under the same id is refused as `duplicate`. Samples have sequence numbers of their own,
    /// leases are renewed by repetition, and a desired state has a version.
    var runsOnce = true
    /// The command counts against its client's rate limit. Samples don't, as the newest replaces the others,
    /// and neither does a command that ends an activity.
    package var isRateLimited = true
    /// Photos that the command may take within a minute: they count against its client's limit of photos.
    package var photos = 0
    /// The command changes the saved state; its answer has `persisted: false` when that can't be stored.
    var savesState = false

    /// What a request needs until a node knows more.
    var needs: Request.Needs { needsDevice ? [.device, .pictures] : [] }
}

extension Command.Body {
    /// The one table of admission rules: a line for each command.
    package var policy: CommandPolicy {
        switch self {
        case .zoom(let command):
            CommandPolicy(movesZoom: true, isRateLimited: command != .stop, savesState: true)
        case .pinch, .touch:
            CommandPolicy(movesZoom: true, runsOnce: false, isRateLimited: false, savesState: true)
        case .viewport: CommandPolicy(movesZoom: true, savesState: true)
        case .capture(let command):
            CommandPolicy(movesZoom: command.zoom != nil, photos: command.photosInAMinute)
        case .press(let command): CommandPolicy(photos: command.phase == .cancelled ? 0 : 1)
        case .stopCapture: CommandPolicy(needsDevice: false, runsOnce: false, isRateLimited: false)
        case .controls: CommandPolicy(savesState: true)
        case .recording(let command):
            CommandPolicy(needsDevice: command != .off, isRateLimited: command != .off)
        case .session(let command): CommandPolicy(movesZoom: command.zoom != nil, savesState: true)
        case .presets(.save): CommandPolicy(savesState: true)
        case .presets(.go): CommandPolicy(movesZoom: true, savesState: true)
        case .presets(.delete): CommandPolicy(needsDevice: false, savesState: true)
        case .preview(let command):
            CommandPolicy(
                needsDevice: command != .stop, runsOnce: false, isRateLimited: command != .stop)
        case .lease: CommandPolicy(needsDevice: false, runsOnce: false)
        case .desired(let command):
            CommandPolicy(
                needsDevice: false, movesZoom: command.zoom != nil, runsOnce: false, savesState: true)
        case .media(.delete): CommandPolicy(needsDevice: false)
        // What reads may be repeated.
        case .media: CommandPolicy(needsDevice: false, runsOnce: false)
        case .cancel: CommandPolicy(needsDevice: false, runsOnce: false, isRateLimited: false)
        // Another client's lease doesn't keep a camera public, and neither does the limit of the client.
        case .privacy(let command):
            CommandPolicy(needsDevice: false, isRateLimited: command == .off, savesState: true)
        }
    }
}

extension CaptureSet {
    /// How many of its photos are due within a minute of the first.
    fileprivate var photosInAMinute: Int {
        intervalMilliseconds == 0 ? count : min(count, 60_000 / intervalMilliseconds + 1)
    }
}

extension Command.Body {
    /// Whether frames have to come when the command is carried out.
    var usesFrames: Bool {
        switch self {
        case .capture: true
        case .recording(let command): command != .off
        default: false
        }
    }
}
