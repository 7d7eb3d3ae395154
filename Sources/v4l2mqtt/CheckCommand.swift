internal import Agent
internal import ArgumentParser
internal import Base
internal import Configuration
internal import Settings

/// Checks a configuration without serving it.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks a configuration and shows its values.",
        discussion: """
            Prints each key with its value and its origin: default, file, fleet, environment or flag; first those \
            that differ from the default. Errors are printed with file, line and the expected value; the exit \
            code is then 64. Certificates, keys and images are read. Warnings follow the keys: folders in which \
            this user can't write, devices that it can't use, secrets that others can read, certificates that expired, and files below \
            /run/credentials, which systemd makes for the service only. The last line is the verdict.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a configuration with all keys, their meanings and their defaults, to start from.")
    var sample = false

    @Flag(help: "Print a table of all keys in Markdown, the document deploy/keys.md.")
    var table = false

    func run() throws {
        if sample { return printLines(of: Keys.sample()) }
        if table { return printLines(of: Keys.table()) }
        var configuration = try options.load(withImages: true, forCheck: true)
        let settings = configuration.settings
        // The layer of libcamera is not loaded here.
        let looksAtDevices = settings.libcamera == .no
        let devices = looksAtDevices ? SharedDevices(settings).problems(of: settings) : []
        for (key, message) in settings.folderProblems() + devices { configuration.warn(about: key, message) }
        printLines(of: configuration.differences() + configuration.effective())
        let warnings = configuration.warnings + (configuration.fleetRefusal.map { ["\($0)"] } ?? [])
        for warning in warnings { printError("warning: \(warning)") }
        if !looksAtDevices { printLine("# Devices are not checked: libcamera is used") }
        let count = warnings.count == 1 ? "1 warning" : "\(warnings.count) warnings"
        printLine(warnings.isEmpty ? "# valid" : "# valid, \(count)")
    }
}
