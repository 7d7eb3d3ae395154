import Base
import Bus
import CLinux
import Contract
import Glibc
import Settings

/// Why a run can't be completed.
enum LoadError: Error, CustomStringConvertible {
    case noBroker(reason: String)
    case agents(reason: String)
    case command(status: Int32)
    case interrupted

    var description: String {
        switch self {
        case .noBroker(let reason): "no connection to \(reason)"
        case .agents(let reason): "a process with agents failed: \(reason)"
        case .command(let status): "--restart-command ended with the wait status \(status)"
        case .interrupted: "interrupted"
        }
    }
}

/// Starts the processes with agents, runs the scenarios, and measures.
final class LoadRun {
    struct Options {
        var broker: BusSettings
        /// The program and the arguments of the process with this number.
        var worker: (_ process: Int) -> [String]
        var spread: Int
        /// For the shell.
        var restartCommand: String?
        var brokerProcesses: [Int32]
        /// How long a scenario waits at most, beside the spread.
        var patience: Duration
    }

    private static let longestTail = Duration.seconds(15)
    /// A scenario is over when at most one of so many agents has published in the last second: each agent
    /// renews its availability once a minute.
    private static let agentsOfQuietMessage = 20
    /// How many retained messages are emptied before the loop runs again.
    private static let removalsAtOnce = 1000

    private let plan: LoadPlan
    private let options: Options
    private let loop = EventLoop()
    /// A connection for each of the subscriptions. The first one publishes too.
    private let buses: [MQTTBus]
    private let begin: ContinuousClock.Instant
    private var observation: Observation
    private var processes: [StartedProcess] = []
    private var report: LoadReport
    private var isInterrupted = false
    private var observing: Set<Int> = []
    /// Why this client has no connection.
    private var reason: String?

    init(_ plan: LoadPlan, _ options: Options) throws {
        (self.plan, self.options, begin) = (plan, options, loop.now)
        observation = Observation(plan)
        buses = try plan.filters.enumerated().map { [loop] number, filter in
            var broker = options.broker
            broker.mqtt.clientID += "-\(number)"
            return try MQTTBus(broker, filters: [filter], on: loop)
        }
        report = LoadReport(agents: plan.agents, processes: plan.processes, spread_s: options.spread)
    }

    /// Runs the scenarios, and removes what the agents left at the broker.
    func run() throws -> LoadReport {
        signal(SIGPIPE, SIG_IGN)
        let signals = try Signals([SIGTERM, SIGINT], on: loop) { [unowned self] _ in isInterrupted = true }
        try connect()
        let outcome = Result { try runScenarios() }
        isInterrupted = false
        stopProcesses()
        removeRetained()
        var stopped = 0
        for bus in buses { bus.stop { stopped += 1 } }
        _ = try? wait(atMost: Self.longestTail) { stopped == buses.count }
        try outcome.get()
        return withExtendedLifetime(signals) { report }
    }

    private var elapsed: Duration { begin.duration(to: loop.now) }
    private var isObserving: Bool { observing.count == buses.count }
    private var connected: Int { processes.reduce(0) { $0 + $1.counts.subscribed } }
    private var lost: Int { processes.reduce(0) { $0 + $1.counts.lost } }

    private func connect() throws {
        for (number, bus) in buses.enumerated() {
            bus.received = { [unowned self] message in
                observation.receive(message.topic, message.payload, at: elapsed)
            }
            bus.connectionChanged = { [unowned self] event in
                switch event {
                case .subscribed: observing.insert(number)
                case .disconnected(let reason, _):
                    observing.remove(number)
                    self.reason = reason
                default: break
                }
            }
            bus.start()
        }
        _ = try wait(atMost: options.patience) { isObserving || reason != nil }
        guard isObserving else {
            throw LoadError.noBroker(reason: reason ?? "the broker: it does not answer")
        }
    }

    private func stopProcesses() {
        for process in processes { process.stop() }
        _ = try? wait(atMost: options.patience, checksProcesses: false) { processes.allSatisfy(\.hasEnded) }
        for process in processes { process.end() }
        processes = []
    }

    private func removeRetained() {
        var waiting = 0
        for topic in (0..<plan.agents).lazy.flatMap(plan.retained) {
            buses[0].retain(topic, [])
            waiting += 1
            if waiting.isMultiple(of: Self.removalsAtOnce) {
                _ = try? wait(atMost: Self.longestTail) { buses[0].isDrained }
            }
        }
        _ = try? wait(atMost: options.patience) { buses[0].isDrained }
    }

    // MARK: Scenarios

