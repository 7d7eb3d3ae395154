internal import ArgumentParser

/// `v4l2mqtt swarm`: runs the program `v4l2mqtt-swarm` in the place of this one.
struct SwarmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swarm",
        abstract: "Loads a broker with many simulated agents, and measures (v4l2mqtt-swarm).",
        discussion: "All arguments are passed on; see \"v4l2mqtt-swarm --help\".")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of v4l2mqtt-swarm.")
    var arguments: [String] = []

    func run() throws { try CompanionProgram.swarm.replaceThis(arguments) }
}
