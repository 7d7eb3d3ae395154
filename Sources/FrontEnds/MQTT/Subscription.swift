package import Bus
package import Contract

/// A subscription that is not for commands, and what takes its messages.
package struct Subscription {
    package let filter: BusFilter
    /// What the user misses when the broker refuses it, for the log.
    package let ifRefused: String
    /// Of a filter with a wildcard: all messages that have no other receiver.
    let received: (BusMessage) -> Void

    /// The configuration that a fleet manager publishes for all agents.
    ///
    /// An empty message says nothing: it removes what the broker retains, and agents that are away would
    /// never learn of it.
    ///
    /// - Parameter came: called with each document as it was published, also with one that came before.
    package static func fleetConfiguration(_ topics: Topics, came: @escaping ([UInt8]) -> Void) -> Self {
        Self(
            filter: BusFilter(topics.fleetConfiguration, .includingRetained, qos: .atLeastOnce),
            ifRefused: "the fleet's configuration isn't received"
        ) { if !$0.payload.isEmpty { came($0.payload) } }
    }
}
