package import ArgumentParser

extension CtlCommand {
    /// The command as completion scripts know it: ArgumentParser leaves aliases out of them, so here they are
    /// commands. Nothing of it runs.
    package struct Completed: ParsableCommand {
        package static let configuration = {
            var configuration = CtlCommand.configuration
            configuration.subcommands += [Photo.self, Presets.self]
            return configuration
        }()

        package init() {}

        private struct Photo: ParsableCommand {
            static let configuration = Capture.configuration.underAlias

            @OptionGroup var command: Capture
        }

        private struct Presets: ParsableCommand {
            static let configuration = Preset.configuration.underAlias
        }
    }
}

extension CommandConfiguration {
    fileprivate var underAlias: Self {
        var configuration = self
        configuration.commandName = aliases.first
        configuration.aliases = []
        return configuration
    }
}
