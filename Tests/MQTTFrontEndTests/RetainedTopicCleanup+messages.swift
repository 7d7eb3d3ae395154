@testable import Bus
@testable import Contract
@testable import FrontEnds

extension RetainedTopicCleanup {
    /// Delivers the retained messages of another agent.
    ///
    /// - Parameter cameras: those of its `info`; nil: it has published none.
    func receiveAgent(_ name: String, _ state: Availability.State, cameras: [String]?) {
        receiveRetained("v4l2mqtt/\(name)/availability", JSON.bytes(Availability(state)))
        guard let cameras else { return }
        let info = AgentInfo(
            agent: name, version: "1", protocol: 1, host: "h", cameras: cameras, clients: nil, started: "")
        receiveRetained("v4l2mqtt/\(name)/info", JSON.bytes(info))
    }

    func receiveRetained(_ topic: String, _ payload: [UInt8]) {
        for subscription in subscriptions where subscription.filter.filter == topic {
            subscription.received(
                BusMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true))
        }
    }
}
