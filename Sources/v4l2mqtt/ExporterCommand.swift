internal import ArgumentParser

/// `v4l2mqtt exporter`: runs the program `v4l2mqtt-exporter` in the place of this one.
struct ExporterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exporter",
        abstract: "Serves metrics of all agents and cameras for Prometheus (v4l2mqtt-exporter).",
        discussion: "All arguments are passed on; see \"v4l2mqtt-exporter --help\".")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of v4l2mqtt-exporter.")
    var arguments: [String] = []

    func run() throws { try CompanionProgram.exporter.replaceThis(arguments) }
}
