/// The topics of the documents by which Home Assistant finds the cameras.
extension Topics {
    /// The prefix of device ids, and the base of topics that is left out of them.
    private static let usualBase = "v4l2mqtt"

    /// The id of a camera's device: `[a-zA-Z0-9_-]+`, and no other camera's on the same broker.
    package func device(of camera: String) -> String { "\(Self.usualBase)_\(camera)\(endOfDevice)" }

    /// The topic of a camera's document.
    ///
    /// - Parameter prefix: `home_assistant.prefix`
    package func discovery(of camera: String, below prefix: String) -> String {
        "\(prefix)/device/\(device(of: camera))/config"
    }

    /// The camera of the agent whose document has this topic; nil: none.
    package func camera(ofDiscovery topic: String) -> String? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let (start, end) = ("\(Self.usualBase)_", endOfDevice)
        guard levels.count > 3, levels.suffix(3).first == "device", levels.last == "config",
            let device = levels.dropLast().last, device.count > start.count + end.count,
            device.hasPrefix(start), device.hasSuffix(end)
        else { return nil }
        return String(device.dropFirst(start.count).dropLast(end.count))
    }

    /// Names have no capitals, so these keep `porch_front` with `door` and `porch` with `front_door` apart.
    private var endOfDevice: String {
        "_AT_\(agent)" + (base == Self.usualBase ? "" : "_ON_\(Self.plain(base))")
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
