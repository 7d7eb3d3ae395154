package import Bus
package import Contract

/// What a program keeps of an agent, or of a camera.
package protocol Facts {
    init()

    /// Takes a state, an event or a sample. An empty payload: the state was removed.
    ///
    /// - Parameters:
    ///   - node: as in the topic, such as `zoom` or `zoom/live`.
    ///   - time: when it came.
    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant)
}

/// What a ``Fleet`` reads.
package struct FleetNeeds: Sendable {
    /// Nil: all agents are found and read.
    package var agent: String?
    /// Nil: all cameras.
    package var camera: String?
    /// The states of a camera without which it is not read completely. One that is offline needs only
    /// `availability`, and a private one no `info`.
    package var required: [String]
    /// Further states; nothing waits for them.
    package var optional: [String]
    /// What is published and not retained, such as `event`.
    package var live: [String]
    /// Further states of the cameras that are followed (``Fleet/follow(_:at:)``).
    package var followed: [String]
    package var followedLive: [String]

    package init(
        agent: String? = nil, camera: String? = nil, required: [String], optional: [String] = [],
        live: [String] = [], followed: [String] = [], followedLive: [String] = []
    ) {
        (self.agent, self.camera, self.required, self.optional) = (agent, camera, required, optional)
        (self.live, self.followed, self.followedLive) = (live, followed, followedLive)
    }

    /// The states that are kept; at most 64.
    var states: [String] { required + optional + followed }
}

package struct FleetTimes: Sendable {
    /// What has not come is missing when the broker has answered the subscription, and nothing new has come
    /// for so long.
    package var quiet: Duration
    /// How long an agent may be silent that was asked for what is missing; nil: none is asked.
    package var asking: Duration?
    /// The same when it has promised to publish it.
    package var promise: Duration

    package init(quiet: Duration, asking: Duration?, promise: Duration = .seconds(11)) {
        (self.quiet, self.asking, self.promise) = (quiet, asking, promise)
    }

    /// For a person who waits.
    package static let person = FleetTimes(quiet: .milliseconds(300), asking: .seconds(1))
    /// An agent answers at once, and publishes within ten seconds.
    package static let server = FleetTimes(quiet: .seconds(2), asking: .seconds(11))
}

/// Limits for the memory: clients without trust may publish to a broker too. Sizes are in bytes.
package struct FleetLimits: Sendable {
    package var agents = 20_000
    /// Of all agents together.
    package var cameras = 20_000
    /// As many as an agent's configuration may have.
    package var camerasOfAgent = 1024
    /// One `info`, `availability` or event.
    package var info = 64 << 10
    /// One of the other states.
    package var state = 512 << 10
    /// One message that is not retained, such as a sample of a zoom.
    package var live = 16 << 10
    /// All states of all agents that are kept.
    package var bytes = 128 << 20
    /// The share of one agent in ``bytes``. What comes first is kept: eight agents could take all room.
    package var bytesOfAgent = 16 << 20

    package init() {}
}

/// What a program does for a ``Fleet``.
package enum FleetAction: Equatable, Sendable {
    /// Subscribe, with the retained messages or to later ones only (Retain Handling 2), with QoS 0: a broker
    /// drops messages with QoS 1 if a client has too many.
    case subscribe([String], retained: Bool)
    /// Subscribe to the topics of a camera that is followed, with QoS 1: to states with the retained
    /// messages, and to what is live.
    case follow([String], live: [String])
    case unsubscribe([String])
    /// Ask an agent, or one of its cameras, for all retained messages.
    case ask(agent: String, camera: String?)

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

/// What has changed in a ``Fleet``.
package enum FleetChange: Equatable, Sendable {
    /// An agent. All its cameras may have changed with it: those that it has, and those that it had.
    ///
    /// - node: empty: it is silent now, or gone.
    case agent(String, node: String, cameras: [CameraAddress])
    case camera(CameraAddress, node: String)
}

/// What a ``Fleet`` made of a message.
package enum ReceivedMessage: Equatable, Sendable {
    case change(FleetChange)
    /// It is too large, or there is no room for it.
    case leftOut(reason: String)
    /// The `info` of the agent does not list the camera.
    case unlisted
    /// The fleet does not read such messages.
    case other
}

package enum Presence: Equatable, Sendable {
    /// - reason: `private`: the device of the camera is closed.
    case online(reason: String?)
    /// The agent is online and the camera is not.
    case offline(reason: String?)
    /// The agent is offline or stopped. It doesn't publish that of each camera.
    case agentAway(Availability.State)
    /// The agent has published no availability, or has not renewed it in time.
    case silent
    /// That of the camera has not come.
    case unknown
}
