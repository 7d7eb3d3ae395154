internal import ArgumentParser
internal import Base
internal import Configuration

/// Checks a configuration without serving it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and shows its values.",
        discussion: """
            Prints each key with its value and its origin: default, file, fleet, environment or flag. Errors are \
            printed with file, line and the expected value; the exit code is then 64. Certificates, keys and \
            images are read. Warnings are printed too: secrets that others can read, certificates that expired, \
            and files below /run/credentials, which systemd makes for the service only.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a configuration with all keys, their meanings and their defaults, to start from.")
    var sample = false

    @Flag(help: "Print a table of all keys in Markdown, the document deploy/keys.md.")
    var table = false

    func run() throws {
        if sample { return printLines(of: Keys.sample()) }
        if table { return printLines(of: Keys.table()) }
        let configuration = try options.load(withImages: true, forCheck: true)
        for warning in configuration.warnings { printError("warning: \(warning)") }
        if let refusal = configuration.fleetRefusal { printError("warning: \(refusal)") }
        printLines(of: configuration.effective())
    }
}
