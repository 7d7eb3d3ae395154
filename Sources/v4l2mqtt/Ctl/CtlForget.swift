internal import ArgumentParser
internal import Contract
internal import Ctl

/// `ctl forget`
struct CtlForget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
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

    @Option(
        help: ArgumentHelp("The agents' home_assistant.prefix.", valueName: "prefix"))
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

    func run() throws {
        try options.run {
            try CtlSession.forget(levels[0], levels.dropFirst().first, below: discovery, $0)
        }
    }
}
