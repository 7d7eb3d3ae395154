internal import ArgumentParser
internal import BrokerOptions
internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import Settings
internal import Swarm
internal import Terminal

/// Loads a broker with many agents, and measures what it carries.
@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "v4l2mqtt-swarm",
        abstract: "Loads an MQTT broker with many agents with simulated cameras, and measures.",
        discussion: """
            Each agent is the code of "v4l2mqtt run" with one simulated camera, and with its state in memory. The agents run \
            in several processes of this program. Their names begin with --name, their cameras are in a group of that name, \
            and their discovery documents are below --discovery-prefix, which Home Assistant does not read. At the end all of \
            their retained messages are removed.

            Scenarios, in the order in which they are given, after the agents have connected: "group" sends a zoom command to \
            the group of all cameras, "birth" the message that Home Assistant sends when it has started, "restart" runs \
            --restart-command. Without --scenario: group, birth, and with a command restart and group.

            The results are printed as JSON. Limits: connect_s, answer_s, birth_messages_per_s, restart_s and \
            memory_bytes_per_camera.

            Exit codes: 0; 1 an agent is missing or a limit is exceeded, 64 wrong usage, 69 no broker, 70 it was \
            interrupted, or a process with agents failed.
            """,
        version: version)

    static let version = "0.1.0"

    @Option(help: "How many agents.")
    var agents = 100

    @Option(help: "How many processes; default: one for each 1250 agents.")
    var processes: Int?

    @Option(help: "Seconds over which the agents spread what they would all do at once (mqtt.spread_s).")
    var spread = 0

    @Option(
        help: ArgumentHelp(
            "A scenario: group, birth or restart; may be given more than once.", valueName: "scenario"))
    var scenario: [String] = []

    @Option(help: ArgumentHelp("The command that restarts the broker, for the shell.", valueName: "command"))
    var restartCommand: String?

    @Option(
        help: ArgumentHelp(
            "A process of the broker on this machine, to measure its memory; may be given more than once.",
            valueName: "pid"))
    var brokerPid: [Int32] = []

    @Option(
        help: ArgumentHelp(
            "A limit that ends the program with 1 where it is exceeded; may be given more than once.",
            valueName: "measure=number"))
    var limit: [String] = []

    @Option(help: "Seconds for which a scenario waits, beside the spread, for agents that are missing.")
    var patience = 120

    @Option(help: ArgumentHelp("Write a plot and its figures.", valueName: "file.html|file.svg"))
    var report: String?

    @Option(help: "The begin of the names of the agents, and the group of their cameras.")
    var name = "swarm"

    @Option(help: "The discovery prefix of the agents, not that of a Home Assistant in use.")
    var discoveryPrefix = "v4l2mqtt-swarm"

    @Flag(help: "Do not announce the cameras to Home Assistant (home_assistant.discovery: false).")
    var noDiscovery = false

    @Flag(help: "Load a broker that is not on this machine.")
    var yes = false

    @Flag(help: "Only remove the retained messages that a run with the same options left when it was killed.")
    var cleanUp = false

    @OptionGroup var broker: BrokerOptions

    @Option(help: .hidden)
    var worker: Int?

    @Option(help: .hidden)
    var folder: String?

    private static let agentsPerProcess = 1250
    private static let mostAgents = 1_000_000
    private static let mostProcesses = 1000

    func validate() throws {
        guard (1...Self.mostAgents).contains(agents) else {
            throw ValidationError("--agents is 1 to \(Self.mostAgents).")
        }
        guard (1...min(agents, Self.mostProcesses)).contains(processCount) else {
            throw ValidationError("--processes is 1 to the number of agents, at most \(Self.mostProcesses).")
        }
        guard (0...3600).contains(spread) else { throw ValidationError("--spread is 0 to 3600 seconds.") }
        guard (1...3600).contains(patience) else { throw ValidationError("--patience is 1 to 3600 seconds.") }
        // With the hyphen and the number it is the name of an agent.
        guard Topics.isName(name), name.utf8.count <= 32, name != "groups" else {
            throw ValidationError("--name is 1 to 32 of a-z, 0-9, _ and -.")
        }
        guard scenario.allSatisfy({ SwarmScenario(rawValue: $0).map { $0 != .connect } ?? false }) else {
            throw ValidationError("--scenario is group, birth or restart.")
        }
        guard restartCommand != nil || !scenario.contains("restart") else {
            throw ValidationError("--scenario restart needs --restart-command.")
        }
        guard !noDiscovery || !scenario.contains("birth") else {
            throw ValidationError("--scenario birth needs agents that are announced to Home Assistant.")
        }
        guard limit.allSatisfy({ SwarmLimit($0) != nil }) else {
            let names = SwarmLimit.Measure.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "--limit is a measure and a number, such as answer_s=3. Measures: \(names).")
        }
        guard report.map({ $0.hasSuffix(".html") || $0.hasSuffix(".svg") }) ?? true else {
            throw ValidationError("--report ends in .html or .svg.")
        }
        guard isPrefix(discoveryPrefix), discoveryPrefix != "homeassistant" else {
            throw ValidationError(
                "--discovery-prefix is one or more levels of a topic, and not homeassistant, which Home Assistant reads."
            )
        }
        guard isPrefix(broker.baseTopic) else {
            throw ValidationError("--base-topic is one or more levels of a topic.")
        }
        guard yes || worker != nil || broker.isOnThisMachine else {
            throw ValidationError(
                "The broker is not on this machine: its other clients will notice the load. With --yes it is loaded."
            )
        }
    }

    private func isPrefix(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !text.hasPrefix("/") && !text.hasSuffix("/")
            && !text.utf8.contains { "+#\0$".utf8.contains($0) }
    }

    private var processCount: Int {
        processes ?? (agents + Self.agentsPerProcess - 1) / Self.agentsPerProcess
    }

    private var plan: SwarmPlan {
        SwarmPlan(
            agents: agents, processes: processCount, name: name, baseTopic: broker.baseTopic,
            discoveryPrefix: discoveryPrefix, isDiscovered: !noDiscovery)
    }

    func run() throws {
        // The processes inherit the limit of the first one, and the message is read there.
        try allowDescriptors(plan.descriptorsPerProcess)
        do {
            if let worker { try runAgents(ofProcess: worker) } else { try measure() }
        } catch let error as BusError {
            printError("\(error.description)")
            throw ExitStatus.usage
        } catch let error as SwarmError {
            printError("\(error.description)")
            throw error.isOfTheBroker ? ExitStatus.unavailable : ExitStatus.defect
        } catch let error as LoopError {
            printError("the system refuses a further thread, process or descriptor: \(error)")
            throw ExitStatus.defect
        }
    }

    private func allowDescriptors(_ count: Int) throws {
        let limit = clinux_allow_descriptors(UInt(count))
        guard limit != 0 else { return }
        printError(
            limit > 0
                ? "a process with its share of the agents needs \(count) descriptors, and the limit (ulimit -Hn) is \(limit): more --processes, or a higher limit"
                : "setrlimit: \(String(cString: strerror(-limit)))")
        throw ExitStatus.usage
    }

    // MARK: The processes

    private func runAgents(ofProcess process: Int) throws {
        var mqtt = try broker.agentSettings()
        mqtt.spread = spread
        let settings = plan.share(ofProcess: process).map {
            plan.settings($0, mqtt, folder: folder ?? "/nonexistent")
        }
        try SwarmWorker().run(settings, version: Self.version)
    }

    private func measure() throws {
        // Checked here, where the message is read.
        _ = try broker.agentSettings()
        let id = "v4l2mqtt-swarm-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        let folder = "/tmp/\(id)"
        let arguments = ["/proc/self/exe"] + CommandLine.arguments.dropFirst()
        let run = try SwarmRun(
            plan,
            SwarmRun.Options(
                version: Self.version,
                worker: { arguments + ["--worker", "\($0)", "--folder", folder] },
                broker: broker.settings(
                    clientID: id, maxPacketSize: BusSettings.usualMaxPacketSize),
                spread: spread, scenarios: scenarios,
                restartCommand: restartCommand, brokerProcesses: brokerPid, patience: .seconds(patience)))
        if cleanUp { return try run.cleanUp() }
        var result = try run.run()
        result.judge(by: limit.compactMap { SwarmLimit($0) })
        try write(result)
        printLines(of: result.json)
        for failure in result.failures { printError("\(failure)") }
        if !result.failures.isEmpty { throw ExitStatus.missing }
    }

    private var scenarios: [SwarmScenario] {
        if !scenario.isEmpty { return scenario.compactMap { SwarmScenario(rawValue: $0) } }
        return [.group] + (noDiscovery ? [] : [.birth]) + (restartCommand == nil ? [] : [.restart, .group])
    }

    private func write(_ result: SwarmReport) throws {
        guard let report else { return }
        let page = ReportPage(result)
        do {
            try (report.hasSuffix(".svg") ? page.svg + "\n" : page.html)
                .write(toFile: report, atomically: true, encoding: .utf8)
        } catch {
            printError("--report: \(report) can't be written: \(error)")
            throw ExitStatus.usage
        }
    }
}

extension SwarmError {
    fileprivate var isOfTheBroker: Bool { if case .unreachable = self { true } else { false } }
}

/// The exit codes of the program, as in sysexits(3).
enum ExitStatus {
    /// An agent is missing, or a limit is exceeded.
    static let missing = ExitCode(1)
    /// Wrong usage.
    static let usage = ExitCode(64)
    /// The broker can't be reached.
    static let unavailable = ExitCode(69)
    /// It was interrupted, or a process with agents failed.
    static let defect = ExitCode(70)
}
