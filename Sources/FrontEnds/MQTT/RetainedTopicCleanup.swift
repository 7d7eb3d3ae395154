package import Base
internal import Bus
internal import Cameras
internal import Contract
internal import Core
internal import Settings

/// Retained documents outside of the cameras' own topics, such as those of Home Assistant's discovery. They
/// are removed before the states that they refer to.
package protocol RetainedDocuments: AnyObject {
    /// The topics of documents that this agent published in an earlier run and that describe nothing any
    /// more.
    ///
    /// - Parameter names: the earlier names of this agent, and whether another agent has them now.
    func obsoleteTopics(_ names: EarlierNames) -> [String]
    /// The topics of documents about a camera of this agent's name.
    func topics(ofCamera camera: String) -> [String]
    /// These topics are empty at the broker.
    func wereRemoved(_ topics: [String])
    /// The clean-up is done: documents that weren't removed belong to other agents.
    func cleanUpEnded()
}

/// Removes the retained messages that earlier runs of this agent left at the broker under a name that the
/// agent or one of its cameras had, and that nothing updates any more. Below the agent's own name it also
/// removes those of other cameras: another device had the name, or the state was lost.
///
/// After each connection it listens for a moment whether another agent now uses an earlier name. Then it
/// removes documents, and after a grace period the states. A removal that is interrupted starts again with
/// the next connection, as the name may belong to another agent by then.
package final class RetainedTopicCleanup {
    /// The progress of the clean-up on the present connection.
    private enum Phase {
        /// There is no connection, or there is nothing to remove.
        case idle
        /// The broker delivers the retained messages of other agents.
        case listening
        /// These topics were emptied; the next step follows when the broker has received that.
        case emptying([String], then: () -> Void)
        /// The documents are removed; the states that they refer to stay for a while.
        case keepingStates
    }

    /// How long the broker may take to deliver the retained messages of other agents.
    private static let listeningTime = Duration.milliseconds(300)
    /// How long states outlive the documents that refer to them: to an entity, an empty state is an error.
    private static let gracePeriod = Duration.seconds(5)
    /// The interval of checks whether the broker has received the empty messages.
    private static let checkInterval = Duration.milliseconds(100)
    /// How long after the removal of a document Home Assistant may empty the topics of other documents with
    /// the same entity ids.
    private static let echoPeriod = Duration.seconds(30)

    private let bus: any BusPublisher
    private let topics: Topics
    private let loop: EventLoop
    private let settings: AgentSettings
    /// What this agent published at the broker, and the other agents with one of its earlier names.
    private(set) var names: EarlierNames
    private let documents: any RetainedDocuments
    private let topicsChanged: () -> Void
    /// Cameras below the agent's name, at the broker, that it never served.
    private var strangers: Set<String> = []
    private var phase = Phase.idle
    /// Whether no document is to be removed any more. A document under a new name must not come before: Home
    /// Assistant would have two entities with one id.
    private(set) var areDocumentsSettled = false
    private var lastDocument: ContinuousClock.Instant?
    /// The end of the phase, or the next check in it.
    private lazy var timer = loop.timer { [weak self] in self?.timerFired() }

    /// - Parameters:
    ///   - served: topic roots under which this agent published, each with its cameras, from the state file.
    ///   - topicsChanged: called when `served` has changed.
    package init(
        _ frontEnd: MQTTFrontEnd, served: [String: [String]], documents: any RetainedDocuments,
        on loop: EventLoop, topicsChanged: @escaping () -> Void
    ) {
        (bus, topics, settings) = (frontEnd.bus, frontEnd.topics, frontEnd.settings)
        self.loop = loop
        names = EarlierNames(root: frontEnd.topics.root, served: served)
        (self.documents, self.topicsChanged) = (documents, topicsChanged)
    }

    /// Roots and cameras to keep in the state file.
    package var served: [String: [String]] { names.served }

    /// Subscriptions to the availability and the cameras of agents that have an earlier name of this one, and
    /// to the availability of all cameras below the present one.
    package var subscriptions: [Subscription] {
        let earlier = names.earlierRoots.compactMap(Topics.init(root:)).flatMap { earlier in
            earlier.retained.map { topic in
                Subscription(
                    filter: BusFilter(topic, .includingRetained),
                    ifRefused: "retained messages of an earlier name stay"
                ) { [weak self] in self?.names.note($0, of: earlier) }
            }
        }
        let present = Subscription(
            filter: BusFilter(topics.availability(of: "+"), .includingRetained),
            ifRefused: "cameras of other devices stay below the name"
        ) { [weak self] in self?.noteCamera($0) }
        return earlier + [present]
    }

    package func start() {
        areDocumentsSettled = documents.obsoleteTopics(names).isEmpty
        for camera in unplugged.sorted() {
            bus.retain(
                topics.availability(of: camera),
                JSON.bytes(CameraAbsence.notFound.availability))
        }
    }

    private var ids: [String] { settings.cameras.map(\.id) }

    /// Cameras that were served under the present name and are no longer served.
    private var gone: Set<String> {
        Set(served[topics.root] ?? []).subtracting(ids)
    }

    /// Where every device that is found is served, a camera that is gone is only unplugged; it wasn't removed
    /// from the configuration.
    private var unplugged: Set<String> { settings.placeholderCamera.map { gone.subtracting([$0]) } ?? [] }

    private var removed: Set<String> { gone.subtracting(unplugged) }

    private var isDone: Bool {
        served.keys.allSatisfy { $0 == topics.root } && removed.isEmpty && strangers.isEmpty
            && areDocumentsSettled
    }

    // MARK: The connection

    package func connected() {
        names.resetOwners()
        strangers = []
    }

    /// The broker delivers the retained messages of other agents now, and of all cameras below the name.
    package func subscribed() {
        guard case .idle = phase else { return }
        phase = .listening
        timer.set(after: Self.listeningTime)
    }

    package func disconnected() {
        timer.cancel()
        if case .emptying(let topics, _) = phase { bus.stopRetaining(Set(topics)) }
        phase = .idle
    }

    private func noteCamera(_ message: BusMessage) {
        guard let parts = Topics.parse(message.topic, below: topics.base), let address = parts.camera,
            address.agent == topics.agent, message.topic == topics.availability(of: address.camera)
        else { return }
        let own = ids + (served[topics.root] ?? [])
        if !message.payload.isEmpty, !own.contains(address.camera) { strangers.insert(address.camera) }
    }

    // MARK: Removal

    /// Whether an emptied topic may be a consequence of the removal of a document, and not the action of
    /// a user.
    var mayEcho: Bool {
        lastDocument.map { $0.duration(to: loop.now) < Self.echoPeriod } ?? false
    }

    private func timerFired() {
        switch phase {
        case .idle: break
        case .listening: if isDone { phase = .idle } else { removeDocuments() }
        case .keepingStates: removeStates()
        case .emptying: continueWhenDrained()
        }
    }

    private func removeDocuments() {
        let obsolete =
            documents.obsoleteTopics(names) + strangers.sorted().flatMap(documents.topics(ofCamera:))
        noteRemoval(of: obsolete)
        empty(obsolete) { [weak self] in
            guard let self else { return }
            noteRemoval(of: obsolete)
            documents.wereRemoved(obsolete)
            areDocumentsSettled = true
            phase = .keepingStates
            timer.set(after: Self.gracePeriod)
        }
    }

    private func noteRemoval(of documents: [String]) {
        if !documents.isEmpty { lastDocument = loop.now }
    }

    private func removeStates() {
        let own = removed.union(strangers).filter { Topics.isName($0) }.sorted().flatMap(
            topics.retained(ofCamera:))
        empty(own + names.obsoleteTopics) { [weak self] in
            guard let self else { return }
            phase = .idle
            strangers = []
            names.keepOnly(Set(ids).union(unplugged).sorted())
            documents.cleanUpEnded()
            topicsChanged()
        }
    }

    /// Empties topics at the broker, and continues when the broker has received that. A message that is
    /// published again later could delete those of another agent.
    private func empty(_ topics: [String], then: @escaping () -> Void) {
        phase = .emptying(topics, then: then)
        for topic in topics { bus.retain(topic, []) }
        continueWhenDrained()
    }

    private func continueWhenDrained() {
        guard case .emptying(let topics, let then) = phase else { return }
        guard bus.isDrained else { return timer.set(after: Self.checkInterval) }
        bus.stopRetaining(Set(topics))
        then()
    }

    /// Completes the step under way, if the broker has received it: the agent stops.
    package func stop() { continueWhenDrained() }
}
