internal import Base

/// Publishes a state that may change with every frame: now, or a minimum interval after it was published
/// last. The last change is always published.
final class ThrottledPublication {
    /// Minimum interval between two publications of a state that can change with every frame.
    static let interval = Duration.milliseconds(100)

    private let loop: EventLoop
    private let timer: LoopTimer
    private var last: ContinuousClock.Instant?

    init(on loop: EventLoop, publish: @escaping () -> Void) {
        self.loop = loop
        timer = loop.timer(publish)
    }

    /// Schedules the publication.
    func markDue() {
        guard !timer.isSet else { return }
        timer.set(at: last.map { $0.advanced(by: Self.interval) } ?? loop.now)
    }

    /// Notes that the state has been published; what was scheduled is done by that.
    func markPublished() {
        timer.cancel()
        last = loop.now
    }

    func cancel() { timer.cancel() }
}
