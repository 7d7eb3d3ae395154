internal import ArgumentParser
internal import Contract
internal import Ctl

/// `ctl preset`
struct CtlPreset: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preset",
        abstract: "Lists, recalls, saves and deletes named views.",
        discussion: """
            v4l2mqtt ctl preset save gate          saves the present view
            v4l2mqtt ctl preset go gate --rate 1   goes there at one octave (a doubling) per second
            v4l2mqtt ctl preset go home            the widest view, unless another was saved as home
            """,
        subcommands: [List.self, Go.self, Save.self, Delete.self], aliases: ["presets"])

    /// `ctl preset list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the presets; * marks the current view.",
            discussion: "With --json, prints the camera's state of presets.")

        @OptionGroup var options: BusOptions

        func run() throws { try options.run(.listPresets) }
    }

    /// `ctl preset go`
    struct Go: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Goes to a preset.")

        @OptionGroup var options: BusOptions

        @OptionGroup var time: TimeOptions

        @Argument(help: "The name of the preset.", completion: Completions.presets)
        var name: String

        @Option(help: "Octaves per second; default: without a ramp.")
        var rate: Double?

        func run() throws {
            try options.run(
                .command(.presets, ["rate": rate.map(JSON.number), "go": .text(name)]), time)
        }
    }

    /// `ctl preset save`
    struct Save: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Saves the present view.")

        @OptionGroup var options: BusOptions

        @OptionGroup var time: TimeOptions

        @Argument(
            help: "The name of the preset; an existing one is replaced.", completion: Completions.presets)
        var name: String

        func run() throws {
            try options.run(.command(.presets, ["save": .text(name)]), time)
        }
    }

    /// `ctl preset delete`
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Deletes a preset.")

        @OptionGroup var options: BusOptions

        @OptionGroup var time: TimeOptions

        @Argument(help: "The name of the preset.", completion: Completions.presets)
        var name: String

        func run() throws {
            try options.run(.command(.presets, ["delete": .text(name)]), time)
        }
    }
}
