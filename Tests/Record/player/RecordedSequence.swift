/// What a sequence prints: each step, and the messages that followed it.
package struct RecordedSequence {
    package let seed: UInt64
    private(set) var lines: [String] = []
    package private(set) var coverage = Coverage()

    /// Plays the sequence of a seed.
    ///
    /// - Parameter stage: makes the agent with these keys and values of the configuration.
    package init(
        seed: UInt64, count: Int, stage: ([(String, String)]) throws -> any ScenarioStage
    ) rethrows {
        self.seed = seed
        var traffic = Traffic(seed: seed)
        let stage = try stage(traffic.configuration)
        lines.append("seed \(seed)")
        lines += traffic.configuration.map { "= \($0.0): \($0.1)" }
        var values = Placeholders()
        var printed = 0
        func note(_ step: String) {
            lines.append(step)
            for message in stage.messages[printed...] {
                lines.append("< \(message.line)")
                values.note(message)
                coverage.note(message)
            }
            printed = stage.messages.count
        }
        note("start")
        for step in traffic.steps(count) {
            switch step {
            case .publish(let message): stage.publish(values.filled(message, stage))
            case .flood(let message, let count):
                for _ in 0..<count { stage.publish(values.filled(message, stage)) }
            case .device(let effect, let camera):
                do throws(UnknownEffect) {
                    try stage.device(effect, of: camera)
                    coverage.note(effect)
                } catch {
                    lines.append("\(error)")
                }
            case .pass(let time): stage.pass(time)
            case .stop: stage.stop()
            }
            note(step.description)
        }
    }

    /// As the agent published it.
    package var raw: String { lines.joined(separator: "\n") + "\n" }

    /// Numbers that may differ between two programs that behave equally are replaced by their ranks, and the
    /// members of objects have the order of their names.
    package var ranked: String { Self.ranked(lines).joined(separator: "\n") + "\n" }

    package static func ranked(_ lines: [String]) -> [String] {
        let lines = lines.map(JSON.sortedLine)
        return Ranks(lines).ranked(lines)
    }

    /// FNV-1a of the text.
    package static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
