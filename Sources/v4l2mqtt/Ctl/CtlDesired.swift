internal import ArgumentParser
internal import Contract
internal import Ctl

/// `ctl desired`
struct CtlDesired: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "desired",
        abstract: "Rolls a desired state out to a group of cameras.",
        subcommands: [Apply.self])

    /// `ctl desired apply`
    struct Apply: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publishes a desired state to the cameras of a group, step by step.",
            discussion: """
                v4l2mqtt ctl desired apply night.json --group outside --step 5% --state night.state

                Each step waits for the outcomes of its cameras, and the rollout stops after a step when too \
                many of them have refused the version or were silent. At the end the group's copy is retained \
                at the broker: cameras that are offline get it when they come, all at once. So it stops before \
                that when more cameras are offline than --max-away permits. The same command with the same \
                state file goes on. The file STATE.lock beside the state file is locked meanwhile, and stays.
                """)

        /// The longest file that can be a command, and some white space.
        private static let longest = 65_536

        @OptionGroup var options: BusOptions

        @Argument(
            help: "A JSON file with the desired state; without a version in it, one is chosen.",
            completion: .file())
        var file: String

        @Option(
            help: ArgumentHelp(
                "The cameras of one step: a number, or a percentage of all cameras of the group.",
                valueName: "cameras"))
        var step = StepArgument()

        @Option(
            help: ArgumentHelp(
                "How many cameras may be offline when the copy is retained: a number, or a percentage; default: as many as a step has.",
                valueName: "cameras"))
        var maxAway: AwayArgument?

        @Option(
            help: ArgumentHelp(
                "Stops after a step when so many cameras have refused it, or were silent.", valueName: "n"))
        var stopAfterFailures = 1

        @Option(
            help: ArgumentHelp(
                "How long the cameras of a step have for their outcomes, as 30s or 2m.", valueName: "time"))
        var timeout = DelayArgument()

        @Option(
            help: "The file that keeps how far the rollout is, with which it goes on.", completion: .file())
        var state: String

        func validate() throws {
            guard options.group != nil else { throw ValidationError("--group is required.") }
            guard stopAfterFailures >= 1 else {
                throw ValidationError("--stop-after-failures is at least 1.")
            }
            if file.isEmpty || state.isEmpty || file == state {
                throw ValidationError("FILE and --state are two files.")
            }
        }

        func run() throws {
            try options.run { options in
                var plan = RolloutPlan(
                    group: options.group ?? "",
                    document: try RolloutFile.bytes(of: file, atMost: Self.longest), step: step.share,
                    maxAway: maxAway?.share, maxFailures: stopAfterFailures, timeout: timeout.duration,
                    savedState: nil)
                do throws(CommandError) {
                    try plan.checkDocument()
                } catch {
                    throw CommandError(error.code, "\(file): \(error.message)", field: error.field)
                }
                let stateFile = RolloutFile(state)
                try stateFile.open()
                plan.savedState = try stateFile.read()
                return try CtlRunner(plan, stateFile: stateFile, options).run()
            }
        }
    }
}

/// The size of a step on the command line, as in `5%` or `20`.
struct StepArgument: ExpressibleByArgument {
    private(set) var share = RolloutPlan.Share.percent(5)
    private(set) var defaultValueDescription = "5%"

    init() {}

    init?(argument: String) {
        guard let share = RolloutPlan.Share(argument) else { return nil }
        (self.share, defaultValueDescription) = (share, argument)
    }
}

/// How many cameras may be away, on the command line: as ``StepArgument``, or 0.
struct AwayArgument: ExpressibleByArgument {
    let share: RolloutPlan.Share

    init?(argument: String) {
        guard let share = RolloutPlan.Share(argument, atLeast: 0) else { return nil }
        self.share = share
    }
}
