internal import CameraCore
package import LoopThread
package import MQTTBus
internal import Messages

/// Publishes everything retained once more when a client asks for it: on a broker of several nodes, a client
/// may find nothing of what agents published on another node.
///
/// A few messages are published at a time, and the same ones once in ten seconds: a client that asks all the
/// time doesn't fill the broker. A request that comes earlier waits, with all others until then: its sender
/// may have connected after the messages of the earlier request.
package final class RetainedRefresh {
    /// What is to be published.
    enum Scope: Hashable {
        case agent
        /// Also the messages of the agent itself: a client needs them to use those of a camera.
        case camera(String)
    }

    private static let leastInterval = Duration.seconds(10)
    private static let messagesPerTurn = 16
    private static let turnInterval = Duration.milliseconds(50)

    private let bus: any BusPublisher
    private let topics: Topics
    private let spread: Spread
    private let loop: EventLoop
    /// The topics of a camera that aren't below those of the agent, such as that of its discovery document.
    package var documents: (_ camera: String) -> [String] = { _ in [] }
    private var due: Set<String> = []
    /// When the publication of each was last begun.
    private var beginnings: [Scope: ContinuousClock.Instant] = [:]
    /// Requests that wait for the end of ten seconds, and whether other agents have the same.
    private var waiting: [Scope: Bool] = [:]
    private lazy var timer = loop.timer { [weak self] in self?.publishNext() }
    private lazy var waitingTimer = loop.timer { [weak self] in self?.beginWaiting() }

    package init(_ frontEnd: MQTTFrontEnd, _ spread: Spread, on loop: EventLoop) {
        (bus, topics, self.spread, self.loop) = (frontEnd.bus, frontEnd.topics, spread, loop)
    }

    /// Publishes now, or ten seconds after the last time.
    ///
    /// - Parameter isOfMany: whether other agents have the same request: then each waits for its part of
    ///   `mqtt.spread_s`.
    func request(_ scope: Scope, isOfMany: Bool) {
        if waiting[scope] == nil && earliest(scope) <= loop.now { return begin(scope, isOfMany: isOfMany) }
        waiting[scope] = isOfMany && waiting[scope] ?? true
        setWaitingTimer()
    }

    private func begin(_ scope: Scope, isOfMany: Bool) {
        beginnings[scope] = loop.now
        switch scope {
        case .agent:
            due.formUnion(bus.retainedTopics)
            waiting = [:]
        case .camera(let camera):
            due.formUnion(topics.retained + topics.retained(ofCamera: camera) + documents(camera))
            waiting[scope] = nil
        }
        if !isOfMany {
            timer.set(after: .zero)
        } else if !timer.isSet {
            timer.set(after: spread.wait)
        }
    }

    /// When this may be published again. What the agent publishes has the messages of all cameras.
    private func earliest(_ scope: Scope) -> ContinuousClock.Instant {
        [Scope.agent, scope].compactMap { beginnings[$0] }.max().map { $0 + Self.leastInterval } ?? loop.now
    }

    private func beginWaiting() {
        // The agent first: it replaces all others.
        let due = waiting.keys.filter { earliest($0) <= loop.now }.sorted { first, _ in first == .agent }
        for scope in due {
            if let isOfMany = waiting[scope] { begin(scope, isOfMany: isOfMany) }
        }
        setWaitingTimer()
    }

    private func setWaitingTimer() {
        guard let next = waiting.keys.map(earliest).min() else { return waitingTimer.cancel() }
        waitingTimer.set(after: loop.now.duration(to: next))
    }

    /// They keep the order of their first use, so that `online` follows the states that it stands for.
    private func publishNext() {
        // The next connection publishes everything.
        guard bus.isConnected else { return due.removeAll() }
        guard bus.hasCapacity else { return timer.set(after: Self.turnInterval) }
        let next = bus.retainedTopics.lazy.filter(due.contains).prefix(Self.messagesPerTurn)
        guard !next.isEmpty else { return due.removeAll() }
        let turn = Set(next)
        due.subtract(turn)
        bus.republish(turn)
        if !due.isEmpty { timer.set(after: Self.turnInterval) }
    }
}
