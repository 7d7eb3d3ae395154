internal import Contract

/// The identity of a camera in Home Assistant: its device, and the prefix of its entity ids. It depends on
/// names only, so it is the same after a restart, with another title, and with another model in the camera's
/// place.
package struct HomeAssistantIdentity: Sendable, Equatable {
    /// See ``Topics/device(of:)``.
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
        device = Topics(base: base, agent: agent).device(of: camera)
        let name = isNamed ? camera : "\(agent)-\(camera)"
        slug = String(
            decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
        let words = name.split { $0 == "_" || $0 == "-" }.joined(separator: " ")
        self.title = title ?? (words.isEmpty ? name : words.prefix(1).uppercased() + words.dropFirst())
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
}
