internal import ArgumentParser
internal import Base
internal import Ctl

/// `ctl watch`
struct CtlWatch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows cameras as they change, until q or Ctrl-C.",
        discussion: """
            On a terminal, a table of all cameras on the broker, or of those that --agent and --camera select: \
            zoom, client that moved it, recording, last error. Elsewhere, a line for each change of a zoom or of \
            the availability of a camera or an agent; with --json, a line for each message with its topic and \
            its payload.
            """)

    @OptionGroup var options: BusOptions

    func run() throws {
        try options.run { options in
            if options.json || !Screen.isPossible { return try WatchLines.run(options) }
            return try WatchScreen(options).run()
        }
    }
}
