internal import ArgumentParser
internal import Configuration

/// Looks a configuration over without serving it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and shows what comes of it.",
        discussion: """
            Prints each key with its value and where it comes from: default, file, environment or flag. What is wrong is \
            told with file, line and what was expected, and the exit code is 64.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a configuration with all keys, their meanings and their defaults, to start from.")
    var sample = false

    func run() throws {
        if sample { return print(Configuration.sample(), terminator: "") }
        let configuration = try options.load()
        for camera in configuration.cameras { _ = try camera.source(SharedDevices()) }
        print(configuration.effective(), terminator: "")
    }
}
