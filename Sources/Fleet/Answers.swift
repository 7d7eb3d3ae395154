package import Contract

/// The answers that cameras owe: who owes which one, by which rule it counts, and until when it is waited
/// for.
///
/// A camera whose agent is away, has started again or gives no first answer in time is silent. One that has
/// accepted a command is waited for as long as its agent is there.
package struct Answers {
    package typealias Instant = ContinuousClock.Instant

    /// How the answers of a camera are judged.
    package enum Rule: Equatable {
        /// Each request has to be carried out: the answer to the last one counts, or the first other one.
        case all
        /// One of the requests has to be carried out, as only one of them concerns the camera.
        case any
        /// The request starts a recording, and its end counts, or an error of the start.
        case recording
        /// The caller judges each answer.
        case each
    }

    package struct Member {
        /// The requests without a final answer.
        package fileprivate(set) var pending: Set<String> = []
        package fileprivate(set) var isAccepted = false
        /// The final answer.
        package fileprivate(set) var reply: Reply?
        /// The last file of a recording that has ended.
        package fileprivate(set) var recording: RecordingFields?
        /// An earlier file of the recording that is incomplete.
        fileprivate var failedFile: RecordingFields?
        package fileprivate(set) var result: MemberResult?

        /// Whether a recording has begun that has not ended.
        package var isRecording: Bool { result == nil && reply?.status == .done }
    }

    /// What is taken of an answer.
    package enum Taken {
        case accepted
        case final
    }

    private let rule: Rule
    package private(set) var members: [CameraAddress: Member] = [:]
    /// The number of cameras without a result.
    package private(set) var open = 0
    private var cameras: [String: [CameraAddress]] = [:]
    /// The requests to all cameras, including those that are not known yet.
    private var common: Set<String> = []
    /// Until when a first answer of each camera has to come.
    private var answerDeadline: Instant?
    /// The counts of starts of the agents: one that has started again has lost all requests.
    private var boots: [String: Int] = [:]
    /// When agents whose will was published are given up. They may be back after a short loss of their
    /// connection.
    private var losses: [String: Instant] = [:]

    package static let timeout = Duration.seconds(5)
    /// How long an agent may be offline.
    static let offlineTimeout = Duration.seconds(5)

    package init(_ rule: Rule = .all) { self.rule = rule }

    /// When ``pass(at:in:)`` is due; nil: not before a message comes.
    package var deadline: Instant? { earliest(answerDeadline, losses.values.min()) }

    // MARK: Requests

    /// Waits for a camera from now on.
    ///
    /// - Parameter result: nil: it will answer.
    package mutating func add(
        _ address: CameraAddress, in fleet: Fleet<some Facts, some Facts>, result: MemberResult? = nil
    ) {
        boots[address.agent] = fleet.agents[address.agent]?.availability?.boot
        insert(address, Member(result: result))
    }

    private mutating func insert(_ address: CameraAddress, _ member: Member) {
        cameras[address.agent, default: []].append(address)
        members[address] = member
        if member.result == nil { open += 1 }
    }

    /// Waits for the final answer to a request.
    ///
    /// - Parameters:
    ///   - addresses: nil: all cameras.
    ///   - deadline: of a first answer; nil: there is none.
    package mutating func expect(_ id: String, of addresses: [CameraAddress]? = nil, until deadline: Instant?)
    {
        if addresses == nil { common.insert(id) }
        for address in addresses ?? Array(members.keys) { members[address]?.pending.insert(id) }
        answerDeadline = deadline
    }

    /// Waits for the final answer to one more request to a camera, whatever it has answered before.
    package mutating func expectMore(_ id: String, of address: CameraAddress, until deadline: Instant) {
        guard var member = members[address] else { return }
        if member.result != nil { open += 1 }
        (member.result, member.isAccepted) = (nil, false)
        members[address] = member
        expect(id, of: [address], until: deadline)
    }

    /// The request was answered by bytes in the place of a reply.
    package mutating func end(_ id: String, of address: CameraAddress) {
        members[address]?.pending.remove(id)
        if members[address]?.pending.isEmpty ?? false { decide(address, .done) }
    }

    // MARK: Answers

    /// Takes an answer.
    ///
    /// - Returns: nil: it was not waited for.
    package mutating func take(_ reply: Reply, to id: String, of address: CameraAddress) -> Taken? {
        // A camera of which the broker has nothing may answer, too.
        if members[address] == nil, common.contains(id) { insert(address, Member(pending: common)) }
        guard var member = members[address], member.pending.contains(id) else { return nil }
        if case .silent = member.result {
            (member.result, open) = (nil, open + 1)
        }
        guard member.result == nil else { return nil }
        guard let result = MemberResult(reply) else {
            member.isAccepted = true
            members[address] = member
            return .accepted
        }
        member.pending.remove(id)
        let isDecided =
            switch rule {
            case .all: member.pending.isEmpty || result != .done
            case .any: member.pending.isEmpty || result == .done
            case .recording: result != .done
            case .each: member.pending.isEmpty
            }
        if isDecided || rule == .recording { member.reply = reply }
        if rule == .recording { member.isAccepted = true }
        members[address] = member
        if isDecided { decide(address, result) }
        return .final
    }

    /// A camera has accepted what it was asked for.
    package mutating func accept(_ address: CameraAddress) { members[address]?.isAccepted = true }

    /// Takes a complete file of a recording.
    package mutating func take(_ file: RecordingFields, of address: CameraAddress) {
        if members[address] == nil { insert(address, Member()) }
        guard file.reason != .continued else {
            if file.error != nil { members[address]?.failedFile = file }
            return
        }
        members[address]?.recording = file
        let result = MemberResult(file)
        let earlier = members[address]?.failedFile.map(MemberResult.init)
        decide(address, result == .done ? earlier ?? result : result)
    }

    /// Nothing more is waited for of a camera.
    package mutating func decide(_ address: CameraAddress, _ result: MemberResult) {
        guard let member = members[address] else { return }
        if member.result == nil { open -= 1 }
        members[address]?.result = result
        if cameras[address.agent]?.allSatisfy({ members[$0]?.result != nil }) ?? true {
            losses[address.agent] = nil
        }
        if open == 0 { answerDeadline = nil }
    }

    // MARK: Silence

    /// The availability of an agent has changed.
    package mutating func follow(_ agent: String, in fleet: Fleet<some Facts, some Facts>, at now: Instant) {
        let open = cameras[agent]?.filter { members[$0]?.result == nil } ?? []
        guard !open.isEmpty, isLost(agent, in: fleet, at: now) else { return }
        for address in open { giveUp(address, in: fleet, at: now) }
    }

    /// Gives up what is due.
    package mutating func pass(at now: Instant, in fleet: Fleet<some Facts, some Facts>) {
        // An agent that has not renewed its availability in time has none: no message told that.
        for agent in cameras.keys {
            let isDue = losses[agent].map { $0 <= now } ?? (fleet.agents[agent]?.availability == nil)
            if isDue { follow(agent, in: fleet, at: now) }
        }
        guard let limit = answerDeadline, limit <= now else { return }
        answerDeadline = nil
        for (address, member) in members where member.result == nil && !member.isAccepted {
            giveUp(address, in: fleet, at: now)
        }
    }

    /// Gives up a camera, of which nothing more comes.
    package mutating func giveUp(
        _ address: CameraAddress, in fleet: Fleet<some Facts, some Facts>, at now: Instant
    ) {
        decide(address, .silent(reason: silence(of: address, in: fleet, at: now).text))
    }

    /// Gives up all cameras.
    package mutating func giveUp(_ reason: MemberResult) {
        for (address, member) in members where member.result == nil { decide(address, reason) }
    }

    /// Why nothing more comes of a camera.
    package func silence(of address: CameraAddress, in fleet: Fleet<some Facts, some Facts>, at now: Instant)
        -> Silence
    {
        if hasRestarted(address.agent, in: fleet) { return .agentHasRestarted }
        return Silence(of: fleet.presence(of: address.agent, at: now))
    }

    private func hasRestarted(_ agent: String, in fleet: Fleet<some Facts, some Facts>) -> Bool {
        guard let boot = boots[agent], let known = fleet.agents[agent]?.availability else { return false }
        return known.state == .online && known.boot != boot
    }

    /// Whether an agent is stopped, has started again, or has been offline for too long.
    private mutating func isLost(_ agent: String, in fleet: Fleet<some Facts, some Facts>, at now: Instant)
        -> Bool
    {
        let availability = fleet.agents[agent]?.availability
        // Nothing is known of an agent whose availability has never come: its camera has answered.
        if availability == nil && boots[agent] == nil { return false }
        guard let known = availability, known.state != .offline else {
            let limit = losses[agent] ?? now + Self.offlineTimeout
            losses[agent] = limit
            return limit <= now
        }
        losses[agent] = nil
        return known.state != .online || hasRestarted(agent, in: fleet)
    }
}

