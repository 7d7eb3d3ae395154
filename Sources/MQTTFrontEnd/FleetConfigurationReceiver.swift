package import MQTTBus
package import Messages

/// Passes on the configuration that a fleet manager publishes for all agents.
///
/// An empty message says nothing: it removes what the broker retains, and agents that are away would never
/// learn of it.
package final class FleetConfigurationReceiver: MessageListener {
    private let topic: String
    /// Called with each document as it was published, also with one that came before.
    package var documentCame: ([UInt8]) -> Void = { _ in }

    package init(_ topics: Topics) { topic = topics.fleetConfiguration }

    package func received(_ message: BusMessage) -> Bool {
        guard message.topic == topic else { return false }
        if !message.payload.isEmpty { documentCame(message.payload) }
        return true
    }
}
