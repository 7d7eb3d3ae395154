internal import Contract
package import Fleet
internal import ZoomModel

/// What `ctl` knows of all agents, and of the selected cameras.
package typealias CtlFleet = Fleet<AgentFacts, CameraFacts>

/// What `ctl` keeps of an agent.
package struct AgentFacts: Facts {
    private(set) var info: AgentInfo?

    package init() {}

    package mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        if node == "info" {
            info = JSON.value(AgentInfo.self, from: payload) ?? (payload.isEmpty ? nil : info)
        }
    }
}

/// What `ctl` keeps of a camera.
package struct CameraFacts: Facts {
    /// An error of a command, a recording or a desired state.
    struct Failure {
        var error: CommandError
        /// The client whose command was refused.
        var client: String?
        /// The timestamp of the message (RFC 3339).
        var time: String
    }

    private(set) var info: CameraInfo?
    private(set) var zoom: Stamped<ZoomState>?
    private(set) var recording: Stamped<RecordingState>?
    private(set) var desired: Stamped<DesiredState>?
    /// The last refused command. It comes from an event, the other errors from states.
    private var refused: Failure?
    /// The payloads of all other states.
    private(set) var payloads: [String: [UInt8]] = [:]

    package init() {}

    package mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        switch node {
        case "availability": break  // The fleet has it.
        case "info": info = JSON.value(CameraInfo.self, from: payload)
        case "recording": recording = JSON.value(Stamped<RecordingState>.self, from: payload)
        case "desired": desired = JSON.value(Stamped<DesiredState>.self, from: payload)
        case "zoom":
            let state = JSON.value(Stamped<ZoomState>.self, from: payload)
            guard let state else {
                if payload.isEmpty { zoom = nil }
                return
            }
            if let known = zoom?.stamp, known.boot == state.stamp.boot, known.rev > state.stamp.rev { return }
            zoom = state
        case "zoom/live":
            guard let sample = JSON.value(Stamped<LiveSample>.self, from: payload), let known = zoom,
                sample.stamp.rev >= known.stamp.rev
            else { return }
            zoom?.value.factor = sample.factor
            zoom?.value.position = sample.position
        case "event":
            guard let event = JSON.value(Event.self, from: payload), event.event == .refused,
                let error = event.error
            else { return }
            refused = Failure(error: error, client: event.client, time: event.ts)
        default: payloads[node] = payload.isEmpty ? nil : payload
        }
    }

    /// The newest error.
    var lastFailure: Failure? {
        var all = [refused].compactMap { $0 }
        if let last = recording?.last, let error = last.error, let recording {
            all.append(Failure(error: error, client: nil, time: recording.stamp.ts))
        }
        if let desired, let error = desired.error {
            all.append(Failure(error: error, client: nil, time: desired.stamp.ts))
        }
        return all.max { $0.time < $1.time }
    }
}

extension Fleet {
    /// The state of an agent that is offline or stopped; nil: it is online, or not known.
    func absence(of agent: String) -> Availability.State? {
        agents[agent]?.availability.flatMap { $0.state == .online ? nil : $0.state }
    }
}
