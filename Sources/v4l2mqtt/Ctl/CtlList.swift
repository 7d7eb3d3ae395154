internal import ArgumentParser
internal import Base
internal import Ctl

/// `ctl list`
struct CtlList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the cameras of all agents on the broker with their states.",
        discussion: """
            --agent and --camera select cameras. The last error is that of a recording or of a desired state; \
            "ctl watch" also shows refused commands. With --json, prints a list with an object for each camera, \
            and for each agent without a camera.
            """
    )

    @OptionGroup var options: BusOptions

    func run() throws {
        try options.run { options in
            let observed = try CtlSession.collect(
                options, nodes: ["availability", "info", "zoom", "recording", "desired"])
            for line in try FleetTable(observed.fleet, options).lines { printLine(line) }
            guard let note = observed.incompleteNote else { return 0 }
            printError(PrintableLine(note))
            return 1
        }
    }
}
