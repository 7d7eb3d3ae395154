internal import ArgumentParser
internal import Ctl

/// The options of commands that can be carried out at a time.
struct TimeOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            "Has the agent carry out the command after this time, as 2s, 500ms or 5m.", valueName: "time"))
    var delay: DelayArgument?

    @Option(
        help: ArgumentHelp(
            "Has the agent carry out the command at this time, as 2026-01-31T12:00:00.250Z.",
            valueName: "time"))
    var at: CommandTime?

    @Flag(help: "Also if the clock of the agent's machine isn't synchronised.")
    var anyClock = false

    @Option(
        help: ArgumentHelp(
            "The command's id while it waits, for ctl cancel; default: one that no other command has.",
            valueName: "id"))
    var id: String?

    /// Nil: at once.
    var time: CommandTime? { delay.map { CommandTime.after($0.duration) } ?? at }

    func validate() throws {
        if delay != nil && at != nil { throw ValidationError("Give one of --in and --at.") }
        if anyClock && time == nil { throw ValidationError("--any-clock needs --in or --at.") }
        if let id {
            if time == nil { throw ValidationError("--id needs --in or --at.") }
            guard CtlOptions.isCommandID(id) else { throw ValidationError("--id is 1 to 64 bytes.") }
        }
    }
}

/// A duration on the command line, as in `2s`.
struct DelayArgument: ExpressibleByArgument {
    private(set) var duration = Duration.seconds(30)
    private(set) var defaultValueDescription = "30s"

    init() {}

    init?(argument: String) {
        guard case .after(let duration)? = CommandTime(delay: argument) else { return nil }
        (self.duration, defaultValueDescription) = (duration, argument)
    }
}

/// A time of day on the command line.
extension CommandTime: ExpressibleByArgument {
    init?(argument: String) { self.init(time: argument) }
}
