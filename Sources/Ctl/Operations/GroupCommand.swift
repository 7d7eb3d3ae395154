internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// One command to all cameras of a group, and their answers.
///
/// The cameras whose `info` lists the group are expected to answer, and those that answer a request to the
/// group. The broker may have nothing of others: their answers are waited for a second.
final class GroupCommand: Requests {
    private let group: String
    private let operation: CtlOperation
    /// Until when cameras may answer of which nothing was known.
    private var othersDeadline: ContinuousClock.Instant?

    /// How much later than its longest duration the end of a recording may be reported: its file is
    /// completed.
    private static let completionTimeout = Duration.seconds(60)

    init(_ session: CtlSession, _ group: String, _ operation: CtlOperation) {
        (self.group, self.operation) = (group, operation)
        let rule: Answers.Rule =
            switch operation {
            case .record: .recording
            case .cancel: .any
            default: .all
            }
        super.init(session, rule)
    }

    func perform() throws(Ending) -> GroupReport {
        // The values of controls follow from the `info` of each camera.
        let needsAllInfo = if case .setControls = operation { true } else { false }
        let found = try session.settledMembers(of: group, asksAlways: needsAllInfo)
        for address in found {
            answers.add(address, in: session.fleet, result: session.absence(of: address))
        }
        switch operation {
        case .setControls(let settings): set(settings, found)
        case .record(let fields): try record(fields)
        default:
            for message in operation.messages {
                send(message.node, message.fields)
                guard case .pinch = operation else { continue }
                let due = session.now + PinchGesture.interval
                while session.now < due { _ = try next(before: due) }
            }
        }
        while isOpen { _ = try next() }
        return GroupReport(
            group: group, incompleteNote: session.incompleteNote,
            cameras: answers.members.sorted { $0.key < $1.key }.compactMap { address, member in
                member.result.map {
                    .init(address: address, result: $0, reply: member.reply, recording: member.recording)
                }
            })
    }

    private var isOpen: Bool { answers.open > 0 || othersDeadline != nil }

    override func next(before deadline: ContinuousClock.Instant? = nil) throws(Ending) -> Incoming? {
        let event = try super.next(before: earliest(deadline, othersDeadline))
        if let limit = othersDeadline, limit <= session.now { othersDeadline = nil }
        return event
    }

    // MARK: Requests

    /// - Parameter address: a single camera of the group; nil: all.
    /// - Returns: the id of the request.
    @discardableResult
    private func send(_ node: Node, _ fields: JSONObject, to address: CameraAddress? = nil) -> String {
        let id = session.nextRequest().id
        answers.expect(id, of: address.map { [$0] }, until: session.now + Answers.timeout)
        publish(topic(of: node, at: address), fields, as: id)
        if address == nil { othersDeadline = session.now + CtlSession.askingPeriod }
        return id
    }

    /// - Parameter address: a single camera of the group; nil: all.
    private func topic(of node: Node, at address: CameraAddress?) -> String {
        address.map { session.topic(of: node, at: $0) }
            ?? session.topic(of: node, toGroup: group, answers.members.keys)
    }

    /// One message for all, unless a word such as the title of an option means different values.
    private func set(_ settings: [ControlSetting], _ found: [CameraAddress]) {
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
            send(.controls, all)
        } else {
            for (address, fields) in commands.sorted(by: { $0.key < $1.key }) {
                send(.controls, fields, to: address)
            }
        }
    }

    // MARK: Recordings

    /// Waits for the ends of recordings. The user may interrupt them: then their files are waited for.
    private func record(_ fields: JSONObject) throws(Ending) {
        session.handlesInterrupts = true
        session.lossNote = "Where agents still run, the recordings go on until their end."
        let start = send(.recording, fields)
        let limit =
            session.now + .seconds(fields["max_duration_s"]?.number ?? 0) + Self.completionTimeout
        var isInterrupted = false
        while isOpen {
            switch try next(before: limit) {
            case .reply(_, _, let address):
                if isInterrupted, answers.members[address]?.isRecording == true {
                    stopRecording(at: address)
                }
            case .file(let file, start, let address): answers.take(file, of: address)
            case .interrupt:
                isInterrupted = true
                stopRecordings()
            case .bytes, .file, nil: break
            }
            if limit <= session.now {
                answers.giveUp(.silent(reason: "the end of the recording was not reported"))
            }
        }
    }

    private func stopRecordings() {
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
        publish(
            topic(of: .recording, at: address), ["on": .flag(false)], as: "\(options.clientID)-stop")
    }
}
