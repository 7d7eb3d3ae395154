internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// A desired state that goes to the cameras of a group step by step, and stops by itself: when too many
/// cameras fail, when too many are away at the end, or when another rollout is under way.
///
/// In each step the version goes to the topics of single cameras, as one of the group, and is not retained:
/// what is retained there is not the group's. At the end the copy of the group is retained: cameras that were
/// away get it when they come, and those that have applied the version know it.
///
/// Nothing is kept on this machine: each camera retains the newest version of the group with its outcome. A
/// rollout that has stopped goes on with the same version.
///
/// The cameras of the group are asked for their retained messages first: one of which the broker has nothing
/// would have no step, and would get the copy with all others.
package final class Rollout {
    /// How long the broker has to acknowledge the copy for the group.
    private static let copyTimeout = Duration.seconds(10)

    let plan: RolloutPlan
    let document: DesiredDocument
    private let session: CtlSession
    private(set) var version = 0
    /// The cameras of the step under way.
    private var answers = Answers()
    private var stepID = ""
    private var steps = 0
    /// Whether a camera that knows the version is asked whether it knows the same contents.
    private var isProbing = false
    /// The final outcomes that are known.
    private var results: [CameraAddress: MemberResult] = [:]
    /// Of earlier runs.
    private var earlierFailures = 0
    /// Cameras that have accepted the version, and have no outcome in time.
    private var waiting: Set<CameraAddress> = []
    /// The newest version that was seen in the copy of the group.
    private(set) var copy: RetainedVersion?
    /// Whether there is a connection whose retained messages have come. Without one nothing can come, and
    /// nothing is given up.
    private var isConnected = false
    /// Until when the outcomes of a step, or the acknowledgement of the copy, have to come.
    private var limit: ContinuousClock.Instant?
    /// The time that they have, after a new connection once more.
    private var timeout: Duration
    private var isDrained = false

    private init(_ plan: RolloutPlan, _ session: CtlSession) throws(Ending) {
        (self.plan, self.session, timeout) = (plan, session, plan.timeout)
        do throws(CommandError) { document = try DesiredDocument(plan) } catch { throw .failed(error) }
    }

    private var options: CtlOptions { session.options }
    var fleet: CtlFleet { session.fleet }

    // MARK: Runs

    /// - Returns: the exit code.
    package static func run(
        _ plan: RolloutPlan, _ options: CtlOptions, _ surroundings: any Surroundings
    ) -> Int32 {
        let session = CtlSession(
            options, surroundings, FleetNeeds(required: ["availability", "info", "desired"]))
        do throws(Ending) {
            return try Rollout(plan, session).perform()
        } catch {
            return session.report(error)
        }
    }

    static func filters(_ plan: RolloutPlan, _ options: CtlOptions) -> [BusFilter] {
        let topics = Topics(base: options.baseTopic, agent: Topics.groups)
        return options.topics.groupAnswers
            + topics.desiredFilters(forGroup: plan.group)
            .map { BusFilter($0, .includingRetained, qos: .atLeastOnce) }
    }

    private func perform() throws(Ending) -> Int32 {
        let members = try session.settledMembers(of: plan.group, asksAlways: true) { noteCopy($0) }
        isConnected = true
        session.survivesLoss = true
        version = try chosenVersion(members)
        try checkForOthers()
        takeKnownOutcomes()
        members.compactMap(farAboveNote).forEach(session.printError(text:))
        // With other contents, a camera that knows the version refuses it.
        if let known = members.first(where: { isReachable($0) && known(of: $0)?.version == version }) {
            isProbing = true
            try publish(to: [known])
            isProbing = false
        }
        while true {
            while !isConnected { try next() }
            try checkForOthers()
            let chosen = openCameras.there.prefix(plan.step.count(of: self.members.count))
            if chosen.isEmpty { break }
            steps += 1
            try publish(to: Array(chosen))
            printProgress("step \(steps)")
            let failures = total.failures - earlierFailures
            if failures >= plan.maxFailures {
                throw stopped(
                    "Stopped after \(failures) \(failures == 1 ? "failure" : "failures"). The same command goes on."
                )
            }
        }
        try checkThatTheCopyIsWanted()
        try publishCopy()
        printEnd(isFinished: true)
        let note = session.incompleteNote
        if let note { session.printError(text: note) }
        return total.failures == 0 && note == nil ? 0 : 1
    }

    // MARK: Events

    private func next(before due: ContinuousClock.Instant? = nil) throws(Ending) {
        switch try session.next(before: isConnected ? due : nil) {
        case .message(let message): try take(message)
        case .connection(.disconnected(let reason, _)):
            isConnected = false
            session.printError(text: reason)
        case .refused(let topic, let reason): try refused(.refusedByBroker(topic, reason), topic)
        case .drained: isDrained = true
        case .connection, .interrupt, .signal, .keys, nil: break
        }
        if !isConnected, fleet.isRead { connected() }
    }

    /// What the broker retains has come by a new connection.
    private func connected() {
        isConnected = true
        limit = limit.map { max($0, session.now + timeout) }
        for agent in Set(answers.members.keys.map(\.agent)) {
            answers.follow(agent, in: fleet, at: session.now)
        }
    }

    /// - Returns: the version in a copy of the group; nil: it is no copy.
    @discardableResult
    private func noteCopy(_ message: BusMessage) -> RetainedVersion? {
        guard let seen = RetainedVersion(message, group: plan.group, options.baseTopic) else { return nil }
        if seen.version >= copy?.version ?? 0 { copy = seen }
        return seen
    }

    private func take(_ message: BusMessage) throws(Ending) {
        guard let parts = session.answerTopics.parts(of: message.topic) else { return }
        if parts.kind == .answer {
            if let address = parts.camera, parts.node != Topics.refresh { try answered(message, address) }
            return
        }
        if let seen = noteCopy(message) { return try checkForOther(seen) }
        switch (parts.place, parts.node, parts.kind) {
        case (.camera(let address), "desired", .state): outcomeChanged(address)
        case (.agent(let agent), _, .state):
            if isConnected { answers.follow(agent, in: fleet, at: session.now) }
        default: break
        }
    }

    private func answered(_ message: BusMessage, _ address: CameraAddress) throws(Ending) {
        guard let member = answers.members[address], member.result == nil,
            let reply = JSON.value(Reply.self, from: message.payload), reply.id == stepID
        else { return }
        if let error = reply.error, error.field == "version", [.stale, .conflict].contains(error.code) {
            throw other(
                "Another rollout uses version \(version), or a later one: \(address): \(error.hint)")
        }
        guard case .accepted = answers.take(reply, to: stepID, of: address) else { return }
        if isProbing { answers.decide(address, .done) } else { letWaitIfClosed(address) }
    }

    /// The state says it too, and is there again after a lost connection.
    private func outcomeChanged(_ address: CameraAddress) {
        guard let known = known(of: address), known.version == version else { return }
        let result = MemberResult(known)
        if waiting.contains(address) {
            guard let result else { return }
            waiting.remove(address)
            results[address] = result
        } else if answers.members[address] != nil, answers.members[address]?.result == nil {
            if let result {
                answers.decide(address, result)
            } else {
                answers.accept(address)
                letWaitIfClosed(address)
            }
        }
    }

    /// A camera that has accepted the version applies it by itself. One whose device is away, or private,
    /// will not do it soon.
    private func letWaitIfClosed(_ address: CameraAddress) {
        if fleet[address]?.availability?.isDeviceClosed == true { letWait(address) }
    }

    private func letWait(_ address: CameraAddress) {
        waiting.insert(address)
        answers.decide(address, .silent(reason: "it waits"))
    }

    private func refused(_ error: CommandError, _ topic: String) throws(Ending) {
        let concerned = answers.members.filter { $1.result == nil && self.topic(of: $0) == topic }
        if concerned.isEmpty { throw .failed(error) }
        for address in concerned.keys { answers.decide(address, .refused(error)) }
    }

    // MARK: Steps

    var members: [CameraAddress] { session.members(of: plan.group) }

    private func isReachable(_ address: CameraAddress) -> Bool { session.isReachable(address) }

    /// The outcomes of an earlier run.
    private func takeKnownOutcomes() {
        for address in members {
            guard let known = known(of: address), known.version == version else { continue }
            if let result = MemberResult(known) {
                results[address] = result
            } else if isReachable(address) {
                // The document may be the reason why an agent is away that was applying it.
                waiting.insert(address)
            }
        }
        earlierFailures = total.failures
    }

    /// The cameras that have no final outcome: those whose agents are there, and those that are away.
    private var openCameras: (there: [CameraAddress], away: [CameraAddress]) {
        let open = members.filter { results[$0] == nil && !waiting.contains($0) && !isFarAbove($0) }
        let isThere = Dictionary(grouping: open, by: isReachable)
        return (isThere[true] ?? [], isThere[false] ?? [])
    }

    /// Publishes the version to cameras, and waits for their outcomes.
    private func publish(to cameras: [CameraAddress]) throws(Ending) {
        answers = Answers()
        stepID = session.nextRequest().id
        for address in cameras { answers.add(address, in: fleet) }
        answers.expect(stepID, of: cameras, until: nil)
        limit = session.now + timeout
        for address in cameras { session.publish(topic(of: address), payload(stepID)) }
        while answers.open > 0 {
            try next(before: earliest(limit, answers.deadline))
            if isConnected { giveUp() }
        }
        limit = nil
        for (address, member) in answers.members where !isProbing && !waiting.contains(address) {
            results[address] = member.result
        }
        answers = Answers()
    }

    private func giveUp() {
        answers.pass(at: session.now, in: fleet)
        guard let limit, limit <= session.now else { return }
        for (address, member) in answers.members where member.result == nil {
            if member.isAccepted && isReachable(address) {
                letWait(address)
            } else {
                answers.giveUp(address, in: fleet, at: session.now)
            }
        }
    }

    private func topic(of address: CameraAddress) -> String {
        session.topic(of: .desired, at: address)
    }

    private func payload(_ id: String) -> [UInt8] {
        document.payload(version: version, group: plan.group, id: id, client: options.client)
    }

    // MARK: Other rollouts

    /// To go on would mix two documents.
    private func checkForOthers() throws(Ending) {
        if let copy { try checkForOther(copy) }
        for address in members {
            guard let known = known(of: address), known.version > version, !document.resets,
                !isFarAbove(address)
            else { continue }
            throw other(
                "\(address) has version \(known.version) of the group: another rollout is under way, or came later."
            )
        }
    }

    private func checkForOther(_ seen: RetainedVersion) throws(Ending) {
        if seen.version > version, !document.resets {
            throw other(
                "\(seen.topic) has version \(seen.version) of the group: another rollout is under way, or came later."
            )
        }
        if seen.version == version, seen.contents != document.contents {
            throw other(
                "Another rollout uses version \(version), too: \(seen.topic) has it with other contents.")
        }
    }

    /// Another rollout is under way: this one ends.
    private func other(_ reason: String) -> Ending {
        if steps == 0 && answers.members.isEmpty { return .failed(.conflict, reason) }
        printEnd(isFinished: false)
        return .failed(
            .conflict, "\(reason) This rollout has ended. A higher version begins another one.")
    }

    // MARK: The end

    /// Each camera has an outcome, or is away: those get it by the group's copy.
    private func checkThatTheCopyIsWanted() throws(Ending) {
        let away = openCameras.away.count
        let permitted = (plan.maxAway ?? plan.step).count(of: members.count)
        // When it had finished, the copy was retained before.
        if copy?.version != version, away > permitted {
            throw stopped(
                "Stopped before the group's copy: \(away) \(away == 1 ? "camera is" : "cameras are") offline, more than the \(permitted) that --max-away permits, and all would apply it at once. The same command goes on."
            )
        }
        // Those that are there have refused it, or ignore it: for others it would be the group's copy.
        let isAccepted = !waiting.isEmpty || results.values.contains(.done)
        let isRefused = total.refused.count > 0 || members.contains(where: isFarAbove)
        if isRefused && !isAccepted {
            throw stopped("No camera has accepted the version: nothing is retained for the group.")
        }
    }

    private func publishCopy() throws(Ending) {
        timeout = Self.copyTimeout
        limit = session.now + timeout
        isDrained = false
        let topic = session.topic(of: .desired, toGroup: plan.group, members)
        session.publish(topic, payload(session.nextRequest().id), isRetained: true)
        while !isDrained {
            try next(before: limit)
            if isConnected, !isDrained, let limit, limit <= session.now {
                throw .failed(
                    .unavailable,
                    "The broker has not acknowledged the copy for the group. The same command goes on.")
            }
        }
    }

    private func stopped(_ reason: String) -> Ending {
        printEnd(isFinished: false)
        session.printError(text: reason)
        return .exit(1)
    }

    private func printEnd(isFinished: Bool) {
        let failures = results.sorted { $0.key < $1.key }.compactMap { address, result in
            result.failure.map { (name: "\(address)", text: $0) }
        }
        failures.onceEach("cameras").forEach(session.printError(text:))
        printProgress(isFinished ? "finished" : "stopped", isFinished: isFinished)
    }

    private var total: GroupTally { GroupTally(results.values) }

    private func printProgress(_ state: String, isFinished: Bool = false) {
        let members = members
        let offline = members.count { results[$0] == nil && !waiting.contains($0) && !isReachable($0) }
        guard options.json else {
            let others = [(waiting.count, "waiting"), (offline, "offline")].filter { $0.0 > 0 }
                .map { ", \($0.0) \($0.1)" }.joined()
            return session.output(
                "\(plan.group) version \(version), \(state): \(total.text)\(others), of \(members.count)")
        }
        var fields: JSONObject = [
            "group": .text(plan.group), "version": .integer(version), "step": .integer(steps),
            "cameras": .integer(members.count),
        ]
        total.add(to: &fields)
        fields["waiting"] = .integer(waiting.count)
        fields["offline"] = .integer(offline)
        fields["finished"] = .flag(isFinished)
        session.output(JSON.line(JSON.object(fields)))
    }
}
