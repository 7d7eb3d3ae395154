internal import CameraCore
package import LoopThread
package import MQTTBus
internal import Messages

/// Publishes everything retained once more when a client asks for it: on a broker of several nodes, a client
/// may find nothing of what agents published on another node.
///
/// A few messages are published at a time, and what was asked for less than ten seconds ago is not published
/// again: a client that asks all the time doesn't fill the broker.
package final class RetainedRefresh {
    /// What is to be published.
    enum Scope: Hashable {
        case agent
        /// Also the messages of the agent itself: a camera is of no use to who doesn't know its agent.
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
    private var lastRequests: [Scope: ContinuousClock.Instant] = [:]
    private lazy var timer = loop.timer { [weak self] in self?.publishNext() }

    package init(_ frontEnd: MQTTFrontEnd, _ spread: Spread, on loop: EventLoop) {
        (bus, topics, self.spread, self.loop) = (frontEnd.bus, frontEnd.topics, spread, loop)
    }

    /// Begins to publish, unless that was requested within the last ten seconds.
    ///
    /// - Parameter isOfMany: whether other agents have the same request: then each waits for its part of
    ///   `mqtt.spread_s`.
    func request(_ scope: Scope, isOfMany: Bool) {
        guard !wasRequested(scope) else { return }
        lastRequests[scope] = loop.now
        switch scope {
        case .agent: due.formUnion(bus.retainedTopics)
        case .camera(let camera):
            due.formUnion(topics.retained + topics.retained(ofCamera: camera) + documents(camera))
        }
        if !isOfMany {
            timer.set(after: .zero)
        } else if !timer.isSet {
            timer.set(after: spread.wait)
        }
    }

    private func wasRequested(_ scope: Scope) -> Bool {
        [Scope.agent, scope].contains { scope in
            lastRequests[scope].map { $0.duration(to: loop.now) < Self.leastInterval } ?? false
        }
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
