package import Settings

/// A change of the connection to the broker.
package enum BusEvent: Sendable {
    case connected(BusSession)
    /// The connection has ended, or no host could be connected to; the next attempt follows after `retryIn`.
    /// The reason names the hosts.
    case disconnected(reason: String, retryIn: Duration)
    /// The access rules of the broker do not permit this subscription, or it cannot be sent: it is no valid
    /// filter, or is too long for the broker.
    case subscriptionRefused(filter: String)
    /// The broker has answered all subscriptions that were made up to now. Retained messages have arrived or
    /// arrive next.
    case subscribed

    /// The words for a broker that has refused MQTT 5.
    static let onlyOldVersion = "supports only MQTT 3.1.1"

    /// Whether each host has refused MQTT 5, without ``BusSettings/versionKey``. One that only closes the
    /// connection may be a broker that stops.
    package var isRefusalOfV5: Bool {
        guard case .disconnected(let reason, _) = self else { return false }
        return reason.split(separator: "; ").allSatisfy { $0.hasSuffix(": \(Self.onlyOldVersion)") }
    }
}

/// A connection that the broker has accepted.
package struct BusSession: Sendable, Equatable {
    package var host: BrokerAddress
    /// Whether MQTT 5 is used, and not 3.1.1.
    package var isV5 = true
    /// What the broker permits and demands, where that isn't what brokers usually do: one part of a line for
    /// each.
    var notes: [String] = []
    /// What does not work with this broker.
    package var warnings: [String] = []
    /// Why hosts were not connected to that were tried before this one.
    var failures: [String] = []

    /// One line for a log, without the warnings.
    package var summary: String {
        var parts = ["\(host)" + (isV5 ? "" : " with MQTT 3.1.1")]
        if !notes.isEmpty { parts.append("the broker has: \(notes.joined(separator: ", "))") }
        parts += failures
        return parts.joined(separator: "; ")
    }
}

/// How a connection has ended that the broker had accepted.
package struct ConnectionEnd: Sendable, Equatable {
    /// From the answer to CONNECT to the end.
    var length: Duration
    /// Whether another client took over the session: it has connected with the same client identifier. Only
    /// brokers with MQTT 5 tell.
    package var isTakeover: Bool
}
