internal import ArgumentParser

/// The program as completion scripts know it: ArgumentParser leaves aliases out of them, so here they are
/// commands. Nothing of it runs.
struct CompletedProgram: ParsableCommand {
    static let configuration = Program.configuration.with { commands in
        commands.map { $0 == CtlCommand.self ? Ctl.self : $0 }
    }

    /// Whether the arguments ask for a script.
    static func isWanted(_ words: [String]) -> Bool {
        words.contains { $0.hasPrefix("--generate-completion-script") }
    }

    struct Ctl: ParsableCommand {
        static let configuration = CtlCommand.configuration.with { $0 + [Photo.self, Presets.self] }
    }

    /// `ctl photo`
    struct Photo: ParsableCommand {
        static let configuration = CtlCapture.configuration.underAlias

        @OptionGroup var command: CtlCapture
    }

    /// `ctl presets`
    struct Presets: ParsableCommand {
        static let configuration = CtlPreset.configuration.underAlias
    }
}

extension CommandConfiguration {
    fileprivate func with(
        _ change: ([any ParsableCommand.Type]) -> [any ParsableCommand.Type]
    ) -> Self {
        var configuration = self
        configuration.subcommands = change(subcommands)
        return configuration
    }

    fileprivate var underAlias: Self {
        var configuration = self
        configuration.commandName = aliases.first
        configuration.aliases = []
        return configuration
    }
}