    private func runScenarios() throws {
        for number in 0..<plan.processes {
            processes.append(try StartedProcess(options.worker(number), on: loop))
        }
        let threads = (0..<plan.processes).reduce(0) { sum, number in
            sum + (plan.share(ofProcess: number).count + AgentProcess.agentsPerThread - 1)
                / AgentProcess.agentsPerThread
        }
        let areMade = try wait(atMost: options.patience) {
            processes.reduce(0) { $0 + $1.counts.ready } == threads
        }
        guard areMade else { throw LoadError.agents(reason: processes.map(\.counts.reason).max() ?? "") }
        report.broker_bytes_before = brokerMemory
        try runConnect("connect") { for process in processes { process.start() } }
        report.broker_bytes = brokerMemory
        report.bytes_per_agent =
            processes.compactMap { memory(ofProcess: $0.process) }.reduce(0, +) / plan.agents
        report.not_observed = observation.online.missing
        try runGroup(factor: 2)
        try runBirth()
        if let command = options.restartCommand {
            try runConnect("restart") { try runShell(command) }
            try runGroup(factor: 1)
        }
        report.reason = processes.map(\.counts.reason).first { !$0.isEmpty }
    }

    /// Waits until all agents are connected, after a step that lets them connect: those that were connected
    /// before lose their connection.
    private func runConnect(_ name: String, _ step: () throws -> Void) throws {
        let (start, connectedBefore, lostBefore) = (elapsed, connected, lost)
        var times = AgentTimes(agents: plan.agents)
        try step()
        try waitForAgents {
            if lost < lostBefore + connectedBefore || !isObserving { return 0 }
            times.follow(count: connected, at: elapsed)
            return times.count
        }
        try finish(name, since: start) { times }
    }

    /// - Parameter factor: another one than before, so that each camera has something to do.
    private func runGroup(factor: Double) throws {
        let id = "\(options.broker.mqtt.clientID)-\(factor)"
        let command: JSONObject = ["id": .text(id), "factor": .number(factor)]
        let start = elapsed
        observation.awaitAnswers(to: id)
        let topic = plan.topics(0).command(for: .zoom, group: LoadPlan.group)
        buses[0].publish(topic, JSON.bytes(JSON.object(command)), qos: .atLeastOnce)
        try waitForAgents { observation.answers.count }
        try finish("group", since: start) { observation.answers }
    }

    private func runBirth() throws {
        let start = elapsed
        observation.awaitDocuments()
        buses[0].publish(plan.birthTopic, Array("online".utf8), qos: .atLeastOnce)
        try waitForAgents { observation.documents.count }
        try finish("birth", since: start) { observation.documents }
    }

    private func waitForAgents(_ count: () -> Int) throws {
        _ = try wait(atMost: .seconds(options.spread) + options.patience) { count() >= plan.agents }
    }

    /// Waits for the last messages, and notes the results of a scenario.
    private func finish(_ name: String, since start: Duration, _ times: () -> AgentTimes) throws {
        _ = try wait(atMost: Self.longestTail) {
            let now = elapsed
            guard now > start + .seconds(1) else { return false }
            return observation.counts.count(in: now - .seconds(1)..<now) <= plan.agents
                / Self.agentsOfQuietMessage
        }
        let span = start..<max(start, observation.last)
        report.scenarios.append(LoadReport.Scenario(name, times(), observation.counts, in: span))
        printError("\(name): \(times().count) of \(plan.agents)")
    }

    private func runShell(_ command: String) throws {
        var words: [UnsafePointer<CChar>?] = (["/bin/sh", "-c", command] as [String]).map {
            UnsafePointer(strdup($0))
        }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        words.append(nil)
        // Its output does not belong to the report.
        let process = clinux_start_bound(words, STDERR_FILENO)
        guard process > 0 else { throw LoopError(call: "fork", code: -process) }
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            _ = try wait(atMost: .milliseconds(20)) { false }
        }
        guard status == 0 else { throw LoadError.command(status: status) }
    }

    /// Nil: no process was named.
    private var brokerMemory: Int? {
        let sizes = options.brokerProcesses.compactMap(memory)
        return sizes.isEmpty ? nil : sizes.reduce(0, +)
    }

    /// Runs the loop until a condition holds.
    ///
    /// - Parameter checksProcesses: the end of a process with agents is an error.
    /// - Returns: whether it holds; false: the time is over.
    private func wait(
        atMost limit: Duration, checksProcesses: Bool = true, until condition: () -> Bool
    ) throws -> Bool {
        let deadline = loop.now.advanced(by: limit)
        while !condition() {
            if isInterrupted { throw LoadError.interrupted }
            if checksProcesses, let ended = processes.first(where: \.hasEnded) {
                throw LoadError.agents(reason: ended.counts.reason)
            }
            let left = loop.now.duration(to: deadline)
            guard left > .zero else { return false }
            loop.runOnce(timeout: min(left, .milliseconds(50)))
        }
        return true
    }
}
