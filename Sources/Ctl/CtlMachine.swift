package import Base
package import Bus
package import Contract

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

/// What a ``CtlMachine`` asks its runner to do.
package enum CtlAction: Sendable, Equatable {
    /// Publishes a message: with an id as correlation data and with the response topic, or, for a group,
    /// without, as each camera answers on its own topic, which names it.
    case publish(topic: String, payload: [UInt8], id: String? = nil, isRetained: Bool = false)
    case printLine(PrintableLine)
    case printError(PrintableLine)
    /// Writes a photo to standard output.
    case printPhoto([UInt8])
    /// Writes a photo to a file; to be followed by ``CtlMachine/photoWritten(_:)``.
    case writePhoto([UInt8], path: String)
    /// Does something with the local file of a copy; to be followed by ``CtlMachine/copied(_:at:)``.
    case copy(CopyStep)
    /// Replaces the state file of a rollout; to be followed by ``CtlMachine/saved(_:at:)``.
    case save([UInt8])
    /// Always the last action.
    case exit(code: Int32)
}

/// One run of `ctl`, which a ``CtlRunner`` performs.
package protocol CtlMachine: BusMachine where Action == CtlAction {
    /// The user interrupts the program, where the runner catches the signals.
    mutating func interrupt(at now: ContinuousClock.Instant) -> [CtlAction]

    /// The result of ``CtlAction/writePhoto(_:path:)``.
    mutating func photoWritten(_ error: CommandError?) -> [CtlAction]

    /// The result of ``CtlAction/copy(_:)``.
    mutating func copied(_ result: CopyResult, at now: ContinuousClock.Instant) -> [CtlAction]

    /// The result of ``CtlAction/save(_:)``.
    mutating func saved(_ error: CommandError?, at now: ContinuousClock.Instant) -> [CtlAction]
}

extension CtlMachine {
    package mutating func photoWritten(_ error: CommandError?) -> [CtlAction] { [] }
    package mutating func copied(_ result: CopyResult, at now: ContinuousClock.Instant) -> [CtlAction] { [] }
    package mutating func saved(_ error: CommandError?, at now: ContinuousClock.Instant) -> [CtlAction] { [] }
}
