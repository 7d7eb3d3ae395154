package import ArgumentParser

/// `ctl` as completion scripts know it: ArgumentParser leaves aliases out of them, so here they are commands.
/// Nothing of it runs.
package struct CompletedCtl: ParsableCommand {
    package static let configuration = CtlCommand.configuration.with { $0 + [Photo.self, Presets.self] }

    package init() {}

    /// `ctl photo`
    struct Photo: ParsableCommand {
        static let configuration = CtlCommand.Capture.configuration.underAlias

        @OptionGroup var command: CtlCommand.Capture
    }

    /// `ctl presets`
    struct Presets: ParsableCommand {
        static let configuration = CtlCommand.Preset.configuration.underAlias
    }
}

extension CommandConfiguration {
    /// With other subcommands.
    package func with(_ change: ([any ParsableCommand.Type]) -> [any ParsableCommand.Type]) -> Self {
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
