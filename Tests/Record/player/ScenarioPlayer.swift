/// Plays a scenario, and compares what it says.
package struct ScenarioPlayer {
    private struct Sent {
        let line: Scenario.Line
        let responseTopic: String
        let expected: [Scenario.ExpectedAnswer]
    }

    private let scenario: Scenario
    private let stage: any ScenarioStage
    private var placeholders = Placeholders()
    private var noted = 0
    /// The messages before this one were looked at by lines with `!`.
    private var seen = 0
    private var sent: [Sent] = []
    private var failures: [Scenario.Failure] = []

    /// - Parameter stage: makes the agent with these keys and values of the configuration.
    package static func failures(
        of scenario: Scenario, on stage: ([(String, String)]) throws -> any ScenarioStage
    ) rethrows -> [Scenario.Failure] {
        var player = ScenarioPlayer(scenario, try stage(scenario.configuration))
        player.play()
        return player.failures
    }

    private init(_ scenario: Scenario, _ stage: any ScenarioStage) {
        (self.scenario, self.stage) = (scenario, stage)
    }

    private mutating func play() {
        if scenario.hasDevice { try? stage.device(DeviceEffect("attach 4"), of: "door") }
        stage.pass(.seconds(1))
        seen = stage.messages.count
        for line in scenario.lines { perform(line) }
        for sent in sent { compareAnswers(sent) }
    }

    private mutating func perform(_ line: Scenario.Line) {
        switch line.action {
        case .command(let client, let isProved, let target, let payload, let answers):
            send(line, client, isProved, target, payload, answers)
        case .state(let target, let expected):
            let topic = topic(target)
            let state = stage.messages.last { $0.isRetained && $0.topic == topic }
            guard let state, let found = JSON(state.payload) else {
                return fail(line, "no state on \(topic)")
            }
            if !found.contains(expected) { fail(line, state.line) }
        case .published(let target, let expected):
            let topic = topic(target)
            let messages = stage.messages[seen...].filter { $0.topic == topic }
            seen = stage.messages.count
            if !messages.contains(where: { JSON($0.payload)?.contains(expected) ?? false }) {
                fail(
                    line,
                    messages.isEmpty ? "nothing on \(topic)" : messages.map(\.line).joined(separator: "\n"))
            }
        case .device(let effect, let camera):
            do throws(UnknownEffect) { try stage.device(effect, of: camera) } catch { fail(line, "\(error)") }
        case .pass(let time): stage.pass(time)
        case .stop: stage.stop()
        }
    }

    private mutating func send(
        _ line: Scenario.Line, _ client: String, _ isProved: Bool, _ target: String, _ payload: String,
        _ answers: [Scenario.ExpectedAnswer]?
    ) {
        for message in stage.messages[noted...] { placeholders.note(message) }
        noted = stage.messages.count
        var payload = payload
        if payload.hasPrefix("{"), !payload.contains("\"client\"") {
            let isEmpty = payload.dropFirst().trimmed == "}"
            payload = "{\"client\":\"\(client)\"\(isEmpty ? "" : ",")\(payload.dropFirst())"
        }
        var message = StageMessage(
            "\(topic(target))/set\(isProved ? "/\(client)" : "")", [UInt8](payload.utf8))
        let responseTopic = "replies/\(client)/\(line.number)"
        message.responseTopic = responseTopic
        if let answers { sent.append(Sent(line: line, responseTopic: responseTopic, expected: answers)) }
        stage.publish(placeholders.filled(message, stage))
    }

    private func topic(_ target: String) -> String {
        let levels = target.split(separator: "/")
        if levels.first == "groups" { return "v4l2mqtt/\(target)" }
        if target.hasPrefix("/") { return "v4l2mqtt/porch\(target)" }
        let isOfCamera = scenario.configuration.contains {
            $0.0.hasSuffix(".id") && $0.1 == levels.first ?? ""
        }
        return "v4l2mqtt/porch/\(isOfCamera ? target : "door/\(target)")"
    }

    private mutating func compareAnswers(_ sent: Sent) {
        let answers = stage.messages.filter { $0.topic == sent.responseTopic }
        let isEqual =
            answers.count == sent.expected.count
            && zip(answers, sent.expected).allSatisfy { answer, expected in
                guard let found = JSON(answer.payload) else { return expected.status == "bytes" }
                return found["status"]?.text == expected.status
                    && expected.code.map { found["error"]?["code"]?.text == $0 } ?? true
                    && expected.fields.map(found.contains) ?? true
            }
        if !isEqual {
            fail(
                sent.line,
                "answers:" + (answers.isEmpty ? " none" : "\n" + answers.map(\.line).joined(separator: "\n")))
        }
    }

    private mutating func fail(_ line: Scenario.Line, _ words: String) {
        failures.append(Scenario.Failure(line: line.number, words: "\(line.text)\n\(words)"))
    }
}
