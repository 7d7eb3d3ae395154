internal import ArgumentParser
internal import Contract
internal import Ctl

/// `ctl lease`
struct CtlLease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lease",
        abstract: "Takes or releases the exclusive right to move the zoom, or shows who has it.",
        discussion: """
            v4l2mqtt ctl lease take --for 60s    keeps other clients from the zoom, for a minute
            v4l2mqtt ctl lease take --force      also if another client has it
            """,
        subcommands: [Take.self, Release.self, Show.self])

    /// `ctl lease take`
    struct Take: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes the lease, or renews it: only this client moves the zoom until it ends.")

        @OptionGroup var options: BusOptions

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("When it ends by itself, as 60s or 5m.", valueName: "time"))
        var length = DelayArgument()

        @Flag(help: "Also if another client has it.")
        var force = false

        func run() throws {
            let milliseconds = Int((length.duration / .milliseconds(1)).rounded())
            try options.run(
                .command(
                    .lease,
                    [
                        "take": .flag(true), "ttl_ms": .integer(milliseconds),
                        "force": force ? .flag(true) : nil,
                    ]))
        }
    }

    /// `ctl lease release`
    struct Release: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Releases the lease.")

        @OptionGroup var options: BusOptions

        func run() throws { try options.run(.command(.lease, ["release": .flag(true)])) }
    }

    /// `ctl lease show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows who has the lease, and until when.",
            discussion: "With --json, prints the camera's state of the lease.")

        @OptionGroup var options: BusOptions

        func run() throws { try options.run(.showLease) }
    }
}
