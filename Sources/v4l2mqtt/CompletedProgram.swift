internal import ArgumentParser
internal import Ctl

/// The program as completion scripts know it. Nothing of it runs.
struct CompletedProgram: ParsableCommand {
    static let configuration = {
        var configuration = Program.configuration
        configuration.subcommands = configuration.subcommands.map {
            $0 == CtlCommand.self ? CtlCommand.Completed.self : $0
        }
        return configuration
    }()

    /// Whether the arguments ask for a script.
    static func isWanted(_ words: [String]) -> Bool {
        words.contains { $0.hasPrefix("--generate-completion-script") }
    }
}
