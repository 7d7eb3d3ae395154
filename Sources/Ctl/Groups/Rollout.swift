package import MQTTBus
package import Messages
internal import Terminal

/// A desired state that goes to the cameras of a group step by step, and stops by itself.
///
/// In each step the version goes to the topics of single cameras, as one of the group, and is not retained:
/// what is retained there is not the group's. At the end the copy of the group is retained: cameras that were
/// away get it when they come, and those that have applied the version know it.
package struct Rollout: GroupMachine {
    package typealias Instant = ContinuousClock.Instant

    private enum State {
        case observing
        /// The state file is being written; then this is done.
        case saving(Next)
        case waiting(until: Instant)
        /// The copy of the group is on its way to the broker, which acknowledges it.
        case finishing(until: Instant)
        case ended
    }

    /// What follows when the state is stored.
    private enum Next {
        case publish([CameraAddress])
        case nextStep
        case end(code: Int32)
    }

    /// How long the broker has to acknowledge the copy for the group.
    private static let copyTimeout = Duration.seconds(10)

    private let plan: RolloutPlan
    private let options: CtlOptions
    private let topics: Topics
    private var document: DesiredDocument?
    private var observation: FleetObservation
    private var state = State.observing
    private var rollout: RolloutState?
    /// The cameras of the step under way without an outcome; whether they have accepted the version.
    private var pending: [CameraAddress: Bool] = [:]
    private var agents = AwaitedAgents()
    private var steps = 0
    /// What this run has seen of each camera to which it has published.
    private var results: [CameraAddress: MemberResult] = [:]
    /// Cameras without an outcome in time that have accepted the version.
    private var waiting: Set<CameraAddress> = []
    /// The copy that the broker retains for the group: its version.
    private var retainedVersion: Int?
    private var copyID: String { options.requestID(1) }

    package init(_ plan: RolloutPlan, _ options: CtlOptions, at now: Instant) {
        (self.plan, self.options) = (plan, options)
        topics = Topics(base: options.baseTopic, agent: "groups")
        observation = FleetObservation(options, asks: true, needsCameraInfo: true, at: now)
    }

    package static func filters(_ plan: RolloutPlan, _ options: CtlOptions) -> [BusFilter] {
        let copies = Topics(base: options.baseTopic, agent: "groups").desiredFilters(forGroup: plan.group)
        return options.groupFilters(cameraNodes: ["availability", "info", "desired"])
            + copies.map { BusFilter($0, .includingRetained, qos: .atLeastOnce) }
    }

    package mutating func interrupt(at now: Instant) -> [GroupAction] {
        if case .ended = state { return [] }
        state = .ended
        return [.exit(code: 1)]
    }

    package var deadline: Instant? {
        switch state {
        case .waiting(let until): [observation.deadline, agents.deadline, until].compactMap { $0 }.min()
        case .finishing(let until): [observation.deadline, until].compactMap { $0 }.min()
        case .observing, .saving: observation.deadline
        case .ended: nil
        }
    }

    private var fleet: Fleet { observation.fleet }

    package mutating func handle(_ input: BusInput, at now: Instant) -> [GroupAction] {
        if case .ended = state { return [] }
        if case .message(let message) = input {
            if let source = options.answerSource(of: message.topic) {
                return answered(message, source.address, at: now)
            }
            if isCopy(message.topic) { return copyReceived(message) }
        }
        if case .refused(let topic, let reason) = input { return refused(topic, reason, at: now) }
        if case .drained = input { return drained() }
        var actions: [GroupAction] = []
        for action in observation.handle(input, at: now) {
            switch action {
            case .ask(let topic, let payload): actions.append(.publish(topic: topic, payload: payload))
            case .failed(let error): return actions + fail(error)
            case .settled: if case .observing = state { return actions + begin(at: now) }
            case .disconnected(let reason): actions.append(.printError(PrintableLine(reason)))
            case .received: actions += outcomesChanged(at: now)
            case .connected: break
            }
        }
        if case .deadline = input { actions += deadlinePassed(at: now) }
        return actions + followAgents(at: now)
    }

    // MARK: The beginning

    private mutating func begin(at now: Instant) -> [GroupAction] {
        let members = fleet.members(of: plan.group)
        guard !members.isEmpty else {
            return fail(fleet.unknownGroup(plan.group, options))
        }
        do throws(CommandError) {
            let document = try DesiredDocument(plan.document, group: plan.group)
            self.document = document
            if let saved = plan.savedState {
                rollout = try RolloutState.read(saved, group: plan.group, document: plan.document)
            } else {
                rollout = RolloutState(
                    group: plan.group, document: plan.document, version: try version(of: document, members))
            }
        } catch {
            return fail(error)
        }
        takeKnownOutcomes(of: members, at: now)
        return nextStep(at: now)
    }

    /// The version of a rollout that begins: that of the document, or one above all that are known.
    private func version(
        of document: DesiredDocument, _ members: [CameraAddress]
    ) throws(CommandError) -> Int {
        var newest = (version: retainedVersion ?? 0, holder: "the group's copy at the broker")
        for address in members {
            guard let known = known(of: address), known.version > newest.version else { continue }
            newest = (known.version, "\(address)")
        }
        guard let version = document.version else {
            guard newest.version < Int.max else {
                throw CommandError(.badPayload, "version: no higher one is left.", field: "version")
            }
            return newest.version + 1
        }
        guard version > newest.version || document.resets else {
            throw CommandError(
                .stale,
                "version: \(version) isn't above \(newest.version), which \(newest.holder) has. Without a version in the file, one is chosen.",
                field: "version")
        }
        return version
    }

    private func known(of address: CameraAddress) -> DesiredState.Known? {
        fleet.cameras[address]?.desired?.known(of: plan.group)
    }

    /// The outcome of the rollout's version that a camera has published.
    private func outcome(of address: CameraAddress) -> DesiredState.Known? {
        known(of: address).flatMap { $0.version == rollout?.version ? $0 : nil }
    }

    /// The outcomes of an earlier run that ended before it could store them.
    private mutating func takeKnownOutcomes(of members: [CameraAddress], at now: Instant) {
        for address in members {
            guard let known = outcome(of: address) else { continue }
            // The document may be the reason why an agent is away that was applying it.
            if known.outcome == .applying && fleet.isReachable(address, at: now) {
                rollout?.cameras["\(address)"] = .init(progress: .waiting)
            }
            record(MemberResult(known), of: address, isCounted: false)
        }
    }

    // MARK: Steps

    /// The cameras that have no final outcome and whose agents are there.
    private func due(at now: Instant) -> [CameraAddress] {
        fleet.members(of: plan.group).filter { address in
            if results[address] != nil || waiting.contains(address) { return false }
            switch rollout?.cameras["\(address)"]?.progress {
            case .done, .refused: return false
            case .sent, .silent, .waiting, nil: return fleet.isReachable(address, at: now)
            }
        }
    }

    /// A camera has a version that this rollout hasn't published: to go on would mix two documents.
    private var otherRollout: CommandError? {
        guard let rollout else { return nil }
        for address in fleet.members(of: plan.group) {
            guard let known = known(of: address) else { continue }
            let isNewer = known.version > rollout.version && document?.resets != true
            let isUnsent = known.version == rollout.version && rollout.cameras["\(address)"] == nil
            guard isNewer || isUnsent else { continue }
            return CommandError(
                .conflict,
                "\(address) has version \(known.version) of the group, which this rollout has not published: another one is under way, or came later."
            )
        }
        return nil
    }

    private mutating func nextStep(at now: Instant) -> [GroupAction] {
        if let error = otherRollout { return fail(error) }
        let due = due(at: now)
        if due.isEmpty { return publishCopy(at: now) }
        let count = plan.step.count(of: fleet.members(of: plan.group).count)
        let chosen = Array(due.prefix(count))
        steps += 1
        for address in chosen { rollout?.cameras["\(address)"] = .init(progress: .sent) }
        return save(then: .publish(chosen))
    }

    private mutating func save(then next: Next) -> [GroupAction] {
        state = .saving(next)
        return rollout.map { [.save(JSON.bytes($0))] } ?? []
    }

    package mutating func saved(_ error: CommandError?, at now: Instant) -> [GroupAction] {
        guard case .saving(let next) = state else { return [] }
        if let error { return fail(error) }
        switch next {
        case .publish(let cameras): return publish(cameras, at: now)
        case .nextStep: return nextStep(at: now)
        case .end(let code): return end(code, at: now)
        }
    }

    private mutating func publish(_ cameras: [CameraAddress], at now: Instant) -> [GroupAction] {
        pending = Dictionary(uniqueKeysWithValues: cameras.map { ($0, false) })
        state = .waiting(until: now + plan.timeout)
        agents = AwaitedAgents()
        for address in cameras { agents.add(address.agent, in: fleet) }
        guard let document, let rollout else { return [] }
        return cameras.map { address in
            let payload = document.payload(
                version: rollout.version, group: plan.group, id: options.requestID(steps + 1),
                client: options.client)
            return .publish(topic: topic(of: address), payload: payload)
        }
    }

    // MARK: Outcomes

    /// - Parameter isCounted: whether it is an outcome of this run.
    private mutating func record(_ result: MemberResult?, of address: CameraAddress, isCounted: Bool = true) {
        guard let result else { return }
        pending[address] = nil
        waiting.remove(address)
        if isCounted { results[address] = result }
        let camera: RolloutState.Camera =
            switch result {
            case .done: .init(progress: .done)
            case .refused: .init(progress: .refused, reason: result.failure)
            case .silent: .init(progress: .silent, reason: result.failure)
            }
        rollout?.cameras["\(address)"] = camera
    }

    private mutating func answered(
        _ message: BusMessage, _ address: CameraAddress, at now: Instant
    ) -> [GroupAction] {
        guard case .waiting = state, pending[address] != nil || waiting.contains(address),
            let reply = JSON.value(Reply.self, from: message.payload),
            reply.id == options.requestID(steps + 1)
        else { return [] }
        if reply.status == .accepted { accepted(address) }
        record(MemberResult(reply), of: address)
        return endStepIfComplete(at: now)
    }

    /// A camera that has accepted the version applies it by itself. One whose device is away, or private,
    /// will not do it soon.
    private mutating func accepted(_ address: CameraAddress) {
        pending[address] = true
        let availability = fleet.cameras[address]?.availability
        if availability?.state == .offline || availability?.reason == "private" { letWait(address) }
    }

    private mutating func letWait(_ address: CameraAddress) {
        pending[address] = nil
        waiting.insert(address)
        rollout?.cameras["\(address)"] = .init(progress: .waiting)
    }

    /// The state says it too, and is there again after a lost connection.
    private mutating func outcomesChanged(at now: Instant) -> [GroupAction] {
        for address in waiting {
            if let result = outcome(of: address).flatMap(MemberResult.init) { record(result, of: address) }
        }
        guard case .waiting = state else { return [] }
        for address in pending.keys {
            guard let known = outcome(of: address) else { continue }
            if known.outcome == .applying { accepted(address) }
            record(MemberResult(known), of: address)
        }
        return endStepIfComplete(at: now)
    }

    private mutating func deadlinePassed(at now: Instant) -> [GroupAction] {
        switch state {
        case .waiting(let until) where until <= now:
            for (address, isAccepted) in pending.sorted(by: { $0.key < $1.key }) {
                if isAccepted && fleet.isReachable(address, at: now) {
                    letWait(address)
                } else {
                    record(.silent(reason: agents.silence(of: address, in: fleet, at: now)), of: address)
                }
            }
            pending = [:]
            return endStepIfComplete(at: now)
        case .finishing(let until) where until <= now:
            return fail(
                CommandError(
                    .unavailable,
                    "The broker has not acknowledged the copy for the group. The same command with the same state file goes on."
                ))
        case .observing, .saving, .waiting, .finishing, .ended: return []
        }
    }

    /// What isn't retained is lost for an agent that starts again.
    private mutating func followAgents(at now: Instant) -> [GroupAction] {
        guard case .waiting = state else { return [] }
        let lost = agents.lost(of: Set(pending.keys.map(\.agent)), in: fleet, at: now)
        for address in pending.keys where lost.contains(address.agent) {
            record(.silent(reason: agents.silence(of: address, in: fleet, at: now)), of: address)
        }
        return endStepIfComplete(at: now)
    }

    private mutating func endStepIfComplete(at now: Instant) -> [GroupAction] {
        guard case .waiting = state, pending.isEmpty else { return [] }
        let progress = progress(at: now)
        let isStopped = progress.tally.failures >= plan.maxFailures
        return [.printLine(progress.line(json: options.json))]
            + save(then: isStopped ? .end(code: 1) : .nextStep)
    }

    // MARK: The end

    private func isCopy(_ topic: String) -> Bool {
        let command = Topics.client(atEndOf: topic)?.command ?? topic
        return command == topics.command(for: .desired, group: plan.group)
    }

    /// The copy of an earlier rollout.
    private mutating func copyReceived(_ message: BusMessage) -> [GroupAction] {
        if case .success(.desired(let desired)) = Command(for: .desired, payload: message.payload).body {
            retainedVersion = max(retainedVersion ?? 0, desired.version)
        }
        return []
    }

    private mutating func drained() -> [GroupAction] {
        guard case .finishing = state else { return [] }
        rollout?.isFinished = true
        return save(then: .end(code: 0))
    }

    private mutating func refused(_ topic: String, _ reason: String, at now: Instant) -> [GroupAction] {
        let error = CommandError.refusedByBroker(topic, reason)
        guard case .waiting = state else { return fail(error) }
        for address in pending.keys where self.topic(of: address) == topic {
            record(.refused(error), of: address)
        }
        return endStepIfComplete(at: now)
    }

    private func topic(of address: CameraAddress) -> String {
        Topics(base: options.baseTopic, agent: address.agent).command(
            for: .desired, camera: address.camera,
            client: fleet.takesOnlyProvedClients(address) ? options.client : nil)
    }

    /// Each camera has an outcome, or is away: those get it by the group's copy.
    private mutating func publishCopy(at now: Instant) -> [GroupAction] {
        guard let document, let rollout else { return [] }
        state = .finishing(until: now + Self.copyTimeout)
        let members = fleet.members(of: plan.group)
        let client = members.contains(where: fleet.takesOnlyProvedClients) ? options.client : nil
        let payload = document.payload(
            version: rollout.version, group: plan.group, id: copyID, client: options.client)
        return [
            .publish(
                topic: topics.command(for: .desired, group: plan.group, client: client), payload: payload,
                isRetained: true)
        ]
    }

    private mutating func end(_ code: Int32, at now: Instant) -> [GroupAction] {
        state = .ended
        let progress = progress(at: now)
        var actions: [GroupAction] = []
        for (key, camera) in (rollout?.cameras ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch camera.progress {
            case .refused, .silent: actions.append(.printError("\(key): \(camera.reason ?? "")"))
            case .sent, .waiting, .done: break
            }
        }
        actions.append(.printLine(progress.line(json: options.json, isEnd: true)))
        let failures = progress.tally.failures
        if code != 0 {
            actions.append(
                .printError(
                    "Stopped after \(failures) \(failures == 1 ? "failure" : "failures"). The same command with the same state file goes on."
                ))
        }
        return actions + [.exit(code: code != 0 || progress.total.failures > 0 ? 1 : 0)]
    }

    private mutating func fail(_ error: CommandError) -> [GroupAction] {
        state = .ended
        let json: [GroupAction] = options.json ? [.printLine(error.asReply)] : []
        return json + [.printError(PrintableLine(error.message)), .exit(code: 1)]
    }

    private func progress(at now: Instant) -> Progress {
        let members = fleet.members(of: plan.group)
        let cameras = rollout?.cameras ?? [:]
        let total = GroupTally(
            cameras.values.compactMap { camera -> MemberResult? in
                switch camera.progress {
                case .done: .done
                case .refused:
                    .refused(
                        reason: String((camera.reason ?? "").prefix { $0 != ":" }), message: nil)
                case .silent: .silent(reason: "")
                case .sent, .waiting: nil
                }
            })
        let offline = members.filter { address in
            let isOpen = cameras["\(address)"].map { $0.progress == .sent } ?? true
            return isOpen && !fleet.isReachable(address, at: now)
        }
        return Progress(
            group: plan.group, version: rollout?.version ?? 0, step: steps, cameras: members.count,
            total: total, tally: GroupTally(results.values),
            waiting: cameras.values.count { $0.progress == .waiting }, offline: offline.count,
            isFinished: rollout?.isFinished ?? false)
    }

    /// What is printed after each step and at the end.
    private struct Progress: Encodable {
        let group: String
        let version, step, cameras: Int
        /// All runs with the same state file.
        let total: GroupTally
        /// This run.
        let tally: GroupTally
        let waiting, offline: Int
        let isFinished: Bool

        private enum CodingKeys: String, CodingKey {
            case group, version, step, cameras, done, refused, silent, waiting, offline, finished
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encode(group, forKey: .group)
            try fields.encode(version, forKey: .version)
            try fields.encode(step, forKey: .step)
            try fields.encode(cameras, forKey: .cameras)
            try fields.encode(total.done, forKey: .done)
            try fields.encode(total.refused, forKey: .refused)
            try fields.encode(total.silent, forKey: .silent)
            try fields.encode(waiting, forKey: .waiting)
            try fields.encode(offline, forKey: .offline)
            try fields.encode(isFinished, forKey: .finished)
        }

        func line(json: Bool, isEnd: Bool = false) -> PrintableLine {
            if json { return JSON.line(self) }
            let beginning = isEnd ? (isFinished ? "finished" : "stopped") : "step \(step)"
            let others = [(waiting, "waiting"), (offline, "offline")].filter { $0.0 > 0 }
                .map { ", \($0.0) \($0.1)" }.joined()
            return "\(group) version \(version), \(beginning): \(total.text)\(others), of \(cameras)"
        }
    }
}
