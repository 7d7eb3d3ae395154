internal import Cameras
internal import LoopThread
internal import MQTTBus
internal import Messages

/// What earlier runs of the agent left at the broker, under a name that it or one of its cameras had, and nobody says any more: it is taken back.
final class Leftovers {
    /// Between two looks whether what was taken back has arrived.
    private static let patience = Duration.milliseconds(500)
    /// So long states outlive the documents that told Home Assistant of them: to an entity, an empty state is an error.
    private static let grace = Duration.seconds(5)

    private unowned let agent: Agent
    /// Where the broker may have something: what topics begin with, and the cameras below. It is kept in the state file, as nobody else knows.
    private(set) var served: [String: [String]]
    /// Other names, of which it isn't known yet whether another agent bears them now.
    private var doubtful: Set<String>
    /// Below each name, cameras that are to be taken back after the grace; nil: all, with the agent itself.
    private var doomed: [String: Set<String>?] = [:]
    private var underWay: [(topics: [String], then: () -> Void)] = []
    private lazy var look = agent.loop.timer { [weak self] in self?.settle() }
    private lazy var end = agent.loop.timer { [weak self] in self?.takeBackDoomed() }

    init(_ agent: Agent, served: [String: [String]]) {
        (self.agent, self.served) = (agent, served)
        doubtful = Set(served.keys).subtracting([agent.topics.root])
    }

    /// What to subscribe to: whether an agent of an earlier name is there.
    static func filters(_ served: [String: [String]], besides topics: Topics) -> [BusFilter] {
        served.keys.filter { $0 != topics.root }.sorted().compactMap(Topics.init(root:))
            .map { BusFilter($0.agentAvailability, .retained) }
    }

    func start() {
        let root = agent.topics.root
        let gone = Set(served[root] ?? []).subtracting(agent.cameras.keys)
        // Where every camera that is found is served, one that isn't there is just not plugged in.
        let absent = agent.settings.standIn.map { gone.subtracting([$0]) } ?? []
        for id in absent {
            agent.bus.retain(
                agent.topics.availability(of: id),
                JSON.bytes(Availability(.offline, reason: CameraAbsence.notFound.reason)))
        }
        let doomed = gone.subtracting(absent)
        if !doomed.isEmpty { doom(root, doomed) }
    }

    /// Takes a message, if it is about another name's agent.
    func received(_ message: BusMessage) -> Bool {
        guard let root = doubtful.first(where: { Topics(root: $0)?.agentAvailability == message.topic })
        else { return false }
        doubtful.remove(root)
        if JSON.value(Availability.self, from: message.payload)?.state == .online {
            // It is another agent's by now.
            forget(root, nil)
        } else {
            doom(root, nil)
        }
        return true
    }

    /// Whether something is subscribed to only because of an earlier name.
    func awaits(_ filter: String) -> Bool {
        doubtful.contains { Topics(root: $0)?.agentAvailability == filter }
    }

    private func doom(_ root: String, _ cameras: Set<String>?) {
        doomed[root] = .some(cameras)
        end.set(after: Self.grace)
    }

    private func takeBackDoomed() {
        for (root, cameras) in doomed {
            guard let topics = Topics(root: root) else { continue }
            let names = (cameras?.sorted() ?? served[root] ?? []).filter { Topics.isName($0) }
            let all = names.flatMap(topics.retained(ofCamera:))
            takeBack(all + (cameras == nil ? topics.retained : [])) { [weak self] in
                self?.forget(root, cameras)
            }
        }
        doomed = [:]
    }

    private func forget(_ root: String, _ cameras: Set<String>?) {
        served[root] = cameras.flatMap { gone in served[root]?.filter { !gone.contains($0) } }
        agent.saveSoon()
    }

    // MARK: The broker

    /// Empties topics at the broker, and calls back when it has heard of it: said again after that, it would be somebody else's that goes.
    func takeBack(_ topics: [String], then: @escaping () -> Void) {
        for topic in topics { agent.bus.retain(topic, []) }
        underWay.append((topics, then))
        look.set(after: Self.patience)
    }

    /// A connection has come.
    func connected() {
        if !underWay.isEmpty { look.set(after: Self.patience) }
    }

    /// Ends what has arrived.
    func settle() {
        guard !underWay.isEmpty else { return }
        guard agent.bus.hasDelivered else {
            if agent.bus.isConnected { look.set(after: Self.patience) }
            return
        }
        let done = underWay
        underWay = []
        for (topics, then) in done {
            for topic in topics { agent.bus.forget(topic) }
            then()
        }
    }
}