/// The earliest of times that may not be set.
package func earliest(_ times: ContinuousClock.Instant?...) -> ContinuousClock.Instant? {
    times.compactMap { $0 }.min()
}

/// Why nothing comes of a camera.
package enum Silence: Equatable {
    case noAnswer
    /// Nothing is known of its agent.
    case agentIsSilent
    case agentIsAway(Availability.State)
    case agentHasRestarted

    /// - Parameter presence: of its agent.
    package init(of presence: Presence) {
        self =
            switch presence {
            case .agentAway(let state): .agentIsAway(state)
            case .silent: .agentIsSilent
            case .online, .offline, .unknown: .noAnswer
            }
    }

    package var text: String {
        switch self {
        case .noAnswer: "no answer was received"
        case .agentIsSilent: "the agent is silent"
        case .agentIsAway(let state): "the agent is \(state.rawValue)"
        case .agentHasRestarted: "the agent has restarted"
        }
    }

    /// The same about the agent of the only camera.
    package func sentence(about agent: String) -> String {
        switch self {
        case .noAnswer, .agentIsSilent: "No answer was received."
        case .agentIsAway(let state): "\(agent) is \(state.rawValue)."
        case .agentHasRestarted: "\(agent) has restarted."
        }
    }
}

extension Presence {
    /// Nil: it is not known.
    package var state: Availability.State? {
        switch self {
        case .online: .online
        case .offline: .offline
        case .agentAway(let state): state
        case .silent, .unknown: nil
        }
    }

    /// The reason of this presence.
    package var reason: String? {
        switch self {
        case .online(let reason), .offline(let reason): reason
        case .agentAway(let state): Silence.agentIsAway(state).text
        case .silent: Silence.agentIsSilent.text
        case .unknown: nil
        }
    }
}
