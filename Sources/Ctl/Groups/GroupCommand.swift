internal import Base
package import Bus
internal import Contract

/// One command to all cameras of a group, and their answers.
///
/// The cameras whose `info` lists the group are expected to answer, and those that answer a request to the
/// group. The broker may have nothing of others: their answers are waited for a second. One whose agent is
/// away, or that gives no answer in time, is silent. One that has accepted the command is waited for as long
/// as its agent is there.
package struct GroupCommand: CtlMachine {
    package typealias Instant = ContinuousClock.Instant

    /// A message that belongs to the command.
    private struct Request {
        let topic: String
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
        /// The message starts a recording, and its end counts, or an error of the start.
        case recording
    }

    private struct Member {
        /// The requests without a final answer.
        var pending: Set<String>
        var isAccepted = false
        var reply: Reply?
        /// The last file of a recording that has ended.
        var recording: RecordingFields?
        /// An earlier file of the recording that is incomplete.
        var failedFile: RecordingFields?
        var result: MemberResult?

        /// Whether a recording has begun that has not ended.
        var isRecording: Bool { result == nil && reply?.status == .done }
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
    /// Whether recordings that begin are stopped.
    private var isInterrupted = false
    private var rule = Rule.last
    private var sendAt: Instant?
    /// Until when a first answer of each camera has to come.
    private var answerDeadline: Instant?
    /// Until when the ends of recordings have to be reported.
    private var recordingDeadline: Instant?
    private let printsReport: Bool
    /// What came of it; nil: it has not ended, or there was an error before anything was sent.
    package private(set) var report: GroupReport?
    /// Until when cameras may answer of which nothing was known; nil: that has passed.
    private var othersDeadline: Instant?
    private var agents = AwaitedAgents()

    /// How much later than its longest duration the end of a recording may be reported: its file is
    /// completed.
    private static let completionTimeout = Duration.seconds(60)

    /// - Parameters:
    ///   - operation: one that is ``CtlOperation/GroupUse/oneCommand`` for groups.
    ///   - printsReport: false: the caller prints ``report`` later.
    package init(
        _ operation: CtlOperation, _ group: String, _ options: CtlOptions, printsReport: Bool = true,
        at now: Instant
    ) {
        (self.operation, self.group, self.options) = (operation, group, options)
        self.printsReport = printsReport
        // The values of controls depend on the `info` of each camera. All other commands go to the group, so
        // that their answers show which cameras it has: the cameras need not publish everything for that.
        let request: FleetObservation.GroupRequest =
            if case .setControls = operation { .always } else { .whenIncomplete }
        observation = FleetObservation(
            options, asks: true, needsCameraInfo: true, nodes: ["info"],
            group: (name: group, request: request), at: now)
    }

    package static func filters(_ operation: CtlOperation, _ options: CtlOptions) -> [BusFilter] {
        let nodes =
            operation.waitsForRecordings ? ["availability", "info", "event"] : ["availability", "info"]
        return options.groupFilters(cameraNodes: nodes)
    }

    package var deadline: Instant? {
        if case .ended = state { return nil }
        let deadlines = [
            observation.deadline, sendAt, answerDeadline, othersDeadline, recordingDeadline, agents.deadline,
        ]
        return deadlines.compactMap { $0 }.min()
    }

    package mutating func handle(_ input: BusInput, at now: Instant) -> [CtlAction] {
        if case .ended = state { return [] }
        if case .message(let message) = input, let source = options.answerSource(of: message.topic),
            source.node != Topics.refresh
        {
            return answered(message, at: now)
        }
        if case .message(let message) = input, let file = finishedFile(message) {
            return fileFinished(file.address, file.recording)
        }
        if case .refused(let topic, let reason) = input, !observation.isRequest(topic) {
            return fail(.refusedByBroker(topic, reason))
        }
        var actions: [CtlAction] = []
        for action in observation.handle(input, at: now) {
            switch action {
            case .ask(let topic, let payload): actions.append(.publish(topic: topic, payload: payload))
            case .failed(let error): return actions + fail(error)
            case .settled:
                if case .observing = state { return actions + begin(at: now) }
            case .disconnected(let reason):
                // The answers that come meanwhile are lost.
                if case .exchanging = state {
                    let note =
                        operation.waitsForRecordings
                        ? " Where agents still run, the recordings go on until their end." : ""
                    return actions + fail(CommandError(.unavailable, reason + note))
                }
            case .connected, .received: break
            }
        }
        guard case .exchanging = state else { return actions }
        if case .message(let message) = input {
            // Of the messages that are no answers, those of agents change something.
            guard case .agent(let agent, _) = fleet.subject(of: message.topic) else { return actions }
            return actions + follow(agent, at: now)
        }
        if case .deadline = input { actions += deadlinePassed(at: now) }
        return actions + followAgents(at: now)
    }

    // MARK: Requests

    private var fleet: Fleet { observation.fleet }

    private mutating func begin(at now: Instant) -> [CtlAction] {
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
        let note = observation.missingNote.map { [CtlAction.printError(PrintableLine($0))] } ?? []
        return note + sendDue(at: now) + endIfComplete()
    }

    private mutating func makeRequests(_ found: [CameraAddress]) -> [Request] {
        switch operation {
        case .command(let node, let fields): return [request(node, fields)]
        case .startRecording(let fields): return [request(.recording, fields)]
        case .record(let fields):
            rule = .recording
            return [request(.recording, fields)]
        case .cancel(let id):
            rule = .any
            return Node.allCases.filter { $0.contract.takesTimes }.map { request($0, ["cancel": .text(id)]) }
        case .pinch(let gesture):
            return (0...gesture.steps + 1).map { number in
                var sample = request(.pinch, gesture.sample(number))
                sample.delay = number == 0 ? .zero : PinchGesture.interval
                return sample
            }
        case .setControls(let settings): return controlRequests(settings, found)
        case .listPresets, .listControls, .capture, .listMedia, .copyMedia: return []
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
        let commands = values.mapValues(JSONObject.init(controls:))
        if Set(commands.values).count == 1, let all = commands.values.first, commands.count == found.count {
            return [request(.controls, all)]
        }
        return commands.sorted { $0.key < $1.key }.map { address, command in
            request(.controls, command, to: address)
        }
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private mutating func request(
        _ node: Node, _ fields: JSONObject, to address: CameraAddress? = nil
    ) -> Request {
        let id = options.requestID(sentIDs.count + 1)
        sentIDs.insert(id)
        for address in address.map({ [$0] }) ?? Array(members.keys) { members[address]?.pending.insert(id) }
        return Request(
            topic: topic(of: node, at: address),
            payload: JSON.bytes(JSON.object(fields.sent(as: id, options))), isForGroup: address == nil)
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private func topic(of node: Node, at address: CameraAddress?) -> String {
        address.map { fleet.topic(of: node, at: $0, options) }
            ?? fleet.topic(of: node, toGroup: group, members.keys, options)
    }

    private mutating func sendDue(at now: Instant) -> [CtlAction] {
        guard !requests.isEmpty, sendAt ?? now <= now else { return [] }
        var actions: [CtlAction] = []
        var isForGroup = false
        repeat {
            guard !requests.isEmpty else { break }
            let next = requests.removeFirst()
            actions.append(.publish(topic: next.topic, payload: next.payload))
            isForGroup = isForGroup || next.isForGroup
        } while requests.first?.delay == .zero
        sendAt = requests.first.map { now + $0.delay }
        answerDeadline = now + Exchange.answerTimeout
        if case .record(let fields) = operation {
            let seconds = fields["max_duration_s"]?.number ?? 0
            recordingDeadline = now + .seconds(seconds) + Self.completionTimeout
        }
        if isForGroup { othersDeadline = now + FleetObservation.askingPeriod }
        return actions
    }

    // MARK: Answers

    private mutating func answered(_ message: BusMessage, at now: Instant) -> [CtlAction] {
        guard case .exchanging = state, let source = options.answerSource(of: message.topic),
            let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id
        else { return [] }
        // A camera whose info the broker doesn't have may answer, too.
        var member = members[source.address] ?? Member(pending: sentIDs)
        let isLate = if case .silent = member.result { true } else { false }
        guard member.result == nil || isLate, member.pending.contains(id) else { return [] }
        member.result = nil
        member.isAccepted = member.isAccepted || reply.status == .accepted
        var actions: [CtlAction] = []
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
                case .recording: result != .done
                }
            member.reply = isDecided || rule == .recording ? reply : member.reply
            if isDecided { member.result = result }
            if rule == .recording {
                member.isAccepted = true
                if isInterrupted && member.isRecording { actions.append(stopRecording(at: source.address)) }
            }
        }
        members[source.address] = member
        return actions + endIfComplete()
    }

    private mutating func deadlinePassed(at now: Instant) -> [CtlAction] {
        let actions = sendDue(at: now)
        if let limit = othersDeadline, limit <= now { othersDeadline = nil }
        if let limit = answerDeadline, limit <= now, sendAt == nil {
            answerDeadline = nil
            giveUp(at: now) { !$1.isAccepted }
        }
        if let limit = recordingDeadline, limit <= now {
            recordingDeadline = nil
            giveUp(at: now, reason: "the end of the recording was not reported") { _, _ in true }
        }
        return actions
    }

    /// Gives up the cameras of agents that will not answer any more.
    private mutating func followAgents(at now: Instant) -> [CtlAction] {
        guard case .exchanging = state else { return [] }
        let open = Set(members.filter { $1.result == nil }.keys.map(\.agent))
        let lost = agents.lost(of: open, in: fleet, at: now)
        giveUp(at: now) { address, _ in lost.contains(address.agent) }
        return endIfComplete()
    }

    private mutating func follow(_ agent: String, at now: Instant) -> [CtlAction] {
        guard agents.isLost(agent, in: fleet, at: now) else { return [] }
        giveUp(at: now) { address, _ in address.agent == agent }
        return endIfComplete()
    }

    /// Takes the cameras without a result for silent that fulfil a condition.
    ///
    /// - Parameter reason: nil: what is known of the agent.
    private mutating func giveUp(
        at now: Instant, reason: String? = nil, _ condition: (CameraAddress, Member) -> Bool
    ) {
        for (address, member) in members where member.result == nil && condition(address, member) {
            var member = member
            member.result = .silent(reason: reason ?? agents.silence(of: address, in: fleet, at: now))
            members[address] = member
        }
    }

    // MARK: Recordings

    /// A complete file of a recording that this command has started.
    private func finishedFile(_ message: BusMessage) -> (address: CameraAddress, recording: RecordingFields)?
    {
        guard rule == .recording, case .camera(let address, "event") = fleet.subject(of: message.topic),
            let event = JSON.value(Event.self, from: message.payload), event.event == .recordingFinished,
            let id = event.id, sentIDs.contains(id), let recording = event.recording
        else { return nil }
        return (address, recording)
    }

    private mutating func fileFinished(
        _ address: CameraAddress, _ file: RecordingFields
    ) -> [CtlAction] {
        guard case .exchanging = state else { return [] }
        var member = members[address] ?? Member(pending: [])
        if file.reason == .continued {
            if file.error != nil { member.failedFile = file }
            members[address] = member
            return []
        }
        member.recording = file
        let result = MemberResult(file)
        member.result = result == .done ? member.failedFile.map(MemberResult.init) ?? result : result
        members[address] = member
        return endIfComplete()
    }

    /// The user interrupts it: recordings are stopped, and their files waited for. Everything else ends
    /// immediately.
    package mutating func interrupt(at now: Instant) -> [CtlAction] {
        if case .ended = state { return [] }
        guard case .exchanging = state, operation.waitsForRecordings else {
            state = .ended
            return [.exit(code: 0)]
        }
        isInterrupted = true
        let recording = members.filter { $1.isRecording }.keys.sorted()
        // Another camera may be recording for another client.
        let areAllOurs = members.values.allSatisfy { member in
            if case .silent = member.result { true } else { member.isRecording }
        }
        return areAllOurs ? [stopRecording(at: nil)] : recording.map(stopRecording)
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private func stopRecording(at address: CameraAddress?) -> CtlAction {
        let stop: JSONObject = [
            "id": .text("\(options.clientID)-stop"), "client": .text(options.client),
            "on": .flag(false),
        ]
        return .publish(topic: topic(of: .recording, at: address), payload: JSON.bytes(JSON.object(stop)))
    }

    // MARK: The end

    private mutating func endIfComplete() -> [CtlAction] {
        guard case .exchanging = state, requests.isEmpty, othersDeadline == nil,
            members.values.allSatisfy({ $0.result != nil })
        else { return [] }
        state = .ended
        let report = GroupReport(
            group: group, incompleteNote: observation.incompleteNote,
            cameras: members.sorted { $0.key < $1.key }.compactMap { address, member in
                member.result.map {
                    .init(address: address, result: $0, reply: member.reply, recording: member.recording)
                }
            })
        self.report = report
        let lines: [CtlAction] =
            printsReport
            ? report.errors.map { .printError($0) }
                + report.lines(json: options.json).map { .printLine($0) } : []
        return lines + [.exit(code: report.exitCode)]
    }

    private mutating func fail(_ error: CommandError) -> [CtlAction] {
        state = .ended
        return error.ending(options)
    }
}
