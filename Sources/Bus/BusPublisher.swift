/// The part of ``MQTTBus`` that publishes. A front end needs no more of it; its tests collect the messages
/// instead.
///
/// See the methods of the same names of ``MQTTBus``.
package protocol BusPublisher: AnyObject {
    var isConnected: Bool { get }
    var hasCapacity: Bool { get }
    var isDrained: Bool { get }
    var retainedTopics: [String] { get }

    func retain(_ topic: String, _ payload: [UInt8], _ properties: BusProperties?)
    func retain(_ topic: String, making payload: @escaping () -> [UInt8])
    func republish(_ topics: Set<String>?)
    func stopRetaining(_ topics: Set<String>)
    func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties?,
        group: String?)
    func publishAhead(
        _ topic: String, _ payload: [UInt8], retain: Bool, received: @escaping () -> Void)
    func withdraw(group: String)
    @discardableResult
    func publishIfReady(_ topic: String, _ payload: [UInt8], _ properties: BusProperties?) -> Bool
}

extension BusPublisher {
    package func retain(_ topic: String, _ payload: [UInt8]) { retain(topic, payload, nil) }

    package func republish() { republish(nil) }

    package func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService = .atLeastOnce,
        _ properties: BusProperties? = nil
    ) {
        publishQueued(topic, payload, qos: qos, properties, group: nil)
    }
}

extension MQTTBus: BusPublisher {}
