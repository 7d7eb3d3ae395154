internal import Cameras
internal import LoopThread
internal import MQTTBus
internal import Messages

/// What earlier runs of the agent left at the broker, under a name that it or one of its cameras had, and nobody says any more: it is taken back.
///
/// With each connection it listens for a moment whether another agent bears an earlier name by now; then Home Assistant's documents go, and
/// a while later the states. What is interrupted begins anew with the next connection: by then, the name may be somebody else's.
final class Leftovers {
    /// What is said under an earlier name.
    private struct Bearer {
        var isOnline = false
        var cameras: Set<String>?
    }

    /// So long the broker may take to say what it keeps.
    private static let listening = Duration.milliseconds(300)
    /// So long states outlive the documents that told Home Assistant of them: to an entity, an empty state is an error.
    private static let grace = Duration.seconds(5)
    /// Between two looks whether what was taken back has arrived.
    private static let patience = Duration.milliseconds(100)
    /// So long after a document was taken back, Home Assistant may empty the topics of others, too: those that it knew before under the same
    /// entity ids.
    private static let echoes = Duration.seconds(30)

    private unowned let agent: Agent
    /// Where the broker may have something: what topics begin with, and the cameras below. It is kept in the state file, as nobody else knows.
    private(set) var served: [String: [String]]
    private var bearers: [String: Bearer] = [:]
    /// Whether no document is to be taken back any more: one that comes under a new name before would give Home Assistant two entities of one id.
    private(set) var areDocumentsSettled = false
    /// What has been emptied, until that has arrived, and what follows then.
    private var underWay: (topics: Set<String>, then: () -> Void)?
    private var lastDocument: ContinuousClock.Instant?
    private lazy var listened = agent.loop.timer { [weak self] in self?.takeBackDocuments() }
    private lazy var waited = agent.loop.timer { [weak self] in self?.takeBackStates() }
    private lazy var look = agent.loop.timer { [weak self] in self?.settle() }

    init(_ agent: Agent, served: [String: [String]]) { (self.agent, self.served) = (agent, served) }

    private var root: String { agent.topics.root }

    /// What to subscribe to: whether an agent of an earlier name is there, and with which cameras.
    static func filters(_ served: [String: [String]], besides topics: Topics) -> [BusFilter] {
        served.keys.filter { $0 != topics.root }.sorted().compactMap(Topics.init(root:)).flatMap(\.retained)
            .map { BusFilter($0, .includingRetained) }
    }

    /// Whether something is subscribed to only because of an earlier name.
    func awaits(_ filter: String) -> Bool {
        Self.filters(served, besides: agent.topics).contains { $0.filter == filter }
    }

    func start() {
        areDocumentsSettled = agent.link.documentsToTakeBack.isEmpty
        for camera in absent {
            agent.bus.retain(
                agent.topics.availability(of: camera),
                JSON.bytes(Availability(.offline, reason: CameraAbsence.notFound.reason)))
        }
    }

    /// Cameras that were served under the present name, and aren't.
    private var gone: Set<String> { Set(served[root] ?? []).subtracting(agent.cameras.keys) }

    /// Of these, those that are just not plugged in: where every camera that is found is served, nobody has taken them out.
    private var absent: Set<String> { agent.settings.standIn.map { gone.subtracting([$0]) } ?? [] }

    /// And the others.
    private var removed: Set<String> { gone.subtracting(absent) }

    // MARK: The connection

    func connected() { bearers = [:] }

    /// What the broker keeps of the others comes now.
    func subscribed() {
        if !isDone { listened.set(after: Self.listening) }
    }

    func disconnected() {
        for timer in [listened, waited, look] { timer.cancel() }
        if let underWay { agent.bus.stopRetaining(underWay.topics) }
        underWay = nil
    }

    /// Takes a message, if it is about an earlier name.
    func received(_ message: BusMessage) -> Bool {
        for root in served.keys where root != self.root {
            guard let topics = Topics(root: root) else { continue }
            switch message.topic {
            case topics.agentAvailability:
                let state = JSON.value(Availability.self, from: message.payload)?.state
                bearers[root, default: .init()].isOnline = state == .online
                return true
            case topics.agentInfo:
                let info = JSON.value(AgentInfo.self, from: message.payload)
                bearers[root, default: .init()].cameras = info.map { Set($0.cameras) }
                return true
            default: continue
            }
        }
        return false
    }

    // MARK: Taking back

    private var isDone: Bool {
        served.keys.allSatisfy { $0 == root } && removed.isEmpty && areDocumentsSettled
    }

    /// Whether what was emptied may be Home Assistant's own doing.
    var mayEcho: Bool { lastDocument.map { $0.duration(to: agent.loop.now) < Self.echoes } ?? false }

    /// Whether a camera below an earlier name is nobody's any more.
    func isNobodys(_ camera: String, below root: String) -> Bool {
        guard let bearer = bearers[root], bearer.isOnline else { return true }
        return bearer.cameras.map { !$0.contains(camera) } ?? false
    }

    private func takeBackDocuments() {
        let topics = agent.link.documentsToTakeBack
        if !topics.isEmpty { lastDocument = agent.loop.now }
        empty(topics) { [weak self] in
            guard let self else { return }
            if !topics.isEmpty { lastDocument = agent.loop.now }
            agent.link.forget(topics)
            areDocumentsSettled = true
            waited.set(after: Self.grace)
        }
    }

    private func takeBackStates() {
        var topics = removed.filter { Topics.isName($0) }.sorted().flatMap(agent.topics.retained(ofCamera:))
        for (root, cameras) in served.sorted(by: { $0.key < $1.key }) where root != self.root {
            guard let earlier = Topics(root: root) else { continue }
            topics += cameras.filter { Topics.isName($0) && isNobodys($0, below: root) }
                .flatMap(earlier.retained(ofCamera:))
            // The agent's own last: who sees them go has seen all go.
            if bearers[root]?.isOnline != true { topics += earlier.retained }
        }
        empty(topics) { [weak self] in
            guard let self else { return }
            served = [root: Set(agent.cameras.keys).union(absent).sorted()]
            agent.link.forgetOthers()
            agent.saveSoon()
        }
    }

    /// Empties topics at the broker, and goes on when it has heard of it: said again after that, it would be somebody else's that goes.
    private func empty(_ topics: [String], then: @escaping () -> Void) {
        for topic in topics { agent.bus.retain(topic, []) }
        underWay = (Set(topics), then)
        settle()
    }

    /// Ends what has arrived.
    func settle() {
        guard let (topics, then) = underWay else { return }
        guard agent.bus.isDrained else { return look.set(after: Self.patience) }
        underWay = nil
        agent.bus.stopRetaining(topics)
        then()
    }
}
