package import Bus

/// An event that a ``BusMachine`` receives.
package enum BusInput: Sendable {
    case connection(BusEvent)
    case message(BusMessage)
    /// The broker has acknowledged, or refused, everything that was published.
    case drained
    /// The broker refuses a message that was published. Only brokers with MQTT 5 report it.
    case refused(topic: String, reason: String)
    /// The machine's ``BusMachine/deadline`` has passed.
    case deadline
}

/// A state machine that is driven by the messages and the connection of a bus. It has no clock and does no
/// I/O: the caller passes the time and performs the actions in their order.
package protocol BusMachine {
    associatedtype Action

    /// When ``BusInput/deadline`` is due; nil: never.
    var deadline: ContinuousClock.Instant? { get }

    mutating func handle(_ input: BusInput, at now: ContinuousClock.Instant) -> [Action]
}
