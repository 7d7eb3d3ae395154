internal import Base
internal import Logging

/// Logs how many messages are dropped or refused unread: the first one at once, further ones as one warning a
/// minute, also when no more follow.
final class UnreadMessagesLog {
    private static let interval = Duration.seconds(60)

    private let logger: Logger
    private let loop: EventLoop
    /// The messages since the last warning.
    private var count = 0
    /// Set for an interval after each warning.
    private lazy var timer = loop.timer { [weak self] in self?.intervalEnded() }

    init(_ logger: Logger, on loop: EventLoop) { (self.logger, self.loop) = (logger, loop) }

    /// Counts a message.
    func note() {
        count += 1
        if !timer.isSet { warn() }
    }

    private func intervalEnded() {
        if count > 0 { warn() }
    }

    private func warn() {
        logger.warning(
            "the clients send more than the agent reads (limits.total_commands_per_second): messages dropped or refused since the last such warning: \(count)"
        )
        count = 0
        timer.set(after: Self.interval)
    }
}
