internal import Contract

/// The identity of a camera in Home Assistant: its device, and the prefix of its entity ids. It depends on
/// names only, so it is the same after a restart, with another title, and with another model in the camera's
/// place.
package struct HomeAssistantIdentity: Sendable, Equatable {
    /// The prefix of device ids, and the base of topics that is left out of them.
    private static let usualBase = "v4l2mqtt"

    /// `[a-zA-Z0-9_-]+`, and no other camera's on the same broker.
    package let device: String
    /// The name of the device.
    let title: String
    /// The prefix of the entities' ids: `door` of `number.door_zoom`; `[a-z0-9_]+`.
    let slug: String

    /// - Parameters:
    ///   - base: the levels above the agent's name in topics.
    ///   - agent: `[a-z0-9_-]+`, as topics have it.
    ///   - camera: the same.
    ///   - isNamed: whether the configuration names the camera. A camera that is named by its model may have
    ///     the same name as one on another machine, so its title and entity ids contain the agent.
    ///   - title: the camera's name for people; nil: one made of its id.
    package init(
        base: String, agent: String, camera: String, isNamed: Bool = true, title: String? = nil
    ) {
        device = "\(Self.usualBase)_\(camera)\(Self.place(agent, base))"
        let name = isNamed ? camera : "\(agent)-\(camera)"
        slug = String(
            decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
        let words = name.split { $0 == "_" || $0 == "-" }.joined(separator: " ")
        self.title = title ?? (words.isEmpty ? name : words.prefix(1).uppercased() + words.dropFirst())
    }

    /// The end of a device's id. Names have no capitals, so these keep `porch_front` with `door` and `porch`
    /// with `front_door` apart.
    private static func place(_ agent: String, _ base: String) -> String {
        "_AT_\(agent)" + (base == usualBase ? "" : "_ON_\(plain(base))")
    }

    /// The entity id that Home Assistant makes of the names of the device and of the entity; nil for names
    /// with characters for which it has further rules.
    func entityID(ofName name: String) -> String? {
        let separators = Set(" _-,".utf8)
        var last: UInt8 = 0
        var id = ""
        for byte in "\(title) \(name)".utf8 {
            switch byte {
            case _ where byte.isSmallLetterOrDigit: id.unicodeScalars.append(UnicodeScalar(byte))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): id.unicodeScalars.append(UnicodeScalar(byte | 0x20))
            case _ where separators.contains(byte): if !id.hasSuffix("_") { id.append("_") }
            default: return nil
            }
            // It takes a comma before a digit for a part of the number.
            if last == UInt8(ascii: ","), byte != UInt8(ascii: " ") { return nil }
            last = byte
        }
        return last == UInt8(ascii: ",") ? nil : id
    }

    /// The topic of the device's document.
    package func topic(below prefix: String) -> String { "\(prefix)/device/\(device)/config" }

    /// The camera of an agent whose document has this topic; nil: none.
    static func camera(of topic: String, agent: String, base: String) -> String? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let (start, end) = ("\(usualBase)_", place(agent, base))
        guard levels.count > 3, levels.suffix(3).first == "device", levels.last == "config",
            let device = levels.dropLast().last, device.count > start.count + end.count,
            device.hasPrefix(start), device.hasSuffix(end)
        else { return nil }
        return String(device.dropFirst(start.count).dropLast(end.count))
    }

    /// The text with each character that an id can't contain replaced by its hexadecimal code.
    private static func plain(_ text: String) -> String {
        text.utf8.map { byte in
            byte.isPartOfName
                ? String(UnicodeScalar(byte))
                : "X" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
