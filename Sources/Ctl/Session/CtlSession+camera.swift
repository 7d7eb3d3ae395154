internal import Bus
internal import Contract

extension CtlSession {
    /// How long the broker's answers are waited for.
    static let brokerTimeout = Duration.seconds(5)
    /// The broker sends retained messages together with the answers to the subscriptions.
    static let quietPeriod = Duration.milliseconds(300)
    static let longestReading = Duration.seconds(5)

    /// Waits until the camera that the options select is known.
    ///
    /// If the `info` of the agent is missing, which says which cameras it has and on which topics it takes
    /// commands, the agent is asked once: it may have published it at another node of the broker.
    func chosenCamera() throws(Ending) -> CameraAddress {
        var limit = now + options.connectLimit
        var (isConnected, isSubscribed, hasAsked) = (false, false, false)
        while true {
            switch try next(before: limit) {
            case .connected where !isConnected: (isConnected, limit) = (true, now + Self.brokerTimeout)
            case .subscribed where !isSubscribed: (isSubscribed, limit) = (true, now + Self.quietPeriod)
            case .disconnected(let reason): throw .failed(.unavailable, reason)
            case .message(let message):
                if hasAsked, options.isRefreshPromise(message) {
                    limit = now + FleetObservation.promisePeriod
                }
                let isOnlyOne = hasAsked && fleet.agents.count == 1
                if let agent = options.agent ?? (isOnlyOne ? fleet.agents.keys.first : nil),
                    fleet.agents[agent]?.isKnown ?? false
                {
                    return try choice()
                }
            case nil where limit <= now:
                if !isSubscribed { throw .failed(.brokerTimedOut) }
                if hasAsked || !askForInfo() { return try choice() }
                (hasAsked, limit) = (true, now + FleetObservation.askingPeriod)
            default: break
            }
        }
    }

    private func choice() throws(Ending) -> CameraAddress {
        do throws(CommandError) { return try fleet.choice(options) } catch { throw .failed(error) }
    }

    /// - Returns: whether there was something to ask for.
    private func askForInfo() -> Bool {
        // Of several agents, one has to be named.
        let lacking = fleet.incompleteAgents
        guard options.agent != nil || fleet.agents.count == 1,
            lacking.contains(where: { fleet.agents[$0]?.info == nil })
        else { return false }
        let requests = fleet.requests(to: lacking, client: options.client)
        for request in requests { publish(request.topic, request.payload, id: Topics.refresh) }
        return !requests.isEmpty
    }
}
