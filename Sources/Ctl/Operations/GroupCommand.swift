internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// One command to all cameras of a group, and their answers.
///
/// The cameras whose `info` lists the group are expected to answer, and those that answer a request to the
/// group. The broker may have nothing of others: their answers are waited for a second.
final class GroupCommand {
    typealias Instant = ContinuousClock.Instant

    /// A message that belongs to the command.
    private struct Request {
        let node: Node
        let fields: JSONObject
        /// A single camera of the group; nil: all.
        var address: CameraAddress?
    }

    private let session: CtlSession
    private let group: String
    private let operation: CtlOperation
    private var answers = Answers()
    private var ids: Set<String> = []
    /// Whether recordings that begin are stopped.
    private var isInterrupted = false
    /// Until when the ends of recordings have to be reported.
    private var recordingDeadline: Instant?
    /// Until when cameras may answer of which nothing was known.
    private var othersDeadline: Instant?

    /// How much later than its longest duration the end of a recording may be reported: its file is
    /// completed.
    private static let completionTimeout = Duration.seconds(60)

    init(_ session: CtlSession, _ group: String, _ operation: CtlOperation) {
        (self.session, self.group, self.operation) = (session, group, operation)
    }

    private var options: CtlOptions { session.options }

    func perform() throws(Ending) -> GroupReport {
        let found = try session.settledMembers(of: group, asksAlways: needsAllInfo)
        answers = Answers(rule)
        for address in found {
            answers.add(address, in: session.fleet, result: session.absence(of: address))
        }
        session.handlesInterrupts = operation.waitsForRecordings
        let requests = requests(found)
        var due = session.now
        for request in requests {
            while session.now < due { try next(before: due) }
            send(request)
            if case .pinch = operation { due = session.now + PinchGesture.interval }
        }
        while answers.open > 0 || othersDeadline != nil { try next() }
        return GroupReport(
            group: group, incompleteNote: session.incompleteNote,
            cameras: answers.members.sorted { $0.key < $1.key }.compactMap { address, member in
                member.result.map {
                    .init(address: address, result: $0, reply: member.reply, recording: member.recording)
                }
            })
    }

    // MARK: Requests

    /// The values of controls follow from the `info` of each camera.
    private var needsAllInfo: Bool { if case .setControls = operation { true } else { false } }

    private var rule: Answers.Rule {
        switch operation {
        case .record: .recording
        case .cancel: .any
        default: .all
        }
    }

    private func requests(_ found: [CameraAddress]) -> [Request] {
        if case .setControls(let settings) = operation { return controlRequests(settings, found) }
        return operation.messages.map { Request(node: $0.node, fields: $0.fields) }
    }

    /// One message for all, unless a word such as the title of an option means different values.
    private func controlRequests(_ settings: [ControlSetting], _ found: [CameraAddress]) -> [Request] {
        var commands: [CameraAddress: JSONObject] = [:]
        for address in found where answers.members[address]?.result == nil {
            guard let info = session.fleet[address]?.facts.info else {
                answers.decide(address, .silent(reason: "its info has not come"))
                continue
            }
            do throws(CommandError) {
                commands[address] = JSONObject(controls: try ControlTable(info).values(of: settings))
            } catch {
                answers.decide(address, .refused(error))
            }
        }
        if Set(commands.values).count == 1, let all = commands.values.first, commands.count == found.count {
            return [Request(node: .controls, fields: all)]
        }
        return commands.sorted { $0.key < $1.key }
            .map { Request(node: .controls, fields: $1, address: $0) }
    }

    private func send(_ request: Request) {
        let id = session.nextID()
        ids.insert(id)
        answers.expect(
            id, of: request.address.map { [$0] }, until: session.now + Answers.timeout)
        session.publish(
            topic(of: request.node, at: request.address),
            JSON.bytes(JSON.object(request.fields.sent(as: id, options))))
        if case .record(let fields) = operation {
            let seconds = fields["max_duration_s"]?.number ?? 0
            recordingDeadline = session.now + .seconds(seconds) + Self.completionTimeout
        }
        if request.address == nil { othersDeadline = session.now + CtlSession.askingPeriod }
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private func topic(of node: Node, at address: CameraAddress?) -> String {
        address.map { session.topic(of: node, at: $0) }
            ?? session.topic(of: node, toGroup: group, answers.members.keys)
    }

    // MARK: Answers

    private func next(before due: Instant? = nil) throws(Ending) {
        let limit = earliest(due, answers.deadline, othersDeadline, recordingDeadline)
        switch try session.next(before: limit) {
        case .message(let message): take(message)
        case .refused(let topic, let reason): throw .failed(.refusedByBroker(topic, reason))
        case .connection(.disconnected(let reason, _)):
            // The answers that come meanwhile are lost.
            let note =
                operation.waitsForRecordings
                ? " Where agents still run, the recordings go on until their end." : ""
            throw .failed(.unavailable, reason + note)
        case .interrupt: stopRecordings()
        case nil: pass()
        case .connection, .drained, .signal, .keys: break
        }
    }

    private func take(_ message: BusMessage) {
        guard let parts = session.answerTopics.parts(of: message.topic) else { return }
        if parts.kind == .answer {
            if let address = parts.camera, parts.node != Topics.refresh { answered(message, address) }
            return
        }
        switch (parts.place, parts.node) {
        case (.agent(let agent), _): answers.follow(agent, in: session.fleet, at: session.now)
        case (.camera(let address), "event"):
            guard operation.waitsForRecordings, let (id, file) = message.finishedFile, ids.contains(id)
            else { break }
            answers.take(file, of: address)
        default: break
        }
    }

    private func answered(_ message: BusMessage, _ address: CameraAddress) {
        guard let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id else { return }
        switch answers.take(reply, to: id, of: address) {
        case .accepted: session.noteThatItWaits(id)
        case .final:
            if isInterrupted, answers.members[address]?.isRecording == true { stopRecording(at: address) }
        case nil: break
        }
    }

    private func pass() {
        if let limit = othersDeadline, limit <= session.now { othersDeadline = nil }
        answers.pass(at: session.now, in: session.fleet)
        if let limit = recordingDeadline, limit <= session.now {
            recordingDeadline = nil
            answers.giveUp(.silent(reason: "the end of the recording was not reported"))
        }
    }

    // MARK: Recordings

    /// The user interrupts it: the files of the recordings are waited for.
    private func stopRecordings() {
        isInterrupted = true
        // Another camera may be recording for another client.
        let areAllOurs = answers.members.values.allSatisfy { member in
            if case .silent = member.result { true } else { member.isRecording }
        }
        if areAllOurs { return stopRecording(at: nil) }
        for address in answers.members.filter({ $1.isRecording }).keys.sorted() {
            stopRecording(at: address)
        }
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private func stopRecording(at address: CameraAddress?) {
        let stop: JSONObject = [
            "id": .text("\(options.clientID)-stop"), "client": .text(options.client), "on": .flag(false),
        ]
        session.publish(topic(of: .recording, at: address), JSON.bytes(JSON.object(stop)))
    }
}
