internal import Base
internal import Bus
internal import Contract
internal import Core
internal import FrontEnds
internal import Logging
internal import Settings

/// The front ends of an agent, and what they share: the connection to the broker and the removal of old
/// topics.
final class AgentFrontEnds {
    private static let maxRefusedTopics = 100

    private let settings: AgentSettings
    private let loop: EventLoop
    private let logger: Logger
    private let bus: any AgentBus
    /// Where cameras publish.
    let mqtt: MQTTFrontEnd
    let availability: AgentAvailability
    let name: NameCheck
    let discovery: HomeAssistantDiscovery
    let cleanup: RetainedTopicCleanup
    private var router: CommandRouter?
    private var session: BusSession?
    /// What is subscribed to when the name is free.
    private var filters: [BusFilter] = []
    /// All subscriptions that are not for commands, with the one to the agent's `info`.
    private var subscriptions: [Subscription] = []
    /// The topics on which the broker's access rules refuse to publish.
    private var refusedTopics: Set<String> = []
    var connectionChanged: (BusEvent) -> Void = { _ in }

    /// - Parameters:
    ///   - run: the identity of this run of the program.
    ///   - makeBus: makes the client of the broker (`AgentPorts`).
    /// - Throws: `BusError` when the settings can't be used; `LoopError` when the process is out of threads
    ///   or descriptors.
    init(
        _ settings: AgentSettings, host: AgentHost, run: String, keeper: StateKeeper,
        bus makeBus: (AgentSettings, _ boot: Int) throws -> any AgentBus, on loop: EventLoop, logger: Logger
    ) throws {
        (self.settings, self.loop, self.logger) = (settings, loop, logger)
        bus = try makeBus(settings, keeper.boot)
        if settings.mqtt.protocolVersion == .automatic {
            logger.notice("mqtt.protocol: auto means 5; a broker that supports only MQTT 3.1.1 needs 3.1.1")
        }
        if bus.waitAfterFaults > .zero {
            logger.warning(
                "the last runs ended by a fault: the first connection waits \(bus.waitAfterFaults.inSeconds)")
        }
        mqtt = MQTTFrontEnd(settings, to: bus)
        availability = AgentAvailability(mqtt, on: loop)
        name = NameCheck(mqtt, instance: keeper.instance, run: run, host: host.name, on: loop)
        discovery = HomeAssistantDiscovery(
            mqtt, version: host.version, known: keeper.discovered, on: loop, logger: logger,
            topicsChanged: { [weak keeper] in keeper?.topicsChanged() })
        cleanup = RetainedTopicCleanup(
            mqtt, served: keeper.served, documents: discovery, on: loop,
            topicsChanged: { [weak keeper] in keeper?.topicsChanged() })
        mqtt.observer = discovery
    }

    /// Routes commands to the cameras, and publishes the agent's `info`.
    ///
    /// - Parameter fleetConfigurationCame: called with each document of the fleet.
    func start(
        _ cameras: [Camera], _ info: AgentInfo, boot: Int, fleetConfigurationCame: @escaping ([UInt8]) -> Void
    ) {
        let fleet = Subscription.fleetConfiguration(mqtt.topics, came: fleetConfigurationCame)
        let whenFree = [fleet] + discovery.subscriptions + cleanup.subscriptions
        subscriptions = [name.subscription] + whenFree
        filters = MQTTFrontEnd.filters(settings) + whenFree.map(\.filter)
        router = CommandRouter(
            mqtt, cameras: Dictionary(uniqueKeysWithValues: cameras.map { ($0.id, $0) }), boot: boot,
            subscriptions: subscriptions, on: loop, logger: logger)
        bus.retryDelay = { [weak name] end, usual in name?.delay(after: end, usual: usual) ?? usual }
        name.pause = { [weak bus, name = settings.agent] wait in
            bus?.pause(for: wait, "another device uses the name \(name)")
        }
        // The router holds the bus, which would hold this closure.
        bus.received = { [weak self] message in
            self?.name.noteRequest(message)
            self?.router?.received(message)
        }
        bus.connectionChanged = { [weak self] in self?.note($0) }
        bus.publicationRefused = { [weak self] in self?.noteRefusal(of: $0, $1) }
        mqtt.publishAgent(info)
        discovery.start(after: cleanup)
        cleanup.start()
    }

    /// The topics at the broker, for the saved state.
    var topics: SavedTopics { SavedTopics(discovered: discovery.known, served: cleanup.served) }

    /// - Parameter wait: before the first attempt.
    func connect(after wait: Duration) { bus.start(after: wait) }

    /// Sends the last messages, disconnects, and calls back. Nothing is received any more: nothing could be
    /// answered.
    func disconnect(then: @escaping () -> Void) {
        bus.received = { _ in }
        bus.stop(then: then)
    }

    // MARK: The connection

    /// The name is free on this connection: what was held back is published, and commands are received.
    func begin() {
        guard name.isFree else { return }
        // Who sees that the agent is online may send commands.
        bus.subscribe(filters)
        bus.isHeld = false
        guard let session else { return }
        logger.info("connected to \(session.summary)")
        for warning in session.warnings {
            logger.warning("the broker \(session.host) is not suitable: \(warning)")
        }
    }

    private func note(_ event: BusEvent) {
        connectionChanged(event)
        switch event {
        case .subscriptionRefused(let filter): noteRefusal(of: filter)
        case .subscribed where !name.isFree: name.subscribed()
        case .subscribed:
            cleanup.subscribed()
        case .connected(let session):
            self.session = session
            name.connected()
            cleanup.connected()
        case .disconnected(let reason, let wait):
            bus.isHeld = true
            bus.unsubscribe(filters)
            cleanup.disconnected()
            let next = wait == .zero ? "the next host is tried" : "next attempt in \(wait.inSeconds)"
            logger.warning("no connection to \(reason); \(next)")
        }
    }

    private func noteRefusal(of filter: String) {
        if let refused = subscriptions.first(where: { $0.filter.filter == filter }) {
            logger.notice("the broker refuses the subscription to \(filter): \(refused.ifRefused)")
        } else {
            logger.error("the broker refuses the subscription to \(filter): its commands aren't received")
        }
    }

    /// Logged once for each topic.
    private func noteRefusal(of topic: String, _ reason: String) {
        guard refusedTopics.count < Self.maxRefusedTopics, refusedTopics.insert(topic).inserted else {
            return
        }
        logger.error("the broker refuses messages on \(topic): \(reason)")
    }
}
