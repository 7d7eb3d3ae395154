internal import Base
import Bus
internal import Contract

/// A desired state that goes to the cameras of a group step by step, and stops by itself: when too many
/// cameras fail, when too many are away at the end, or when another rollout is under way.
///
/// In each step the version goes to the topics of single cameras, as one of the group, and is not retained:
/// what is retained there is not the group's. At the end the copy of the group is retained: cameras that were
/// away get it when they come, and those that have applied the version know it.
///
/// The cameras of the group are asked for their retained messages first: one of which the broker has nothing
/// would have no step, and would get the copy with all others.
package struct Rollout: CtlMachine {
    package typealias Instant = ContinuousClock.Instant

    private enum State {
        case observing
        /// The next step begins when there is a connection.
        case unconnected
        case waiting(until: Instant)
        /// The copy of the group is on its way to the broker, which acknowledges it.
        case finishing(until: Instant)
        case ended
    }

    /// Why a rollout ends.
    private enum Ending {
        /// The copy is at the broker.
        case finished
        case tooManyFailures
        case tooManyAway(Int, permitted: Int)
        /// Those that are there have refused it, or ignore it: for others it would be the group's copy.
        case noneAccepted
        case otherRollout(CommandError)
    }

    /// How long the broker has to acknowledge the copy for the group.
    private static let copyTimeout = Duration.seconds(10)

    let plan: RolloutPlan
    private let options: CtlOptions
    private(set) var document: DesiredDocument?
    private var observation: FleetObservation
    private var state = State.observing
    private(set) var rollout: RolloutState?
    /// The cameras of the step under way without an outcome; whether they have accepted the version.
    private var pending: [CameraAddress: Bool] = [:]
    private var agents = AwaitedAgents()
    private var steps = 0
    /// What this run has seen of each camera to which it has published.
    private var results: [CameraAddress: MemberResult] = [:]
    /// Cameras without an outcome in time that have accepted the version.
    private var waiting: Set<CameraAddress> = []
    /// The newest version for the group that was seen on its way to cameras, or in the copy of the group.
    private(set) var newestSeen: SeenVersion?
    /// Whether there is a connection whose retained messages have come.
    private var isConnected = false

    package init(_ plan: RolloutPlan, _ options: CtlOptions, at now: Instant) {
        (self.plan, self.options) = (plan, options)
        observation = FleetObservation(
            options, asks: true, needsCameraInfo: true, nodes: ["info"],
            group: (name: plan.group, request: .always), at: now)
    }

    static func filters(_ plan: RolloutPlan, _ options: CtlOptions) -> [BusFilter] {
        let topics = Topics(base: options.baseTopic, agent: Topics.groups)
        let copies = topics.desiredFilters(forGroup: plan.group)
        // What other rollouts publish to single cameras.
        let commands = ["desired/set", "desired/set/+"].map { "\(options.cameraFilter)/\($0)" }
        return options.groupFilters(cameraNodes: ["availability", "info", "desired"])
            + copies.map { BusFilter($0, .includingRetained, qos: .atLeastOnce) }
            + commands.map { BusFilter($0, .newOnly, qos: .atMostOnce) }
    }

    package mutating func interrupt(at now: Instant) -> [CtlAction] {
        if case .ended = state { return [] }
        state = .ended
        return [.exit(code: 1)]
    }

    package var deadline: Instant? {
        if case .ended = state { return nil }
        let own: [Instant?] =
            switch state {
            // Without a connection nothing can come, and nothing is given up.
            case .waiting(let until): isConnected ? [agents.deadline, until] : []
            case .finishing(let until): isConnected ? [until] : []
            case .observing, .unconnected, .ended: []
            }
        return (own + [observation.deadline]).compactMap { $0 }.min()
    }

    var fleet: Fleet { observation.fleet }

    package mutating func handle(_ input: BusInput, at now: Instant) -> [CtlAction] {
        if case .ended = state { return [] }
        if case .message(let message) = input {
            if let source = options.answerSource(of: message.topic), source.node != Topics.refresh {
                return answered(message, source.address, at: now)
            }
            if let seen = SeenVersion(message, group: plan.group, fleet) { return versionSeen(seen, at: now) }
        }
        if case .refused(let topic, let reason) = input {
            return observation.isRequest(topic) ? [] : refused(topic, reason, at: now)
        }
        if case .drained = input { return drained(at: now) }
        var actions: [CtlAction] = []
        for action in observation.handle(input, at: now) {
            switch action {
            case .ask(let topic, let payload): actions.append(.publish(topic: topic, payload: payload))
            case .failed(let error): return actions + fail(error)
            case .settled: return actions + settled(at: now)
            case .disconnected(let reason):
                isConnected = false
                actions.append(.printError(PrintableLine(reason)))
            case .received(let message): return actions + received(message, at: now)
            case .connected: break
            }
        }
        if case .deadline = input { actions += deadlinePassed(at: now) + followAgents(at: now) }
        return actions
    }

    /// All retained messages of a connection have come.
    private mutating func settled(at now: Instant) -> [CtlAction] {
        isConnected = true
        switch state {
        case .observing: return begin(at: now)
        case .unconnected: return nextStep(at: now)
        case .waiting(let until):
            // The cameras may have lost their connections, too.
            state = .waiting(until: max(until, now + plan.timeout))
            return outcomesChanged(at: now) + followAgents(at: now)
        case .finishing(let until): state = .finishing(until: max(until, now + Self.copyTimeout))
        case .ended: break
        }
        return []
    }

    /// A message of an agent or of a camera.
    private mutating func received(_ message: BusMessage, at now: Instant) -> [CtlAction] {
        switch fleet.subject(of: message.topic) {
        case .camera(let address, node: "desired"): return outcomesChanged(of: [address], at: now)
        case .agent(let agent, _): return followAgents([agent], at: now)
        case .camera, nil: return []
        }
    }

    // MARK: The beginning

    private mutating func begin(at now: Instant) -> [CtlAction] {
        let members = fleet.members(of: plan.group)
        guard !members.isEmpty else {
            return fail(fleet.unknownGroup(plan.group, options))
        }
        // Cameras of which nothing came would have no step, and get the copy with all others. Those of agents
        // that do not answer are as ones that are away.
        if let note = observation.unaskedNote { return fail(CommandError(.unavailable, note)) }
        do throws(CommandError) {
            let document = try DesiredDocument(plan.document, group: plan.group)
            self.document = document
            if let saved = plan.savedState {
                let state = try RolloutState.read(saved, group: plan.group, document: plan.document)
                if let conflict = state.conflict { throw Self.ended(by: conflict) }
                rollout = state
            } else {
                rollout = RolloutState(
                    group: plan.group, document: plan.document, version: try version(of: document, members))
            }
        } catch {
            return fail(error)
        }
        takeKnownOutcomes(of: members, at: now)
        let notes = [observation.missingNote].compactMap { $0 } + members.compactMap(farAboveNote)
        return notes.map { .printError(PrintableLine($0)) } + nextStep(at: now)
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

    /// The cameras that have no final outcome: those whose agents are there, and those that are away.
    private func openCameras(at now: Instant) -> (there: [CameraAddress], away: [CameraAddress]) {
        let open = fleet.members(of: plan.group).filter { address in
            if results[address] != nil || waiting.contains(address) || isFarAbove(address) { return false }
            switch rollout?.cameras["\(address)"]?.progress {
            case .done, .refused: return false
            case .sent, .silent, .waiting, nil: return true
            }
        }
        let isThere = Dictionary(grouping: open) { fleet.isReachable($0, at: now) }
        return (isThere[true] ?? [], isThere[false] ?? [])
    }

    /// A camera has a version that this rollout hasn't published, or such a version is on its way to cameras:
    /// to go on would mix two documents.
    private var otherRollout: CommandError? {
        guard let rollout else { return nil }
        if let error = newestSeen.flatMap(conflict) { return error }
        for address in fleet.members(of: plan.group) {
            guard let known = known(of: address), !isFarAbove(address) else { continue }
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

    /// Why a version that was seen is that of another rollout; nil: it isn't.
    private func conflict(_ seen: SeenVersion) -> CommandError? {
        guard let rollout, let document else { return nil }
        if seen.version > rollout.version, !document.resets {
            return CommandError(
                .conflict,
                "\(seen.topic) has version \(seen.version) of the group: another rollout is under way, or came later."
            )
        }
        guard seen.version == rollout.version, seen.contents != document.contents else { return nil }
        return CommandError(
            .conflict,
            "Another rollout uses version \(seen.version), too: \(seen.topic) has it with other contents.")
    }

    private static func ended(by conflict: String) -> CommandError {
        CommandError(
            .conflict,
            "\(conflict) This rollout has ended. A new state file begins another one, with a new version.")
    }

    private mutating func versionSeen(_ seen: SeenVersion, at now: Instant) -> [CtlAction] {
        if seen.version >= newestSeen?.version ?? 0 { newestSeen = seen }
        return conflict(seen).map { end(by: $0, at: now) } ?? []
    }

    /// Ends it for good, as another rollout is under way.
    private mutating func end(by conflict: CommandError, at now: Instant) -> [CtlAction] {
        if rollout?.cameras.isEmpty ?? true { return fail(conflict) }
        rollout?.conflict = conflict.message
        return save + end(.otherRollout(Self.ended(by: conflict.message)), at: now)
    }

    private mutating func nextStep(at now: Instant) -> [CtlAction] {
        if let error = otherRollout { return end(by: error, at: now) }
        guard isConnected else {
            state = .unconnected
            return []
        }
        let all = fleet.members(of: plan.group).count
        let open = openCameras(at: now)
        if open.there.isEmpty {
            let permitted = (plan.maxAway ?? plan.step).count(of: all)
            // When it had finished, the copy was retained before.
            if rollout?.isFinished != true, open.away.count > permitted {
                return save + end(.tooManyAway(open.away.count, permitted: permitted), at: now)
            }
            return isAccepted == false ? save + end(.noneAccepted, at: now) : publishCopy(at: now)
        }
        let chosen = Array(open.there.prefix(plan.step.count(of: all)))
        steps += 1
        for address in chosen { rollout?.cameras["\(address)"] = .init(progress: .sent) }
        return save + publish(chosen, at: now)
    }

    /// Whether a camera has the version, or will apply it; nil: none has said anything.
    private var isAccepted: Bool? {
        let progress = (rollout?.cameras ?? [:]).values.map(\.progress)
        if progress.contains(where: { $0 == .done || $0 == .waiting }) { return true }
        let isRefused =
            progress.contains(.refused) || fleet.members(of: plan.group).contains(where: isFarAbove)
        return isRefused ? false : nil
    }

    /// Stores the state, before what follows from it is done.
    private var save: [CtlAction] { rollout.map { [.save(JSON.bytes($0))] } ?? [] }

    private mutating func publish(_ cameras: [CameraAddress], at now: Instant) -> [CtlAction] {
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
    ) -> [CtlAction] {
        guard case .waiting = state, pending[address] != nil || waiting.contains(address),
            let reply = JSON.value(Reply.self, from: message.payload),
            reply.id == options.requestID(steps + 1)
        else { return [] }
        if let error = reply.error, error.field == "version", [.stale, .conflict].contains(error.code) {
            return end(
                by: CommandError(
                    .conflict,
                    "Another rollout uses version \(rollout?.version ?? 0), or a later one: \(address): \(error.message)"
                ), at: now)
        }
        if reply.status == .accepted { accepted(address) }
        record(MemberResult(reply), of: address)
        return endStepIfComplete(at: now)
    }

    /// A camera that has accepted the version applies it by itself. One whose device is away, or private,
    /// will not do it soon.
    private mutating func accepted(_ address: CameraAddress) {
        pending[address] = true
        if fleet.cameras[address]?.availability?.isDeviceClosed == true { letWait(address) }
    }

    private mutating func letWait(_ address: CameraAddress) {
        pending[address] = nil
        waiting.insert(address)
        rollout?.cameras["\(address)"] = .init(progress: .waiting)
    }

    /// The state says it too, and is there again after a lost connection.
    ///
    /// - Parameter changed: the cameras whose states have changed; nil: any.
    private mutating func outcomesChanged(
        of changed: [CameraAddress]? = nil, at now: Instant
    ) -> [CtlAction] {
        for address in changed ?? Array(waiting) where waiting.contains(address) {
            if let result = outcome(of: address).flatMap(MemberResult.init) { record(result, of: address) }
        }
        guard case .waiting = state else { return [] }
        for address in changed ?? Array(pending.keys) where pending[address] != nil {
            guard let known = outcome(of: address) else { continue }
            if known.outcome == .applying { accepted(address) }
            record(MemberResult(known), of: address)
        }
        return endStepIfComplete(at: now)
    }

    private mutating func deadlinePassed(at now: Instant) -> [CtlAction] {
        guard isConnected else { return [] }
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
        case .observing, .unconnected, .waiting, .finishing, .ended: return []
        }
    }

    /// What isn't retained is lost for an agent that starts again.
    ///
    /// - Parameter changed: the agents whose messages have come; nil: any.
    private mutating func followAgents(_ changed: [String]? = nil, at now: Instant) -> [CtlAction] {
        guard case .waiting = state, isConnected else { return [] }
        let fleet = fleet
        let lost =
            changed.map { Set($0.filter { agents.isLost($0, in: fleet, at: now) }) }
            ?? agents.lost(of: Set(pending.keys.map(\.agent)), in: fleet, at: now)
        if lost.isEmpty { return [] }
        for address in pending.keys where lost.contains(address.agent) {
            record(.silent(reason: agents.silence(of: address, in: fleet, at: now)), of: address)
        }
        return endStepIfComplete(at: now)
    }

    private mutating func endStepIfComplete(at now: Instant) -> [CtlAction] {
        guard case .waiting = state, pending.isEmpty else { return [] }
        let progress = progress(at: now)
        let isStopped = progress.tally.failures >= plan.maxFailures
        return [.printLine(progress.line(json: options.json))] + save
            + (isStopped ? end(.tooManyFailures, at: now) : nextStep(at: now))
    }

    // MARK: The end

    private mutating func drained(at now: Instant) -> [CtlAction] {
        guard case .finishing = state else { return [] }
        rollout?.isFinished = true
        return save + end(.finished, at: now)
    }

    private mutating func refused(_ topic: String, _ reason: String, at now: Instant) -> [CtlAction] {
        let error = CommandError.refusedByBroker(topic, reason)
        guard case .waiting = state else { return fail(error) }
        for address in pending.keys where self.topic(of: address) == topic {
            record(.refused(error), of: address)
        }
        return endStepIfComplete(at: now)
    }

    private func topic(of address: CameraAddress) -> String {
        fleet.topic(of: .desired, at: address, options)
    }

    /// Each camera has an outcome, or is away: those get it by the group's copy.
    private mutating func publishCopy(at now: Instant) -> [CtlAction] {
        guard let document, let rollout else { return [] }
        state = .finishing(until: now + Self.copyTimeout)
        let topic = fleet.topic(
            of: .desired, toGroup: plan.group, fleet.members(of: plan.group), options)
        let payload = document.payload(
            version: rollout.version, group: plan.group, id: options.requestID(1), client: options.client)
        return [.publish(topic: topic, payload: payload, isRetained: true)]
    }

    private mutating func end(_ ending: Ending, at now: Instant) -> [CtlAction] {
        state = .ended
        let progress = progress(at: now)
        var actions: [CtlAction] = []
        for (key, camera) in (rollout?.cameras ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch camera.progress {
            case .refused, .silent: actions.append(.printError("\(key): \(camera.reason ?? "")"))
            case .sent, .waiting, .done: break
            }
        }
        actions.append(.printLine(progress.line(json: options.json, isEnd: true)))
        switch ending {
        case .finished:
            let note = observation.incompleteNote
            actions += [note].compactMap { $0 }.map { .printError(PrintableLine($0)) }
            return actions + [.exit(code: progress.total.failures == 0 && note == nil ? 0 : 1)]
        case .tooManyFailures:
            let failures = progress.tally.failures
            actions.append(
                .printError(
                    "Stopped after \(failures) \(failures == 1 ? "failure" : "failures"). The same command with the same state file goes on."
                ))
        case .tooManyAway(let count, let permitted):
            actions.append(
                .printError(
                    "Stopped before the group's copy: \(count) \(count == 1 ? "camera is" : "cameras are") offline, more than the \(permitted) that --max-away permits, and all would apply it at once. The same command with the same state file goes on."
                ))
        case .noneAccepted:
            actions.append(
                .printError("No camera has accepted the version: nothing is retained for the group."))
        case .otherRollout(let error): return actions + fail(error)
        }
        return actions + [.exit(code: 1)]
    }

    private mutating func fail(_ error: CommandError) -> [CtlAction] {
        state = .ended
        return error.ending(options)
    }

    private func progress(at now: Instant) -> RolloutProgress {
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
        return RolloutProgress(
            group: plan.group, version: rollout?.version ?? 0, step: steps, cameras: members.count,
            total: total, tally: GroupTally(results.values),
            waiting: cameras.values.count { $0.progress == .waiting }, offline: offline.count,
            isFinished: rollout?.isFinished ?? false)
    }
}
