/// What the placeholders in a payload stand for: `$REV` for the present `rev` of the camera, the others for
/// times of day.
struct Placeholders {
    /// The greatest of each camera: states that are published once more have older ones.
    private var revisions: [String: Int] = [:]

    mutating func note(_ message: StageMessage) {
        guard message.isRetained, let rev = number(after: #""rev":"#, in: message.payload) else { return }
        let camera = camera(message.topic)
        revisions[camera] = max(rev, revisions[camera] ?? rev)
    }

    func filled(_ message: StageMessage, _ stage: any ScenarioStage) -> StageMessage {
        guard message.payload.contains(UInt8(ascii: "$")) else { return message }
        // A payload that isn't UTF-8 has to stay so.
        let start = message.payload.prefix { $0 == 0xFF }
        var text = String(decoding: message.payload[start.endIndex...], as: UTF8.self)
        func fill(_ name: String, _ value: @autoclosure () -> String) {
            if text.contains(name) { text.replace(name, with: value()) }
        }
        fill("$REV", "\(revisions[camera(message.topic)] ?? 1)")
        fill("$NOW", stage.timestamp(after: .zero))
        fill("$SOON", stage.timestamp(after: .milliseconds(700)))
        fill("$LATER", stage.timestamp(after: .seconds(4)))
        fill("$PAST", stage.timestamp(after: .seconds(-300)))
        var message = message
        message.payload = Array(start) + text.utf8
        return message
    }

    private func camera(_ topic: String) -> String {
        topic.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
    }

    private func number(after name: String, in payload: [UInt8]) -> Int? {
        let text = String(decoding: payload, as: UTF8.self)
        guard let range = text.firstRange(of: name) else { return nil }
        return Int(text[range.upperBound...].prefix { $0.isNumber })
    }
}
