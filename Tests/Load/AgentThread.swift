import Base
import Bus
import Cameras
import Logging
import Settings

@testable import Agent

/// Several agents on a thread of their own: the agents that `v4l2mqtt run` runs, with simulated cameras and
/// with a state in memory.
final class AgentThread: Sendable {
    enum Order: Sendable {
        case start, stop
    }

    enum Report: Sendable {
        /// All agents exist; none is connected.
        case made
        /// An agent can't be made or started.
        case failed(String)
        /// A connection of an agent: its commands are received.
        case subscribed
        /// An agent has lost its connection, for this reason.
        case lost(String)
        /// An attempt to connect has failed, for this reason.
        case refused(String)
        /// All agents have stopped. The thread ends.
        case stopped
    }

    private let orders: Inbox<Order>

    /// Makes the agents on a new thread.
    ///
    /// - Parameter report: called on that thread.
    /// - Throws: `LoopError`.
    init(_ agents: [AgentSettings], report: @escaping @Sendable (Report) -> Void) throws {
        let orders = try Inbox<Order>()
        self.orders = orders
        let thread = try Thread(name: "agents") {
            AgentGroup(agents, orders: orders, report: report).run()
        }
        thread.detach()
    }

    func send(_ order: Order) { orders.send(order) }
}

/// The agents of one thread. It belongs to it.
private final class AgentGroup {
    private let loop = EventLoop()
    private let settings: [AgentSettings]
    private let orders: Inbox<AgentThread.Order>
    private let report: (AgentThread.Report) -> Void
    private var agents: [Agent] = []
    /// The subscriptions that the broker has answered on the present connection of each agent: first the
    /// one that checks the name, then those to commands.
    private var answered: [Int]
    private var running = 0

    init(
        _ settings: [AgentSettings], orders: Inbox<AgentThread.Order>,
        report: @escaping (AgentThread.Report) -> Void
    ) {
        (self.settings, self.orders, self.report) = (settings, orders, report)
        answered = Array(repeating: 0, count: settings.count)
    }

    func run() {
        let host = AgentHost(version: "load", name: "load", storage: .memory)
        let logger = Logger(label: "load") { _ in SwiftLogNoOpLogHandler() }
        do {
            agents = try settings.map { settings in
                try Agent(settings, host: host, on: loop, logger: logger) { camera, loop in
                    DeviceSource(of: camera, watcher: nil, on: loop) {
                        SimulatedCamera(camera.simulation, serial: camera.id, on: $0)
                    }
                }
            }
        } catch {
            return report(.failed("\(error)"))
        }
        for (index, agent) in agents.enumerated() {
            agent.connectionChanged = { [unowned self] in connectionChanged($0, of: index) }
        }
        orders.attach(to: loop) { [unowned self] order in
            switch order {
            case .start: start()
            case .stop: stop()
            }
        }
        report(.made)
        loop.run()
        orders.detach(from: loop)
        report(.stopped)
    }

    private func start() {
        for agent in agents {
            agent.start(online: {}, failed: { [report] in report(.failed("\($0)")) })
        }
    }

    private func stop() {
        running = agents.count
        for agent in agents {
            agent.stop { [unowned self] _ in
                running -= 1
                if running == 0 { loop.stop() }
            }
        }
    }

    private func connectionChanged(_ event: BusEvent, of index: Int) {
        switch event {
        case .subscribed:
            answered[index] += 1
            if answered[index] == 2 { report(.subscribed) }
        case .disconnected(let reason, _):
            report(answered[index] >= 2 ? .lost(reason) : .refused(reason))
            answered[index] = 0
        case .subscriptionRefused(let filter):
            report(.refused("the broker refuses the subscription to \(filter)"))
        case .connected: break
        }
    }
}
