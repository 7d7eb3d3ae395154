internal import CameraCore
package import LoopThread
package import MQTTBus
package import Messages

/// Reads the revisions in the states that an earlier run left at the broker. Controllers ignore states with
/// lower ones, so an agent whose state is lost has to continue above them.
///
/// A broker may deliver retained messages after it has confirmed the subscriptions: immediately afterwards,
/// as ejabberd does, or when another node of a cluster has sent them. Therefore one more request follows the
/// confirmation, and revisions are found for a while after they count as read.
package final class RetainedRevisions {
    /// What is known about the revisions at the broker.
    package enum Outcome {
        /// The broker has confirmed the subscriptions, and has answered the request after them.
        case read
        /// There is no connection, or the broker does not permit to read the states.
        case unknown
    }

    private enum Phase {
        case reading(then: (Outcome) -> Void)
        /// They count as read. Those that arrive late are found too.
        case listening
        case ended
    }

    /// How long a connection may take.
    private static let connectionTime = Duration.seconds(1)
    /// How long after the confirmation retained messages may arrive.
    private static let listeningTime = Duration.seconds(2)
    /// JSON's numbers are exact in every language up to 2⁵³. Below it, there is room for the blocks that a
    /// hundred thousand starts reserve. A greater revision isn't one of ours.
    package static let maxRevision = (1 << 53) - (1 << 40)

    private struct State: Decodable { let rev: Int }

    private let filters: [BusFilter]
    private let cameras: [String: String]
    private let found: (_ camera: String, _ rev: Int) -> Void
    private let unsubscribe: ([BusFilter]) -> Void
    private let askForAnswer: (_ then: @escaping () -> Void) -> Void
    private let loop: EventLoop
    private var phase: Phase
    private lazy var timer = loop.timer { [weak self] in self?.timerFired() }

    /// Begins to wait for the connection, which has to be started next.
    ///
    /// - Parameters:
    ///   - cameras: the ids of the cameras.
    ///   - wait: how long the first attempt to connect waits.
    ///   - unsubscribe: ends subscriptions; called when no more states are to be read.
    ///   - askForAnswer: sends a request that changes nothing, and calls back with the broker's answer
    ///     (`MQTTBus.askForAnswer(then:)`).
    ///   - found: called for each state of an earlier run.
    ///   - then: called once; the revisions that were found before are those that the broker had.
    package init(
        _ topics: Topics, cameras: [String], connectsAfter wait: Duration = .zero, on loop: EventLoop,
        unsubscribe: @escaping ([BusFilter]) -> Void,
        askForAnswer: @escaping (_ then: @escaping () -> Void) -> Void,
        found: @escaping (_ camera: String, _ rev: Int) -> Void, then: @escaping (Outcome) -> Void
    ) {
        (self.loop, self.found, self.unsubscribe, self.askForAnswer) = (
            loop, found, unsubscribe, askForAnswer
        )
        filters = Self.filters(topics)
        self.cameras = Dictionary(
            uniqueKeysWithValues: cameras.flatMap { camera in
                Node.allCases.map { (topics.state(of: $0, camera: camera), camera) }
            })
        phase = .reading(then: then)
        timer.set(after: wait + Self.connectionTime)
    }

    /// The subscriptions to the states of an agent's cameras.
    package static func filters(_ topics: Topics) -> [BusFilter] {
        // A broker drops messages of a higher QoS that don't fit in its queue.
        Node.allCases.map {
            BusFilter(topics.state(of: $0, camera: "+"), .includingRetained, qos: .atMostOnce)
        }
    }

    package func received(_ message: BusMessage) -> Bool {
        if case .ended = phase { return false }
        guard message.isRetained, let camera = cameras[message.topic] else { return false }
        if let rev = JSON.value(State.self, from: message.payload)?.rev, rev <= Self.maxRevision {
            found(camera, rev)
        }
        return true
    }

    /// The broker has answered all subscriptions.
    package func subscribed() {
        guard case .reading = phase else { return }
        askForAnswer { [weak self] in self?.finish(.read) }
    }

    /// Whether a filter is subscribed to only to read revisions.
    package func needs(_ filter: String) -> Bool { filters.contains { $0.filter == filter } }

    /// The broker does not permit a subscription.
    package func subscriptionRefused(_ filter: String) {
        if needs(filter) { finish(.unknown) }
    }

    package func disconnected() { finish(.unknown) }

    private func timerFired() {
        switch phase {
        case .reading: finish(.unknown)
        case .listening:
            phase = .ended
            unsubscribe(filters)
        case .ended: break
        }
    }

    private func finish(_ outcome: Outcome) {
        guard case .reading(let then) = phase else { return }
        phase = .listening
        timer.set(after: Self.listeningTime)
        then(outcome)
    }
}
