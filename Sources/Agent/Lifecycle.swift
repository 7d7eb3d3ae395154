/// The life of an agent.
enum Lifecycle {
    /// It is not yet known whether the devices of these cameras are there, or they aren't restored yet.
    /// `hasReady`: another camera is ready, which these don't delay much longer.
    case starting(unknown: Set<String>, hasReady: Bool)
    case online
    /// The agent stops: the files of recordings are being completed.
    case finishingRecordings
    /// The agent stops: lenses come to rest.
    case settlingLenses
    /// The agent stops: final answers wait until the state is stored.
    case storing
    /// Every request has its final answer; the last messages are being sent.
    case leaving
    case stopped(saved: Bool)

    /// Whether the agent stops or has stopped.
    var isStopping: Bool {
        switch self {
        case .starting, .online: false
        case .finishingRecordings, .settlingLenses, .storing, .leaving, .stopped: true
        }
    }
}
