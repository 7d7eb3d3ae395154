extension StageMessage {
    /// One line.
    package var line: String {
        var words = [topic, text]
        if qos != 1 { words.append("(qos \(qos))") }
        if isRetained { words.append("(retained)") }
        if let responseTopic { words.append("(response \(responseTopic))") }
        if let correlation { words.append("(correlation \(String(decoding: correlation, as: UTF8.self)))") }
        if let contentType { words.append("(type \(contentType))") }
        if let expiry { words.append("(expiry \(expiry))") }
        words += user.map { "(\($0.name)=\($0.value))" }
        return words.joined(separator: " ")
    }

    private var text: String {
        if payload.isEmpty { return "(empty)" }
        if payload.count > 16_000, topic.hasPrefix("v4l2mqtt") { return "(\(payload.count) bytes)" }
        let isText = payload.allSatisfy { $0 >= 0x20 && $0 < 0x7F } || payload.first == UInt8(ascii: "{")
        if isText, let text = String(validating: payload, as: UTF8.self) { return text }
        return
            "(\(payload.count) bytes: \(payload.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")))"
    }
}
