internal import ArgumentParser
internal import Configuration

/// Checks a configuration without serving it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and shows its values.",
        discussion: """
            Prints each key with its value and its origin: default, file, environment or flag. Errors are \
            printed with file, line and the expected value; the exit code is then 64.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a configuration with all keys, their meanings and their defaults, to start from.")
    var sample = false

    @Flag(help: "Print a table of all keys in Markdown, the document deploy/keys.md.")
    var table = false

    func run() throws {
        if sample { return print(KeyDescription.sample(), terminator: "") }
        if table { return print(KeyDescription.table(), terminator: "") }
        let configuration = try options.load()
        try checkImages(of: configuration.settings)
        print(configuration.effective(), terminator: "")
    }
}
