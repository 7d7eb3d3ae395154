import Contract

@testable import Fleet

/// What came last of each topic, and how many messages.
struct Kept: Facts {
    var payloads: [String: String] = [:]
    var messages = 0

    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        payloads[node] = payload.isEmpty ? nil : String(decoding: payload, as: UTF8.self)
        messages += 1
    }
}

/// A fleet at a broker that retains messages. It delivers at most ``capacity`` of them for one subscription
/// and drops the others, as mosquitto does.
struct RetainedBroker {
    var fleet: Fleet<Kept, Kept>
    /// By the name of the agent, and then by the rest of the topic.
    var retained: [String: [String: String]] = [:]
    var capacity = 5_000
    /// Topics that are dropped once each.
    var dropped: Set<String> = []
    var time = ContinuousClock.Instant.now
    private(set) var filters: Set<String> = []
    private(set) var mostFilters = 0
    /// All that were ever made.
    private var subscriptions = 0
    private(set) var asked: [String] = []
    private(set) var changes: [FleetChange] = []

    init(_ needs: FleetNeeds = .usual, _ times: FleetTimes = .server, limits: FleetLimits = FleetLimits()) {
        fleet = Fleet(base: "v4l2mqtt", needs, times, limits: limits)
    }

    /// Retains what an agent that is online does.
    mutating func add(
        _ agent: String, _ cameras: [String] = ["door"], nodes: [String] = ["availability", "info", "zoom"]
    ) {
        let list = cameras.map { "\"\($0)\"" }.joined(separator: ",")
        var topics = ["info": "{\"cameras\":[\(list)]}", "availability": online]
        for camera in cameras { for node in nodes { topics["\(camera)/\(node)"] = online } }
        retained[agent] = topics
    }

    mutating func connect() {
        filters = []
        fleet.connected(at: time)
        for action in fleet.subscriptions { carryOut(action) }
        carryOut()
        fleet.subscribed(at: time)
        carryOut()
    }

    mutating func disconnect() {
        fleet.disconnected()
        _ = fleet.takeActions()
    }

    /// Connects, and lets the time pass until all is read.
    mutating func read() {
        connect()
        for _ in 0..<1_000 where !fleet.isRead {
            guard let deadline = fleet.deadline else { return }
            time = max(time, deadline)
            tick()
        }
    }

    mutating func tick() {
        changes += fleet.tick(at: time)
        carryOut()
    }

    /// Publishes a message to those that are subscribed, and retains it.
    @discardableResult
    mutating func publish(_ topic: String, _ payload: String) -> ReceivedMessage {
        let parts = topic.split(separator: "/", maxSplits: 1).map(String.init)
        retained[parts[0], default: [:]][parts[1]] = payload.isEmpty ? nil : payload
        let result = fleet.take("v4l2mqtt/\(topic)", Array(payload.utf8), at: time)
        carryOut()
        return result
    }

    /// Carries out what is to be done, and answers new subscriptions: `MQTTBus` sends no others.
    mutating func carryOut() {
        while case let actions = fleet.takeActions(), !actions.isEmpty {
            let before = subscriptions
            for action in actions { carryOut(action) }
            if subscriptions > before { fleet.subscribed(at: time) }
        }
    }

    private mutating func carryOut(_ action: FleetAction) {
        switch action {
        case .subscribe(let added, let isRetained):
            let new = add(added)
            if isRetained { deliver(new) }
        case .follow(let states, let live):
            deliver(add(states))
            _ = add(live)
        case .unsubscribe(let ended): filters.subtract(ended)
        case .ask(let agent, let camera):
            asked.append([agent, camera].compactMap { $0 }.joined(separator: "/"))
        }
    }

    /// - Returns: the filters that are new.
    private mutating func add(_ added: [String]) -> [String] {
        let new = added.filter { filters.insert($0).inserted }
        mostFilters = max(mostFilters, filters.count)
        subscriptions += new.count
        return new
    }

    private mutating func deliver(_ filters: [String]) {
        var left = capacity
        for filter in filters {
            let parts = filter.dropFirst("v4l2mqtt/".count).split(separator: "/", maxSplits: 1).map(
                String.init)
            for agent in parts[0] == "+" ? retained.keys.sorted() : [parts[0]] {
                for (rest, payload) in retained[agent] ?? [:] where left > 0 && matches(rest, parts[1]) {
                    if dropped.remove("\(agent)/\(rest)") != nil { continue }
                    left -= 1
                    _ = fleet.take("v4l2mqtt/\(agent)/\(rest)", Array(payload.utf8), at: time)
                }
            }
        }
    }

    private func matches(_ rest: String, _ filter: String) -> Bool {
        guard filter.hasPrefix("+/") else { return rest == filter }
        let end = rest.split(separator: "/").dropFirst().joined(separator: "/")
        return !end.isEmpty && end == filter.dropFirst(2)
    }
}

let online = "{\"state\":\"online\"}"

extension FleetNeeds {
    static let usual = FleetNeeds(required: ["availability", "info", "zoom"], live: ["event"])
}
