internal import ArgumentParser
internal import Base
internal import Contract
internal import Fleet

extension CtlCommand {
    struct List: CtlSubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the cameras of all agents on the broker with their states.",
            discussion: """
                --agent and --camera select cameras. The last error is that of a recording or of a desired state; \
                "ctl watch" also shows refused commands. With --json, prints a list with an object for each camera, \
                and for each agent without a camera.
                """)

        @OptionGroup var options: BusOptions

        func run(_ options: CtlOptions) throws -> Int32 {
            CtlSession.list(options, try BusSurroundings(options, filters: options.topics.groupAnswers))
        }
    }

    struct Watch: CtlSubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows cameras as they change, until q or Ctrl-C.",
            discussion: """
                On a terminal, a table of all cameras on the broker, or of those that --agent and --camera select: \
                zoom, client that moved it, recording, last error. Elsewhere, a line for each change of a zoom or of \
                the availability of a camera or an agent; with --json, a line for each message with its topic and \
                its payload.
                """)

        @OptionGroup var options: BusOptions

        func run(_ options: CtlOptions) throws -> Int32 {
            options.json || !Screen.isPossible ? try WatchLines.run(options) : try WatchScreen.run(options)
        }
    }

    struct Forget: CtlSubcommand {
        static let configuration = CommandConfiguration(
            abstract: "Clears what the broker retains of an agent or a camera that is gone for good.",
            discussion: """
                v4l2mqtt ctl forget garden         an agent with all its cameras
                v4l2mqtt ctl forget garden/pond    one camera

                Home Assistant's entries are cleared, too. An agent that is online, or answers, is refused. The \
                account needs the role forget of v4l2mqtt-broker. With --json, prints an object with the topics.
                """)

        @Argument(
            help: ArgumentHelp("The agent, or one of its cameras.", valueName: "agent[/camera]"),
            completion: Completions.agents)
        var name: String

        @Option(help: ArgumentHelp("The agents' home_assistant.prefix.", valueName: "prefix"))
        var discovery = "homeassistant"

        @OptionGroup var options: BusOptions

        private var levels: [String] {
            name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        }

        func validate() throws {
            guard (1...2).contains(levels.count), levels.allSatisfy({ Topics.isName($0) }) else {
                throw ValidationError("AGENT and CAMERA are 1 to 64 of a-z, 0-9, _ and -, without a pattern.")
            }
            if Topics.reservedNames.contains(levels[0]) { throw ValidationError("\(levels[0]) is no agent.") }
            guard Topics(root: "\(discovery)/device") != nil else {
                throw ValidationError("--discovery is a topic without wildcards.")
            }
            if options.agent != nil || options.camera != nil || options.group != nil {
                throw ValidationError("Give AGENT[/CAMERA] in the place of --agent, --camera and --group.")
            }
        }

        func run(_ options: CtlOptions) throws -> Int32 {
            // The broker does not deliver what is larger.
            let surroundings = try BusSurroundings(
                options, filters: options.topics.refreshAnswers, maxPacketSize: 16 << 20)
            return CtlSession.forget(
                levels[0], levels.dropFirst().first, below: discovery, options, surroundings)
        }
    }

    struct Desired: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rolls a desired state out to a group of cameras.", subcommands: [Apply.self])

        struct Apply: CtlSubcommand {
            static let configuration = CommandConfiguration(
                abstract: "Publishes a desired state to the cameras of a group, step by step.",
                discussion: """
                    v4l2mqtt ctl desired apply night.json --version 8 --group outside --step 5%

                    Each step waits for the outcomes of its cameras, and the rollout stops after a step when too \
                    many of them have refused the version or were silent. At the end the group's copy is retained \
                    at the broker: cameras that are offline get it when they come, all at once. So it stops before \
                    that when more cameras are offline than --max-away permits. The same command goes on: the \
                    cameras know the version, and a different file with the same version ends it.
                    """)

            @Argument(
                help: "A JSON file with the desired state.",
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
                    "Stops after a step when so many cameras have refused it, or were silent.",
                    valueName: "n"))
            var stopAfterFailures = 1

            @Option(
                help: ArgumentHelp(
                    "How long the cameras of a step have for their outcomes, as 30s or 2m.", valueName: "time"
                ))
            var timeout = DelayArgument()

            @Option(help: "The version, for a file without one: above the last one of the group.")
            var version: Int?

            @OptionGroup var options: BusOptions

            func validate() throws {
                guard options.group != nil else { throw ValidationError("--group is required.") }
                guard stopAfterFailures >= 1 else {
                    throw ValidationError("--stop-after-failures is at least 1.")
                }
                if let version, version < 1 { throw ValidationError("--version is at least 1.") }
                if file.isEmpty { throw ValidationError("FILE is a file.") }
            }

            func run(_ options: CtlOptions) throws -> Int32 {
                let plan = RolloutPlan(
                    group: options.group ?? "", document: try RolloutPlan.read(file), version: version,
                    step: step.share, maxAway: maxAway?.share, maxFailures: stopAfterFailures,
                    timeout: timeout.duration)
                do throws(CommandError) {
                    _ = try DesiredDocument(plan)
                } catch {
                    throw CommandError(error.code, "\(file): \(error.message)", field: error.field)
                }
                return Rollout.run(
                    plan, options, try BusSurroundings(options, filters: Rollout.filters(plan, options)))
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
