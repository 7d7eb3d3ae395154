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
///
/// Where a local file can't be written, the run ends with that error: the actions that follow aren't
/// performed, and the machine is not asked any more.
package enum CtlAction: Sendable, Equatable {
    /// Publishes a message: with an id as correlation data and with the response topic, or, for a group,
    /// without, as each camera answers on its own topic, which names it.
    case publish(topic: String, payload: [UInt8], id: String? = nil, isRetained: Bool = false)
    case printLine(PrintableLine)
    case printError(PrintableLine)
    /// Writes a photo to standard output.
    case printPhoto([UInt8])
    /// Writes a photo to a file.
    case writePhoto([UInt8], path: String)
    /// Does something with the local file of a copy; to be followed by ``CtlMachine/copied(_:at:)``.
    case copy(CopyStep)
    /// Replaces the state file of a rollout.
    case save([UInt8])
    /// Always the last action.
    case exit(code: Int32)
}

/// One run of `ctl`, which a ``CtlRunner`` performs.
package protocol CtlMachine: BusMachine where Action == CtlAction {
    /// The user interrupts the program, where the runner catches the signals.
    mutating func interrupt(at now: ContinuousClock.Instant) -> [CtlAction]

    /// The result of ``CtlAction/copy(_:)``.
    mutating func copied(_ result: CopyResult, at now: ContinuousClock.Instant) -> [CtlAction]
}

extension CtlMachine {
    package mutating func copied(_ result: CopyResult, at now: ContinuousClock.Instant) -> [CtlAction] { [] }
}

extension CommandError {
    /// Ends a run with an error of `ctl` itself; with `--json`, it is printed like a reply too.
    package func ending(_ options: CtlOptions) -> [CtlAction] {
        let json: [CtlAction] = options.json ? [.printLine(line)] : []
        return json + [.printError(PrintableLine(message)), .exit(code: 1)]
    }
}
