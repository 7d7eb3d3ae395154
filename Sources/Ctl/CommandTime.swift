internal import Contract
package import FoundationEssentials

/// When the agent carries out a command of `ctl`.
package enum CommandTime: Sendable, Equatable {
    /// At this time of day.
    case at(Date)
    /// So long after the command is sent, by the clock of this machine.
    case after(Duration)

    /// The longest time from a command to when it is carried out.
    private static let longest = Duration.seconds(3_600)
    private static let units = [
        ("ms", Duration.milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("", .seconds(1)),
    ]

    /// A time as RFC 3339 has it; nil: it is none.
    package init?(time: String) {
        guard let date = Timestamp.date(time) else { return nil }
        self = .at(date)
    }

    /// A number and a unit, `ms`, `s` or `m`, or seconds without a unit; nil: it is none, or is zero, or
    /// above an hour.
    package init?(delay: String) {
        guard let unit = Self.units.first(where: { delay.hasSuffix($0.0) }),
            let number = Double(delay.dropLast(unit.0.utf8.count)), number.isFinite, number > 0,
            number * (unit.1 / .seconds(1)) <= Self.longest / .seconds(1)
        else { return nil }
        self = .after(unit.1 * number)
    }

    /// The time as commands have it.
    func text(at now: Date) -> String {
        switch self {
        case .at(let date): Timestamp.text(date)
        case .after(let delay): Timestamp.text(now.addingTimeInterval(delay / .seconds(1)))
        }
    }
}
