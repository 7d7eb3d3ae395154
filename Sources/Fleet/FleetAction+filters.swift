package import Bus

extension FleetAction {
    /// The subscriptions that begin or end; none for a request to an agent.
    package var filters: [BusFilter] {
        switch self {
        case .subscribe(let topics, let isRetained):
            topics.map { BusFilter($0, isRetained ? .includingRetained : .newOnly, qos: .atMostOnce) }
        case .follow(let states, let live):
            states.map { BusFilter($0, .includingRetained, qos: .atLeastOnce) }
                + live.map { BusFilter($0, .newOnly, qos: .atLeastOnce) }
        case .unsubscribe(let topics): topics.map { BusFilter($0, .newOnly) }
        case .ask: []
        }
    }
}
