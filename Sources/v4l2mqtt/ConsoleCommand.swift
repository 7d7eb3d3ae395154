internal import ArgumentParser

/// `v4l2mqtt console`: runs the program `v4l2mqtt-console` in the place of this one.
struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Serves the page on which people see and control the cameras (v4l2mqtt-console).",
        discussion: "All arguments are passed on; see \"v4l2mqtt-console --help\".")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of v4l2mqtt-console.")
    var arguments: [String] = []

    func run() throws { try CompanionProgram.console.replaceThis(arguments) }
}
