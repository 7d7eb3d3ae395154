internal import CLinux
internal import Glibc
internal import LoopThread
package import MQTTBus
internal import Messages
internal import Terminal

/// A load of the whole swarm.
package enum SwarmScenario: String, CaseIterable, Sendable {
    /// All agents connect. Each run begins with it.
    case connect
    /// A zoom command to the group of all cameras.
    case group
    /// Home Assistant says that it has started.
    case birth
    /// The broker is restarted by a command of the user.
    case restart
}

/// Why a run can't be completed.
package enum SwarmError: Error, Equatable, CustomStringConvertible {
    case unreachable(reason: String)
    case worker(reason: String)
    case restartCommand(status: Int32)
    case noProcess(Int32)
    case interrupted

    package var description: String {
        switch self {
        case .unreachable(let reason): "no connection to \(reason)"
        case .worker(let reason): "a process with agents failed: \(reason)"
        case .restartCommand(let status): "--restart-command ended with the wait status \(status)"
        case .noProcess(let process): "--broker-pid: there is no process \(process)"
        case .interrupted: "interrupted"
        }
    }
}

/// Starts the processes with the agents, runs the scenarios, and measures.
package final class SwarmRun {
    package struct Options: Sendable {
        package var version: String
        /// The program and the arguments of the process with this number.
        package var worker: @Sendable (_ process: Int) -> [String]
        /// Of this client: its identifier is not used by another one.
        package var broker: BusSettings
        /// In seconds, as the agents have it.
        package var spread: Int
        /// Those after `connect`, in their order.
        package var scenarios: [SwarmScenario]
        /// For the shell.
        package var restartCommand: String?
        /// The processes of the broker.
        package var brokerProcesses: [Int32]
        /// How long a scenario waits at most for agents that do not do what it waits for, beside the spread.
        package var patience: Duration

        package init(
            version: String, worker: @escaping @Sendable (Int) -> [String], broker: BusSettings, spread: Int,
            scenarios: [SwarmScenario], restartCommand: String?, brokerProcesses: [Int32], patience: Duration
        ) {
            (self.version, self.worker, self.broker, self.spread) = (version, worker, broker, spread)
            (self.scenarios, self.restartCommand) = (scenarios, restartCommand)
            (self.brokerProcesses, self.patience) = (brokerProcesses, patience)
        }
    }

    /// For the first connection of this client, for the start and for the end of processes.
    private static let longestWait = Duration.seconds(120)
    private static let connectLimit = Duration.seconds(20)
    /// A scenario is over when at most one of so many agents has published in the last second: each agent
    /// renews its availability once a minute.
    private static let agentsOfQuietMessage = 20
    private static let longestTail = Duration.seconds(15)
    /// How many retained messages are emptied before the loop runs again.
    private static let removalsAtOnce = 1000

    private let plan: SwarmPlan
    private let options: Options
    private let loop = EventLoop()
    /// A connection for each of the subscriptions. The first one publishes too.
    private let buses: [MQTTBus]
    private let begin: ContinuousClock.Instant
    private var observation: SwarmObservation
    private var workers: [WorkerProcess] = []
    private var report: SwarmReport
    private var isInterrupted = false
    /// The connections whose subscriptions the broker has answered.
    private var observing: Set<Int> = []
    /// Why this client has no connection.
    private var reason: String?
    /// The agents that were connected at the end of each second.
    private var connectedSeconds: [Int] = []
    private var commands = 0
    private lazy var sampler = loop.timer { [unowned self] in sample() }

    /// - Throws: `BusError` for settings of the broker that can't be used, or `LoopError`.
    package init(_ plan: SwarmPlan, _ options: Options) throws {
        (self.plan, self.options) = (plan, options)
        observation = SwarmObservation(plan)
        buses = try SwarmObservation.filters(plan).enumerated().map { [loop] number, filter in
            var broker = options.broker
            broker.clientID += "-\(number)"
            return try MQTTBus(broker, filters: [filter], on: loop)
        }
        begin = loop.now
        report = SwarmReport(
            version: options.version, started: Timestamp.text(),
            hosts: options.broker.hosts.map(\.description), agents: plan.agents, processes: plan.processes,
            spread: options.spread)
    }

    /// Runs the scenarios, and removes what the agents left at the broker.
    ///
    /// - Throws: ``SwarmError``, `LoopError`.
    package func run() throws -> SwarmReport {
        signal(SIGPIPE, SIG_IGN)
        let signals = try Signals([SIGTERM, SIGINT], on: loop) { [unowned self] _ in isInterrupted = true }
        try connect()
        let outcome = Result { try runScenarios() }
        isInterrupted = false
        stopWorkers()
        removeRetained()
        disconnect()
        try outcome.get()
        report.seconds = seconds
        return withExtendedLifetime(signals) { report }
    }

    /// Only removes what the agents of an earlier run, which was killed, left at the broker.
    ///
    /// - Throws: ``SwarmError``.
    package func cleanUp() throws {
        try connect()
        removeRetained()
        disconnect()
    }

    private var bus: MQTTBus { buses[0] }
    private var isObserving: Bool { observing.count == buses.count }
    private var elapsed: Duration { begin.duration(to: loop.now) }

    // MARK: This client

    private func connect() throws(SwarmError) {
        for (number, bus) in buses.enumerated() {
            bus.received = { [unowned self] message in
                observation.receive(message.topic, message.payload, at: elapsed)
            }
            bus.connectionChanged = { [unowned self] in connectionChanged($0, number) }
            bus.start()
        }
        _ = try wait(atMost: Self.connectLimit, until: { isObserving || reason != nil })
        guard isObserving else {
            throw .unreachable(reason: reason ?? "the broker: it does not answer the subscriptions")
        }
    }

    private func connectionChanged(_ event: BusEvent, _ number: Int) {
        switch event {
        case .subscribed: observing.insert(number)
        case .disconnected(let reason, _):
            observing.remove(number)
            self.reason = reason
        case .subscriptionRefused(let filter): say("the broker refuses the subscription to \(filter)")
        case .connected: break
        }
    }

    private func disconnect() {
        var stopped = 0
        for bus in buses { bus.stop { stopped += 1 } }
        _ = try? wait(atMost: Self.longestTail, until: { stopped == buses.count })
    }

    /// Empties the topics on which agents have retained messages.
    private func removeRetained() {
        say("removing the retained messages of \(plan.agents) agents")
        var waiting = 0
        for agent in 0..<plan.agents {
            for topic in plan.retained(agent) {
                bus.retain(topic, [])
                waiting += 1
            }
            if waiting >= Self.removalsAtOnce {
                _ = try? wait(atMost: Self.longestTail, until: { bus.isDrained })
                waiting = 0
            }
        }
        if (try? wait(atMost: Self.longestWait, until: { bus.isDrained })) != true {
            report.failures.append("retained messages are left at the broker")
        }
    }

    // MARK: The processes with agents

    private func makeWorkers() throws {
        for process in 0..<plan.processes {
            let worker = try WorkerProcess(options.worker(process), on: loop)
            workers.append(worker)
        }
        let areReady = try wait(atMost: Self.longestWait, until: { workers.allSatisfy(\.line.isReady) })
        guard areReady else { throw SwarmError.worker(reason: "its agents are not made in time") }
    }

    private func stopWorkers() {
        for worker in workers { worker.send(.stop) }
        let haveEnded = try? wait(
            atMost: Self.longestWait, checksWorkers: false, until: { workers.allSatisfy(\.hasEnded) })
        for worker in workers {
            if haveEnded != true { worker.kill() }
            worker.wait()
        }
        workers = []
    }

    private var connected: Int { workers.reduce(0) { $0 + $1.line.subscribed } }
    private var lost: Int { workers.reduce(0) { $0 + $1.line.lost } }

    private func sample() {
        let second = Int(elapsed / .seconds(1))
        while connectedSeconds.count < second { connectedSeconds.append(connected) }
        sampler.set(at: begin.advanced(by: .seconds(second + 1)))
    }

    private var seconds: [SwarmReport.Second] {
        let messages = observation.counts.perSecond
        return (0..<max(messages.count, connectedSeconds.count)).map { second in
            SwarmReport.Second(
                connected: second < connectedSeconds.count ? connectedSeconds[second] : 0,
                messages: second < messages.count ? messages[second] : 0)
        }
    }

    // MARK: Scenarios

    private func runScenarios() throws {
        try makeWorkers()
        let before = try brokerMemory()
        sample()
        try runConnect()
        if let before, let after = try brokerMemory() {
            report.broker_memory = .init(before: before, after: after, cameras: plan.agents)
        }
        measureAgents()
        for scenario in options.scenarios {
            switch scenario {
            case .connect: break
            case .group: try runGroup()
            case .birth: try runBirth()
            case .restart: try runRestart()
            }
        }
        sample()
        sampler.cancel()
    }

    private func runConnect() throws {
        let start = elapsed
        var times = AgentTimes(agents: plan.agents)
        for worker in workers { worker.send(.start) }
        try waitForAgents {
            times.follow(count: connected, at: elapsed)
            return times.count
        }
        try finish(.connect, since: start) { times }
        report.not_observed = observation.online.missing
        if let reason = workers.compactMap(\.line.reason).first, !times.isComplete {
            say("the last failure of an agent: \(reason)")
        }
    }

    private func runGroup() throws {
        commands += 1
        let id = "\(options.broker.clientID)-\(commands)"
        var command = CommandPayload()
        command.id = id
        // Another factor each time: each camera has something to do.
        command.factor = commands.isMultiple(of: 2) ? 1 : 2
        let start = elapsed
        observation.awaitAnswers(to: id)
        let topic = plan.topics(0).command(for: .zoom, group: plan.group)
        bus.publish(topic, JSON.bytes(command), qos: .atLeastOnce)
        try waitForAgents {
            observation.answers.count + observation.refusals.values.reduce(0, +)
        }
        try finish(.group, since: start) {
            observation.answers
        } adding: {
            $0.refusals = observation.refusals
        }
    }

    private func runBirth() throws {
        let start = elapsed
        observation.awaitDocuments()
        bus.publish(plan.birthTopic, Array("online".utf8), qos: .atLeastOnce)
        try waitForAgents { observation.documents.count }
        try finish(.birth, since: start) { observation.documents }
    }

    private func runRestart() throws {
        guard let command = options.restartCommand else { return }
        let (start, lostBefore) = (elapsed, lost)
        var back = AgentTimes(agents: plan.agents)
        try runCommand(command)
        try waitForAgents {
            // Until the first connection is lost, all agents are still connected to the broker before.
            if lost == lostBefore { return 0 }
            back.follow(count: connected, at: elapsed)
            return isObserving ? connected : min(connected, plan.agents - 1)
        }
        try finish(.restart, since: start) {
            back
        } adding: {
            $0.lost = lost - lostBefore
        }
    }

    /// Waits until all agents are counted, with the spread and the patience as the limit.
    private func waitForAgents(_ count: () -> Int) throws {
        _ = try wait(
            atMost: .seconds(options.spread) + options.patience, until: { count() >= plan.agents })
    }

    /// Waits for the last messages, and notes the results of a scenario.
    private func finish(
        _ scenario: SwarmScenario, since start: Duration, _ times: () -> AgentTimes,
        adding add: (inout SwarmReport.Scenario) -> Void = { _ in }
    ) throws {
        _ = try wait(atMost: Self.longestTail, until: { isQuiet(since: start) })
        let times = times()
        var result = SwarmReport.Scenario(
            name: scenario.rawValue, begin: start, end: max(start, observation.last), times,
            observation.counts)
        add(&result)
        report.scenarios.append(result)
        let last = result.last_s.map { ", the last after \($0) s" } ?? ""
        say(
            "\(scenario.rawValue): \(times.count) of \(plan.agents)\(last); \(result.messages) messages, at most \(result.peak_messages_per_s) in a second"
        )
        if scenario == .connect { noteRetained() }
    }

    private func isQuiet(since start: Duration) -> Bool {
        let now = elapsed
        guard now > start + .seconds(1) else { return false }
        let count = observation.counts.count(in: now - .seconds(1)..<now)
        return count <= plan.agents / Self.agentsOfQuietMessage
    }

    private func noteRetained() {
        let sizes = observation.retained
        report.retained = .init(
            messages: sizes.count, bytes: sizes.values.reduce(0, +),
            discoveryBytes: observation.documentBytes ?? 0)
    }

    private func runCommand(_ command: String) throws {
        let arguments = ["/bin/sh", "-c", command]
        var words: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(strdup($0)) }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        words.append(nil)
        // Its output does not belong to the report.
        let process = clinux_start_bound(words, STDERR_FILENO)
        guard process > 0 else { throw LoopError(call: "fork", code: -process) }
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            _ = try wait(atMost: .milliseconds(20), until: { false })
        }
        guard status == 0 else { throw SwarmError.restartCommand(status: status) }
    }

    // MARK: Memory

    private func brokerMemory() throws(SwarmError) -> Int? {
        if options.brokerProcesses.isEmpty { return nil }
        var sum = 0
        for process in options.brokerProcesses {
            guard let bytes = ProcessMemory.bytes(ofProcess: process) else { throw .noProcess(process) }
            sum += bytes
        }
        return sum
    }

    private func measureAgents() {
        let sizes = workers.compactMap { ProcessMemory.bytes(ofProcess: $0.process) }
        report.own_bytes_per_agent = sizes.reduce(0, +) / plan.agents
    }

    // MARK: Waiting

    /// Runs the loop until a condition holds.
    ///
    /// - Parameter checksWorkers: the end of a process with agents is an error.
    /// - Returns: whether it holds; false: the time is over.
    private func wait(
        atMost limit: Duration, checksWorkers: Bool = true, until condition: () -> Bool
    ) throws(SwarmError) -> Bool {
        let deadline = loop.now.advanced(by: limit)
        while !condition() {
            if isInterrupted { throw .interrupted }
            if checksWorkers {
                if let failure = workers.compactMap(\.line.failure).first { throw .worker(reason: failure) }
                if workers.contains(where: \.hasEnded) { throw .worker(reason: "it has ended") }
            }
            let left = loop.now.duration(to: deadline)
            guard left > .zero else { return false }
            loop.runOnce(timeout: min(left, .milliseconds(50)))
        }
        return true
    }

    private func say(_ text: String) {
        let tenths = Int(elapsed / .milliseconds(100))
        printError("\(tenths / 10).\(tenths % 10) s: \(text)")
    }
}
