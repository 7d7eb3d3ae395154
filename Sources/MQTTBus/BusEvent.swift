/// A change of the connection to the broker.
package enum BusEvent: Sendable {
    case connected
    /// The connection has ended or could not be made; the next attempt follows after `retryIn`.
    case disconnected(reason: String, retryIn: Duration)
    /// The access rules of the broker do not permit this subscription, or it cannot be sent: it is no valid
    /// filter, or is too long for the broker.
    case subscriptionRefused(filter: String)
    /// The broker has answered all subscriptions that were made up to now. Retained messages have arrived or
    /// arrive next.
    case subscribed
}
