internal import Bus
internal import Contract
internal import Core

/// Where the answers to an MQTT message go: to the response topic of MQTT 5, or to the `reply` topic beside
/// the command's.
final class MQTTReplyAddress: ReplyAddress {
    private let bus: any BusPublisher
    /// The `reply` topic beside the command's.
    let replyTopic: String
    private let responseTopic: String?
    private let correlation: [UInt8]?
    private let photoGroup: String?
    /// An answer has the QoS of its command, at most 1: a client that needs no acknowledgement of its command
    /// needs none of the answer.
    private let qos: QualityOfService

    /// - Parameters:
    ///   - qos: of the message.
    ///   - responseTopic: of the message; nil: it has none, or one that is not permitted.
    ///   - photoGroup: of the photos that are answers (``MQTTBus/withdraw(group:)``); nil: the message is for
    ///     no camera.
    init(
        replyTopic: String, qos: QualityOfService, responseTopic: String? = nil,
        correlation: [UInt8]? = nil, photoGroup: String? = nil, bus: any BusPublisher
    ) {
        (self.bus, self.replyTopic, self.qos) = (bus, replyTopic, min(qos, .atLeastOnce))
        (self.responseTopic, self.correlation) = (responseTopic, correlation)
        self.photoGroup = photoGroup
    }

    /// On the shared `reply` topic, clients could not distinguish a photo from JSON answers. A client gets a
    /// photo there only if it names the topic as its response topic.
    var acceptsPhotos: Bool { responseTopic != nil }

    func send(_ reply: [UInt8]) {
        guard let responseTopic else { return bus.publishQueued(replyTopic, reply, qos: qos) }
        bus.publishQueued(
            responseTopic, reply, qos: qos,
            BusProperties(contentType: "application/json", correlation: correlation))
    }

    func send(photo: [UInt8], _ fields: PhotoFields, id: String?) {
        send(photo, "image/jpeg", fields.properties, id)
    }

    func send(part: [UInt8], _ fields: MediaPartFields, id: String?) {
        send(part, fields.contentType, fields.properties, id)
    }

    private func send(
        _ bytes: [UInt8], _ type: String, _ fields: [(name: String, value: String)], _ id: String?
    ) {
        guard let responseTopic else { return }
        var properties = BusProperties(contentType: type, user: fields)
        properties.correlation = correlation
        if let id { properties.user.append(("id", id)) }
        bus.publishQueued(responseTopic, bytes, qos: qos, properties, group: photoGroup)
    }
}
