import ArgumentParser
import Base
import Bus
import CLinux
import Glibc
import Settings

/// Loads a broker of this machine with many agents, and measures.
@main
struct Load: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Load",
        abstract:
            "Loads an MQTT broker with many agents with simulated cameras, and prints what it measured as JSON.",
        discussion: """
            Each agent is the code of "v4l2mqtt run" with one simulated camera, and with its state in memory. They run in \
            as many processes as the limit of descriptors needs (ulimit -Hn). All connect, all obey a zoom command \
            to their group, all announce themselves again to Home Assistant, and all come back after --restart-command. \
            At the end their retained messages are removed.

            Exit codes: 0; 1 an agent is missing; 69 no broker; 70 another failure.
            """)

    @Option(help: "How many agents.")
    var agents = 100

    @Option(help: "The broker's host.")
    var host = "127.0.0.1"

    @Option(help: "The broker's port.")
    var port = 1883

    @Option(help: "Seconds over which the agents spread what they would all do at once (mqtt.spread_s).")
    var spread = 0

    @Option(help: "The command that restarts the broker, for the shell.")
    var restartCommand: String?

    @Option(help: "A process of the broker, to measure its memory; may be given more than once.")
    var brokerPid: [Int32] = []

    @Option(help: "Seconds for which a scenario waits, beside the spread, for agents that are missing.")
    var patience = 120

    /// The number of this process, which has agents.
    @Option(help: .hidden)
    var worker: Int?

    func run() throws {
        do {
            let plan = LoadPlan(agents: agents, descriptors: try mostDescriptors())
            if let worker {
                guard let broker = BrokerAddress("\(host):\(port)") else {
                    throw ValidationError("--host is none.")
                }
                return try AgentProcess().run(
                    plan.share(ofProcess: worker).map { plan.settings($0, broker, spread: spread) })
            }
            let report = try LoadRun(plan, options).run()
            print(report.json)
            if !report.isComplete { throw ExitCode(1) }
        } catch let error as LoadError {
            printError("\(error)")
            if case .noBroker = error { throw ExitCode(69) }
            throw ExitCode(70)
        }
    }

    private var options: LoadRun.Options {
        let arguments = ["/proc/self/exe"] + CommandLine.arguments.dropFirst()
        let id = "load-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        var mqtt = MQTTSettings.standard
        (mqtt.host, mqtt.port, mqtt.clientID) = (host, port, id)
        return LoadRun.Options(
            broker: BusSettings(mqtt), worker: { arguments + ["--worker", "\($0)"] }, spread: spread,
            restartCommand: restartCommand, brokerProcesses: brokerPid, patience: .seconds(patience))
    }

    /// Raises the limit of this process, which the others inherit.
    private func mostDescriptors() throws -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { throw ExitCode(70) }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }
}
