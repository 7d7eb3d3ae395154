package import Bus
package import Contract

/// What comes back for a command.
package enum CommandResult: Sendable {
    /// `accepted`, or the final answer.
    case reply(Reply, BusMessage)
    /// A file as the answer, or one of several.
    case file(BusMessage)
    /// The broker refused the command, its answer can't be read, or no answer comes any more.
    case failed(CommandError)

    /// The camera has said that it carries out the command; another result follows.
    package var isAccepted: Bool {
        if case .reply(let reply, _) = self { reply.status == .accepted } else { false }
    }
}

/// Commands to single cameras, each with its own answers, of one client that has MQTT 5. It does no I/O.
///
/// A class, as what is called with an answer may send the next command.
package final class CameraCommands {
    package typealias Instant = ContinuousClock.Instant

    private struct Open {
        let target: ClientRequest
        let topic: String
        let owner: String
        /// Files that are expected; the last one is the final answer.
        var files: Int
        /// Of the final answer.
        let limit: Instant?
        var answers = Answers(.each)
        let handle: (CommandResult) -> Void

        var isAccepted: Bool { answers.members[target.camera]?.isAccepted ?? false }
    }

    private let topics: ClientTopics
    private var open: [String: Open] = [:]

    package init(_ topics: ClientTopics) { self.topics = topics }

    /// When ``pass(at:in:)`` is due; nil: not before a message comes.
    package var deadline: Instant? {
        open.values.compactMap { earliest($0.answers.deadline, $0.limit) }.min()
    }

    /// Whether the command with this id is not answered yet.
    package func contains(_ id: String) -> Bool { open[id] != nil }

    /// The number of commands of an owner that are not answered yet.
    package func count(of owner: String) -> Int { open.values.count { $0.owner == owner } }

    /// Waits for the answers to a command, which is to be published now.
    ///
    /// - Parameters:
    ///   - id: of no other open command.
    ///   - topic: of the command.
    ///   - owner: for ``forget(owner:)``.
    ///   - files: how many are expected, if the answer is no JSON; less than one counts as one.
    ///   - deadline: of the first answer.
    ///   - limit: of the final answer; nil: none while the agent is there.
    ///   - handle: is called with each answer. Nothing follows the final one.
    package func add(
        _ id: String, _ target: ClientRequest, on topic: String, owner: String = "", files: Int = 1,
        in fleet: Fleet<some Facts, some Facts>, until deadline: Instant, limit: Instant? = nil,
        then handle: @escaping (CommandResult) -> Void
    ) {
        var one = Open(
            target: target, topic: topic, owner: owner, files: max(1, files), limit: limit, handle: handle)
        one.answers.add(target.camera, in: fleet)
        one.answers.expect(id, until: deadline)
        open[id] = one
    }

    /// No answer to these commands is expected any more.
    package func forget(owner: String) { open = open.filter { $0.value.owner != owner } }

    // MARK: Answers

    /// Takes a message.
    ///
    /// - Returns: whether it is an answer.
    @discardableResult
    package func take(_ message: BusMessage) -> Bool {
        guard let (id, answer) = topics.answer(in: message, to: open, { $0.target }), var one = open[id]
        else { return false }
        let camera = one.target.camera
        switch answer {
        case .reply(let reply):
            let taken = one.answers.take(reply, to: id, of: camera)
            open[id] = taken == .final ? nil : one
            let isReadable = reply.error != .unreadableAnswer
            if taken != nil { one.handle(isReadable ? .reply(reply, message) : .failed(.unreadableAnswer)) }
        case .bytes:
            one.files -= 1
            one.answers.accept(camera)
            open[id] = one.files == 0 ? nil : one
            one.handle(.file(message))
        }
        return true
    }

    /// The broker refuses a message. It was none of the commands that a camera has accepted.
    package func refused(_ topic: String, _ reason: String) {
        for (id, one) in open where one.topic == topic && !one.isAccepted {
            fail(id, .refusedByBroker(topic, reason))
        }
    }

    /// The connection has ended: answers that come meanwhile are lost.
    package func lost(_ reason: String) {
        for id in open.keys { fail(id, CommandError(.unavailable, reason)) }
    }

    /// Ends a command, if it is open.
    package func fail(_ id: String, _ error: CommandError) {
        open.removeValue(forKey: id)?.handle(.failed(error))
    }

    // MARK: Silence

    /// The availability of an agent has changed.
    package func follow(_ agent: String, in fleet: Fleet<some Facts, some Facts>, at now: Instant) {
        let ids = open.filter { $0.value.target.camera.agent == agent }.keys
        for id in ids { open[id]?.answers.follow(agent, in: fleet, at: now) }
        giveUp(ids, in: fleet, at: now)
    }

    /// Gives up what is due.
    package func pass(at now: Instant, in fleet: Fleet<some Facts, some Facts>) {
        let ids = open.keys
        for id in ids { open[id]?.answers.pass(at: now, in: fleet) }
        giveUp(ids, in: fleet, at: now)
    }

    private func giveUp(
        _ ids: some Sequence<String>, in fleet: Fleet<some Facts, some Facts>, at now: Instant
    ) {
        for id in ids {
            guard let one = open[id], let member = one.answers.members[one.target.camera],
                member.result != nil || one.limit.map({ $0 <= now }) ?? false
            else { continue }
            let silence = one.answers.silence(of: one.target.camera, in: fleet, at: now)
            let sentence = silence.sentence(about: one.target.camera.agent)
            let isLate = member.result == nil && one.isAccepted
            fail(id, CommandError(.unavailable, isLate ? "The command has not ended in time." : sentence))
        }
    }
}

extension CommandError {
    /// - Parameter presence: of the agent.
    package static func notSent(_ presence: Presence) -> CommandError {
        CommandError(.unavailable, "Not sent: \(Silence(of: presence).text).")
    }

    package static func refusedByBroker(_ topic: String, _ reason: String) -> CommandError {
        CommandError(.forbidden, "The broker refuses a message on \(topic): \(reason)")
    }
}
