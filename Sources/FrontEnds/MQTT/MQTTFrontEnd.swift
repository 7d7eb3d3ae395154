package import Base
package import Bus
package import Contract
package import Core
package import Settings

/// Learns what cameras publish on the broker.
package protocol PublicationObserver: AnyObject {
    func published(_ state: some FieldValue, on channel: Channel, of camera: String)
    func publishedPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String)
    func withdrewPictures(of camera: String)
}

/// Cameras on an MQTT broker: maps channels to topics, QoS and properties. ``CommandRouter`` is the way in.
package final class MQTTFrontEnd: FrontEnd {
    package let bus: any BusPublisher
    package let topics: Topics
    /// Learns of each message after it was published.
    package var observer: (any PublicationObserver)?
    let settings: AgentSettings
    /// The topics of each camera's channels.
    private let channels: [String: [Channel: String]]

    /// - Parameter bus: takes the messages: what ``makeBus(_:boot:faultFile:on:)`` made.
    package init(_ settings: AgentSettings, to bus: any BusPublisher) {
        (self.settings, self.bus) = (settings, bus)
        let topics = Topics(settings)
        self.topics = topics
        channels = Dictionary(
            uniqueKeysWithValues: settings.cameras.map { ($0.id, topics.channels(of: $0.id)) })
    }

    /// Makes the client of the broker, with the agent's will and what ``NameCheck`` subscribes to. It isn't
    /// started, and sends nothing as long as it is held.
    ///
    /// - Parameters:
    ///   - boot: the count of the agent's starts, for the will.
    ///   - faultFile: see `BusSettings`.
    /// - Throws: `BusError` when the settings can't be used; `LoopError` when the process is out of threads
    ///   or descriptors.
    package static func makeBus(
        _ settings: AgentSettings, boot: Int, faultFile: String? = nil, on loop: EventLoop
    ) throws -> MQTTBus {
        var busSettings = BusSettings(settings.mqtt)
        busSettings.faultFile = faultFile
        busSettings.will = (
            Topics(settings).agentAvailability, JSON.bytes(Availability(.offline, boot: boot))
        )
        let bus = try MQTTBus(busSettings, filters: [NameCheck.filter(Topics(settings))], on: loop)
        bus.isHeld = true
        return bus
    }

    /// The subscriptions for commands and remote buttons. What is retained comes too, for `desired`; other
    /// commands are refused as stale then.
    package static func filters(_ settings: AgentSettings) -> [BusFilter] {
        let topics = Topics(settings)
        let groups = Set(settings.cameras.flatMap(\.groups)).sorted()
        // Those of groups first: brokers send what is retained in the order of the subscriptions, and what is
        // wanted of a single camera is to be applied last.
        let commands = groups.flatMap(topics.commandFilters(forGroup:)) + topics.commandFilters
        let buttons = Set(settings.cameras.flatMap(\.shutter.buttons).map(\.topic)).sorted()
        return commands.map { BusFilter($0, .includingRetained) } + buttons.map { BusFilter($0, .newOnly) }
    }

    // MARK: The agent

    /// Publishes the agent's `info`.
    package func publishAgent(_ info: AgentInfo) { bus.retain(topics.agentInfo, JSON.bytes(info)) }

    /// Publishes the agent's availability. The broker forgets it at the end of its lifetime.
    func publishAgent(_ availability: Availability) {
        bus.retain(
            topics.agentAvailability, JSON.bytes(availability),
            availability.lifetimeSeconds.map { BusProperties(expiry: UInt32($0)) })
    }

    // MARK: Cameras

    package var hasCapacity: Bool { bus.hasCapacity }

    package func publishState(
        _ state: some FieldValue, encoded: [UInt8], on channel: Channel, of camera: String
    ) {
        guard let topic = channels[camera]?[channel] else { return }
        bus.retain(topic, encoded)
        observer?.published(state, on: channel, of: camera)
    }

    package func publishEvent(_ event: Event, encoded: [UInt8], of camera: String) {
        // In a flood of refused commands, the answers to the others count more than these events.
        if event.event == .refused && bus.isConnected && !bus.hasCapacity { return }
        bus.publishQueued(topics.event(camera: camera), encoded)
    }

    package func publishSample(_ sample: [UInt8], on channel: Channel, of camera: String) -> Bool {
        guard let topic = channels[camera]?[channel] else { return false }
        return bus.publishIfReady(topic, sample, nil)
    }

    package func publishFrame(_ frame: [UInt8], _ fields: FrameFields, of camera: String) -> Bool {
        let topic = topics.previewLive(camera: camera)
        let user = settings.mqtt.protocolVersion == .v311 ? [] : fields.properties
        return bus.publishIfReady(topic, frame, BusProperties(contentType: "image/jpeg", user: user))
    }

    package func publishPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String) {
        let topic = topics.image(camera: camera)
        let properties = BusProperties(contentType: "image/jpeg", user: fields.properties)
        if settings.captures.retainsImage {
            bus.retain(topic, photo, properties)
        } else {
            bus.publishQueued(topic, photo, qos: .atLeastOnce, properties, group: topic)
        }
        observer?.publishedPhoto(photo, fields, of: camera)
    }

    /// The retained photo is removed even if this run retains none: an earlier one may have.
    package func withdrawPictures(of camera: String) {
        let topic = topics.image(camera: camera)
        bus.withdraw(group: topic)
        bus.retain(topic, [])
        observer?.withdrewPictures(of: camera)
    }
}

extension Topics {
    /// The topics of an agent as a user configured it.
    package init(_ settings: AgentSettings) {
        self.init(base: settings.mqtt.baseTopic, agent: settings.agent)
    }

    /// The topics of a camera's channels.
    fileprivate func channels(of camera: String) -> [Channel: String] {
        var channels = [Channel.zoomSample: zoomLive(camera: camera)]
        for node in Node.allCases { channels[.node(node)] = state(of: node, camera: camera) }
        for name in ReadOnlyState.allCases { channels[.readOnly(name)] = state(name, of: camera) }
        return channels
    }
}
