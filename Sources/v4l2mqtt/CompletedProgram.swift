internal import ArgumentParser
internal import Ctl

/// The program as completion scripts know it. Nothing of it runs.
struct CompletedProgram: ParsableCommand {
    static let configuration = Program.configuration.with { commands in
        commands.map { $0 == CtlCommand.self ? CompletedCtl.self : $0 }
    }

    /// Whether the arguments ask for a script.
    static func isWanted(_ words: [String]) -> Bool {
        words.contains { $0.hasPrefix("--generate-completion-script") }
    }
}
