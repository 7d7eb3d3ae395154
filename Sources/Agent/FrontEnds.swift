internal import CameraCore
internal import HomeAssistant
internal import Logging
internal import LoopThread
internal import MQTTBus
internal import MQTTFrontEnd
internal import Messages
internal import Settings

/// The front ends of an agent, and what they share: the connection to the broker and the removal of old
/// topics.
final class FrontEnds {
    private static let maxRefusedTopics = 100

    private let settings: AgentSettings
    private let loop: EventLoop
    private let logger: Logger
    private let bus: MQTTBus
    private let mqtt: MQTTFrontEnd
    private let availability: AgentAvailability
    /// Watches for another device with the agent's name.
    let sameName: SameNameWatch
    private let fleet: FleetConfigurationReceiver
    let discovery: HomeAssistantDiscovery
    let cleanup: RetainedTopicCleanup
    /// Where cameras publish.
    let hub: FrontEndHub
    private var router: CommandRouter?
    /// Reads the revisions at the broker, if the state is lost.
    private var revisions: RetainedRevisions?
    /// The topics on which the broker's access rules refuse to publish.
    private var refusedTopics: Set<String> = []
    var connectionChanged: (BusEvent) -> Void = { _ in }

    /// - Parameters:
    ///   - run: the identity of this run of the program.
    ///   - faultFile: counts the runs that ended by a fault; nil: nothing does.
    /// - Throws: `BusError` when the settings can't be used; `LoopError` when the process is out of threads
    ///   or descriptors.
    init(
        _ settings: AgentSettings, version: String, run: String, keeper: StateKeeper, faultFile: String?,
        on loop: EventLoop, logger: Logger
    ) throws {
        (self.settings, self.loop, self.logger) = (settings, loop, logger)
        bus = try MQTTFrontEnd.makeBus(
            settings, boot: keeper.boot,
            filters: (keeper.lacksRevisions ? RetainedRevisions.filters(Topics(settings)) : [])
                + HomeAssistantDiscovery.filters(settings)
                + RetainedTopicCleanup.filters(keeper.served, besides: Topics(settings)),
            faultFile: faultFile, on: loop)
        if settings.mqtt.protocolVersion == .automatic {
            logger.notice("mqtt.protocol: auto means 5; a broker that supports only MQTT 3.1.1 needs 3.1.1")
        }
        if bus.waitAfterFaults > .zero {
            logger.warning(
                "the last runs ended by a fault: the first connection waits \(bus.waitAfterFaults.inSeconds)")
        }
        mqtt = MQTTFrontEnd(settings, to: bus)
        availability = AgentAvailability(mqtt, settings.mqtt, on: loop)
        sameName = SameNameWatch(
            mqtt, run: run, earlierRuns: keeper.earlierRuns, spread: Spread(settings.mqtt), on: loop)
        fleet = FleetConfigurationReceiver(mqtt.topics)
        discovery = HomeAssistantDiscovery(
            mqtt, settings, version: version, known: keeper.discovered, on: loop, logger: logger,
            topicsChanged: { [weak keeper] in keeper?.topicsChanged() })
        cleanup = RetainedTopicCleanup(
            mqtt,
            cameras: ServedCameras(
                ids: settings.cameras.map(\.id), placeholderCamera: settings.placeholderCamera),
            served: keeper.served, documents: discovery, on: loop,
            topicsChanged: { [weak keeper] in keeper?.topicsChanged() })
        hub = FrontEndHub([mqtt, discovery])
    }

