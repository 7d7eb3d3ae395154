internal import ArgumentParser
internal import BrokerOptions
internal import Contract

/// The options of every `ctl` command: the camera, how to print, and the broker.
struct BusOptions: ParsableArguments {
    @Option(help: "The agent; default: the only one that is online.", completion: Completions.agents)
    var agent: String?

    @Option(help: "The camera; default: the agent's only one.", completion: Completions.cameras)
    var camera: String?

    @Option(
        help: "All cameras of this group, instead of one; prints how many did it, refused, or were silent.",
        completion: Completions.groups)
    var group: String?

    @Flag(help: "Print JSON, errors included.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The client's name in commands and in the topic for answers, replies/NAME/…; default: the user name, otherwise ctl.",
            valueName: "name"))
    var client: String?

    @OptionGroup var broker: BrokerOptions

    func validate() throws {
        guard client.map(CtlOptions.isClientName) ?? true else {
            throw ValidationError("--client is 1 to 64 bytes, without /, + and #.")
        }
        if let group {
            guard Topics.isName(group) else {
                throw ValidationError("--group is 1 to 64 of a-z, 0-9, _ and -.")
            }
            if agent != nil || camera != nil {
                throw ValidationError("--group takes neither --agent nor --camera.")
            }
        }
    }
}

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
        if id != nil && time == nil { throw ValidationError("--id needs --in or --at.") }
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
    package init?(argument: String) { self.init(time: argument) }
}

/// A point on the command line, as in `0.5,0.25`.
struct PointArgument: ExpressibleByArgument {
    let point: JSON

    init?(argument: String) {
        let parts = argument.split(separator: ",").compactMap { Double($0) }
        guard parts.count == 2, parts.allSatisfy({ (0...1).contains($0) }) else { return nil }
        point = .object(["x": .number(parts[0]), "y": .number(parts[1])])
    }
}

/// A state on the command line.
enum SwitchArgument: String, ExpressibleByArgument, CaseIterable { case on, off }

extension MediaKind: ExpressibleByArgument {}
