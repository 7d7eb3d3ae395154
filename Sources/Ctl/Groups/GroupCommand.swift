package import MQTTBus
package import Messages
internal import Terminal

/// One command to all cameras of a group, and their answers.
///
/// The cameras whose `info` lists the group are expected to answer, and those that answer a request to the group.
/// The broker may have nothing of others: their answers are waited for a second. One whose agent is away, or that gives no
/// answer in time, is silent. One that has accepted the command is waited for as long as its agent is there.
package struct GroupCommand: GroupMachine {
    package typealias Instant = ContinuousClock.Instant

    /// A message that belongs to the command.
    private struct Request {
        let topic: String
        let node: Node
        let id: String
        let payload: [UInt8]
        /// Whether all cameras of the group answer it.
        let isForGroup: Bool
        /// After the message before it.
        var delay = Duration.zero
    }

    private enum State {
        case observing
        case exchanging
        case ended
    }

    /// How the answers of a camera are judged.
    private enum Rule {
        /// The command has several messages, and the answer to the last one counts, or an earlier error.
        case last
        /// One of the messages has to be carried out, as only one of them concerns the camera.
        case any
    }

    private struct Member {
        /// The requests without a final answer.
        var pending: Set<String>
        var isAccepted = false
        var reply: Reply?
        var result: MemberResult?
    }

    private let group: String
    private let operation: CtlOperation
    private let options: CtlOptions
    private var observation: FleetObservation
    private var state = State.observing
    private var members: [CameraAddress: Member] = [:]
    /// Those that are still to be sent.
    private var requests: [Request] = []
    private var sentIDs: Set<String> = []
    private var hasSaidThatItWaits = false
    private var rule = Rule.last
    private var sendAt: Instant?
    /// Until when a first answer of each camera has to come.
    private var answerDeadline: Instant?
    /// Until when cameras may answer of which nothing was known; nil: that has passed.
    private var othersDeadline: Instant?
    private var agents = AwaitedAgents()

    /// - Parameter operation: one that ``CtlOperation/forGroup`` has for groups.
    package init(_ operation: CtlOperation, _ group: String, _ options: CtlOptions, at now: Instant) {
        (self.operation, self.group, self.options) = (operation, group, options)
        // The values of controls depend on the `info` of each camera. All other commands go to the group, so
        // that their answers show which cameras it has: the cameras need not publish everything for that.
        let request: FleetObservation.GroupRequest =
            if case .setControls = operation { .always } else { .whenIncomplete }
        observation = FleetObservation(
            options, asks: true, needsCameraInfo: true, group: (name: group, request: request), at: now)
    }

    package static func filters(_ options: CtlOptions) -> [BusFilter] {
        options.groupFilters(cameraNodes: ["availability", "info"])
    }

    package var deadline: Instant? {
        if case .ended = state { return nil }
        return [observation.deadline, sendAt, answerDeadline, othersDeadline, agents.deadline]
            .compactMap { $0 }.min()
    }

    package mutating func saved(_ error: CommandError?, at now: Instant) -> [GroupAction] { [] }

    package mutating func handle(_ input: BusInput, at now: Instant) -> [GroupAction] {
        if case .ended = state { return [] }
        if case .message(let message) = input, let source = options.answerSource(of: message.topic),
            source.node != Topics.refresh
        {
            return answered(message, at: now)
        }
        if case .refused(let topic, let reason) = input, !observation.isRequest(topic) {
            return fail(.refusedByBroker(topic, reason))
        }
        var actions: [GroupAction] = []
        for action in observation.handle(input, at: now) {
            switch action {
            case .ask(let topic, let payload): actions.append(.publish(topic: topic, payload: payload))
            case .failed(let error): return actions + fail(error)
            case .settled:
                if case .observing = state { return actions + begin(at: now) }
            case .disconnected(let reason):
                // The answers that come meanwhile are lost.
                if case .exchanging = state { return actions + fail(CommandError(.unavailable, reason)) }
            case .connected, .received: break
            }
        }
        guard case .exchanging = state else { return actions }
        if case .message(let message) = input {
            // Of the messages that are no answers, those of agents change something.
            guard case .agent(let agent, _) = fleet.source(of: message.topic) else { return actions }
            return actions + follow(agent, at: now)
        }
        if case .deadline = input { actions += deadlinePassed(at: now) }
        return actions + followAgents(at: now)
    }

    // MARK: Requests

    private var fleet: Fleet { observation.fleet }

    private mutating func begin(at now: Instant) -> [GroupAction] {
        let found = fleet.members(of: group)
        guard !found.isEmpty else {
            return fail(fleet.unknownGroup(group, options))
        }
        for address in found {
            var member = Member(pending: [])
            if !fleet.isReachable(address, at: now) {
                member.result = .silent(reason: fleet.silence(of: address, at: now))
            }
            members[address] = member
            agents.add(address.agent, in: fleet)
        }
        requests = makeRequests(found)
        state = .exchanging
        let note = observation.missingNote.map { [GroupAction.printError(PrintableLine($0))] } ?? []
        return note + sendDue(at: now) + endIfComplete()
    }

    private mutating func makeRequests(_ found: [CameraAddress]) -> [Request] {
        switch operation {
        case .command(let node, let fields): return [request(node, fields)]
        case .startRecording(let fields): return [request(.recording, fields)]
        case .cancel(let id):
            rule = .any
            var fields = CommandPayload()
            fields.cancel = id
            return Node.allCases.filter(\.takesTimes).map { request($0, fields) }
        case .pinch(let gesture):
            return (0...gesture.steps + 1).map { number in
                var sample = request(.pinch, gesture.sample(number))
                sample.delay = number == 0 ? .zero : PinchGesture.interval
                return sample
            }
        case .setControls(let settings): return controlRequests(settings, found)
        case .listPresets, .listControls, .capture, .record, .listMedia, .copyMedia: return []
        }
    }

    /// One message for all, unless a word such as the title of an option means different values.
    private mutating func controlRequests(
        _ settings: [ControlSetting], _ found: [CameraAddress]
    ) -> [Request] {
        var values: [CameraAddress: [String: ControlValue]] = [:]
        for address in found where members[address]?.result == nil {
            guard let info = fleet.cameras[address]?.info else {
                members[address]?.result = .silent(reason: "its info has not come")
                continue
            }
            do throws(CommandError) {
                values[address] = try ControlTable(info).values(of: settings)
            } catch {
                members[address]?.result = .refused(error)
            }
        }
        let isSame = Set(values.values.map { JSON.bytes(ControlsPayload($0)) }).count == 1
        if isSame, let all = values.values.first, values.count == found.count {
            return [request(.controls, ControlsPayload(all))]
        }
        return values.sorted { $0.key < $1.key }.map { address, values in
            request(.controls, ControlsPayload(values), to: address)
        }
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private mutating func request(
        _ node: Node, _ fields: some ControllerCommand, to address: CameraAddress? = nil
    ) -> Request {
        let id = options.requestID(sentIDs.count + 1)
        var fields = fields
        (fields.id, fields.client) = (id, options.client)
        if let time = options.time {
            fields.at = time.text(at: options.wallClock())
            fields.at_any_clock = options.usesAnyClock ? true : nil
        }
        sentIDs.insert(id)
        let topics = Topics(base: options.baseTopic, agent: address?.agent ?? "groups")
        let asked = address.map { [$0] } ?? Array(members.keys)
        let client = asked.contains(where: fleet.takesOnlyProvedClients) ? options.client : nil
        let topic =
            address.map { topics.command(for: node, camera: $0.camera, client: client) }
            ?? topics.command(for: node, group: group, client: client)
        for address in asked { members[address]?.pending.insert(id) }
        return Request(
            topic: topic, node: node, id: id, payload: JSON.bytes(fields), isForGroup: address == nil)
    }

    private mutating func sendDue(at now: Instant) -> [GroupAction] {
        guard !requests.isEmpty, sendAt ?? now <= now else { return [] }
        var actions: [GroupAction] = []
        var isForGroup = false
        repeat {
            guard !requests.isEmpty else { break }
            let next = requests.removeFirst()
            actions.append(.publish(topic: next.topic, payload: next.payload))
            isForGroup = isForGroup || next.isForGroup
        } while requests.first?.delay == .zero
        sendAt = requests.first.map { now + $0.delay }
        answerDeadline = now + Exchange.answerTimeout
        if isForGroup { othersDeadline = now + FleetObservation.askingPeriod }
        return actions
    }

    // MARK: Answers

    private mutating func answered(_ message: BusMessage, at now: Instant) -> [GroupAction] {
        guard case .exchanging = state, let source = options.answerSource(of: message.topic),
            let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id
        else { return [] }
        // A camera whose info the broker doesn't have may answer, too.
        var member = members[source.address] ?? Member(pending: sentIDs)
        let isLate = if case .silent = member.result { true } else { false }
        guard member.result == nil || isLate, member.pending.contains(id) else { return [] }
        member.result = nil
        member.isAccepted = member.isAccepted || reply.status == .accepted
        var actions: [GroupAction] = []
        if reply.status == .accepted, options.time != nil, !options.json, !hasSaidThatItWaits {
            hasSaidThatItWaits = true
            actions.append(.printError(options.waitingNote(of: id)))
        }
        if let result = MemberResult(reply) {
            member.pending.remove(id)
            let isDecided =
                switch rule {
                case .last: member.pending.isEmpty || result != .done
                case .any: member.pending.isEmpty || result == .done
                }
            if isDecided { (member.result, member.reply) = (result, reply) }
        }
        members[source.address] = member
        return actions + endIfComplete()
    }

    private mutating func deadlinePassed(at now: Instant) -> [GroupAction] {
        let actions = sendDue(at: now)
        if let limit = othersDeadline, limit <= now { othersDeadline = nil }
        if let limit = answerDeadline, limit <= now, sendAt == nil {
            answerDeadline = nil
            giveUp(at: now) { !$1.isAccepted }
        }
        return actions
    }

    /// Gives up the cameras of agents that will not answer any more.
    private mutating func followAgents(at now: Instant) -> [GroupAction] {
        guard case .exchanging = state else { return [] }
        let open = Set(members.filter { $1.result == nil }.keys.map(\.agent))
        let lost = agents.lost(of: open, in: fleet, at: now)
        giveUp(at: now) { address, _ in lost.contains(address.agent) }
        return endIfComplete()
    }

    private mutating func follow(_ agent: String, at now: Instant) -> [GroupAction] {
        guard agents.isLost(agent, in: fleet, at: now) else { return [] }
        giveUp(at: now) { address, _ in address.agent == agent }
        return endIfComplete()
    }

    /// Takes the cameras without a result for silent that fulfil a condition.
    private mutating func giveUp(at now: Instant, _ condition: (CameraAddress, Member) -> Bool) {
        for (address, member) in members where member.result == nil && condition(address, member) {
            var member = member
            member.result = .silent(reason: fleet.silence(of: address, at: now))
            members[address] = member
        }
    }

    // MARK: The end

    private mutating func endIfComplete() -> [GroupAction] {
        guard case .exchanging = state, requests.isEmpty, othersDeadline == nil,
            members.values.allSatisfy({ $0.result != nil })
        else { return [] }
        state = .ended
        let results = members.sorted { $0.key < $1.key }
        let tally = GroupTally(results.compactMap { $0.value.result })
        var actions: [GroupAction] = []
        for (address, member) in results {
            if let failure = member.result?.failure {
                actions.append(.printError("\(address): \(failure)"))
            } else if !options.json {
                // The first line is the bare status.
                let lines = member.reply?.lines(listing: []).dropFirst() ?? []
                actions += lines.map { .printLine("\(address): \($0.text)") }
            }
        }
        let cameras = results.map { Summary.Camera($0.key, $0.value.result, $0.value.reply) }
        actions.append(
            .printLine(
                options.json
                    ? JSON.line(Summary(group: group, tally: tally, cameras: cameras))
                    : "\(group): \(tally.text)"))
        return actions + [.exit(code: tally.failures == 0 ? 0 : 1)]
    }

    /// The end of the command as `--json` prints it.
    private struct Summary: Encodable {
        struct Camera: Encodable {
            let agent, camera: String
            /// `done`, `refused` or `silent`.
            let result: String
            /// Of a camera that is silent.
            let reason: String?
            let reply: Reply?

            init(_ address: CameraAddress, _ result: MemberResult?, _ reply: Reply?) {
                (agent, camera, self.reply) = (address.agent, address.camera, reply)
                switch result {
                case .done: (self.result, reason) = ("done", nil)
                case .refused(let word, let message):
                    (self.result, reason) = ("refused", message.map { "\(word): \($0)" } ?? word)
                case .silent(let word): (self.result, reason) = ("silent", word)
                case nil: (self.result, reason) = ("silent", nil)
                }
            }
        }

        let group: String
        let done: Int
        let refused: [String: Int]
        let silent: Int
        let cameras: [Camera]

        init(group: String, tally: GroupTally, cameras: [Camera]) {
            (self.group, self.cameras) = (group, cameras)
            (done, refused, silent) = (tally.done, tally.refused, tally.silent)
        }
    }

    private mutating func fail(_ error: CommandError) -> [GroupAction] {
        state = .ended
        let json: [GroupAction] = options.json ? [.printLine(error.asReply)] : []
        return json + [.printError(PrintableLine(error.message)), .exit(code: 1)]
    }
}

extension Node {
    /// Whether commands of the node can wait for a time (`at`).
    var takesTimes: Bool {
        switch self {
        case .zoom, .capture, .recording, .session, .controls, .presets: true
        case .pinch, .touch, .viewport, .preview, .lease, .desired, .privacy, .media: false
        }
    }
}