    /// Routes commands to the cameras, and publishes the agent's `info`.
    ///
    /// - Parameter fleetConfigurationCame: called with each document of the fleet.
    func start(
        _ cameras: [Camera], _ info: AgentInfo, boot: Int, fleetConfigurationCame: @escaping ([UInt8]) -> Void
    ) {
        let refresh = RetainedRefresh(mqtt, Spread(settings.mqtt), on: loop)
        refresh.documents = { [weak discovery] in discovery?.documents(of: $0) ?? [] }
        router = CommandRouter(
            mqtt, cameras: Dictionary(uniqueKeysWithValues: cameras.map { ($0.id, $0) }),
            clients: ClientRules(settings), limits: settings.limits, boot: boot, refresh: refresh,
            listeners: [discovery, cleanup, sameName, fleet], on: loop,
            logger: logger)
        fleet.documentCame = fleetConfigurationCame
        bus.retryDelay = { [weak sameName] end, usual in
            sameName?.delay(after: end, usual: usual) ?? usual
        }
        sameName.pause = { [weak bus, name = settings.agent] wait in
            bus?.pause(for: wait, "another device uses the name \(name)")
        }
        // The router holds the bus.
        bus.received = { [weak self] message in
            guard let self, revisions?.received(message) != true else { return }
            router?.received(message)
        }
        bus.connectionChanged = { [weak self] in self?.note($0) }
        bus.publicationRefused = { [weak self] in self?.noteRefusal(of: $0, $1) }
        mqtt.publishAgent(info)
        discovery.start(after: cleanup)
        cleanup.start()
    }

    /// The topics at the broker, for the saved state.
    var topics: SavedTopics { SavedTopics(discovered: discovery.known, served: cleanup.served) }

    /// - Parameter spread: decides how long the first attempt waits.
    func connect(_ spread: Spread) { bus.start(spread) }

    /// Connects, and reads the revisions in the states that an earlier run left at the broker. The cameras
    /// wait for that.
    ///
    /// - Parameters:
    ///   - spread: decides how long the first attempt waits.
    ///   - found: called for each of these states, a few also after `then`.
    ///   - then: called once.
    func connect(
        _ spread: Spread, found: @escaping (_ camera: String, _ rev: Int) -> Void,
        then: @escaping (RetainedRevisions.Outcome) -> Void
    ) {
        revisions = RetainedRevisions(
            mqtt.topics, cameras: settings.cameras.map(\.id), connectsAfter: spread.wait, on: loop,
            unsubscribe: { [bus] in bus.unsubscribe($0) },
            askForAnswer: { [bus] in bus.askForAnswer(then: $0) }, found: found, then: then)
        bus.start(spread)
    }

    /// Publishes the agent's `info` again, because it has changed.
    func publishAgent(_ info: AgentInfo) { mqtt.publishAgent(info) }

    /// Publishes the agent's availability.
    func publishAgent(_ state: Availability.State, boot: Int) { availability.publish(state, boot: boot) }

    /// Sends the last messages, disconnects, and calls back. Nothing is received any more: nothing could be
    /// answered.
    func disconnect(then: @escaping () -> Void) {
        bus.received = { _ in }
        bus.stop(then: then)
    }

    // MARK: The connection

    private func note(_ event: BusEvent) {
        connectionChanged(event)
        switch event {
        case .subscriptionRefused(let filter):
            revisions?.subscriptionRefused(filter)
            noteRefusal(of: filter)
        case .subscribed:
            revisions?.subscribed()
            cleanup.subscribed()
            discovery.subscribed()
        case .connected(let session):
            sameName.connected()
            cleanup.connected()
            discovery.connected()
            logger.info("connected to \(session.summary)")
            for warning in session.warnings {
                logger.warning("the broker \(session.host) is not suitable: \(warning)")
            }
        case .disconnected(let reason, let wait):
            revisions?.disconnected()
            cleanup.disconnected()
            discovery.disconnected()
            let next = wait == .zero ? "the next host is tried" : "next attempt in \(wait.inSeconds)"
            logger.warning("no connection to \(reason); \(next)")
        }
    }

    private func noteRefusal(of filter: String) {
        if HomeAssistantDiscovery.filters(settings).contains(where: { $0.filter == filter }) {
            logger.notice(
                "the broker refuses the subscription to \(filter): messages of Home Assistant aren't received"
            )
        } else if let revisions, revisions.needs(filter) {
            logger.notice(
                "the broker refuses the subscription to \(filter): the revisions of an earlier run aren't known"
            )
        } else if filter == mqtt.topics.fleetConfiguration {
            logger.notice(
                "the broker refuses the subscription to \(filter): the fleet's configuration isn't received")
        } else if filter == SameNameWatch.filter(mqtt.topics).filter {
            logger.notice(
                "the broker refuses the subscription to \(filter): another device with this name may not be noticed"
            )
        } else if cleanup.needs(filter) {
            logger.notice(
                "the broker refuses the subscription to \(filter): retained messages of an earlier name stay")
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
