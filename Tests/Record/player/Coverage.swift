/// In how many sequences each kind of message and effect occurs.
package struct Coverage {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    mutating func note(_ effect: DeviceEffect) { counts["effect \(effect.name)"] = 1 }

    /// By the text of the message: the driver knows no type of it.
    mutating func note(_ message: StageMessage) {
        let levels = message.topic.split(separator: "/")
        let text = String(decoding: message.payload.prefix(4_096), as: UTF8.self)
        if let status = text.value(of: "status") {
            let node = text.value(of: "node") ?? "no node"
            counts["\(status) \(node)"] = 1
            if let code = text.value(of: "code") { counts["code \(code)"] = 1 }
        } else if message.topic.hasPrefix("homeassistant/") {
            counts["discovery"] = 1
        } else if levels.last == "event" {
            counts["event \(text.value(of: "event") ?? "?")"] = 1
        } else if levels.first == "replies" {
            counts["picture as answer"] = 1
        } else {
            counts["state \(levels.dropFirst(levels.count == 3 ? 2 : 3).joined(separator: "/"))"] = 1
        }
    }

    package mutating func add(_ other: Coverage) { counts.merge(other.counts) { $0 + $1 } }
}

extension String {
    /// A text of a JSON object, without regard to levels.
    fileprivate func value(of name: String) -> String? {
        guard let range = firstRange(of: "\"\(name)\":\"") else { return nil }
        return String(self[range.upperBound...].prefix { $0 != "\"" })
    }
}
