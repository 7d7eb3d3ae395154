/// The key that the name of a variable, or the path in a flag, denotes.
struct Address {
    let key: Key
    /// The number of the camera, from 0.
    let camera: Int?
    /// The element of a list, from 0; nil for the value as a whole.
    let element: Int?

    /// The address of an environment variable, such as `V4L2MQTT_CAMERAS_0_ZOOM_MAX`.
    init?(variable: String) {
        guard variable.hasPrefix(environmentPrefix) else { return nil }
        let name = variable.dropFirst(environmentPrefix.count)
        self.init(name, separator: "_") { $0.uppercased() }
    }

    /// The address of a path, such as `cameras.0.zoom.max`.
    init?(path: String) {
        self.init(path[...], separator: ".") { $0 }
    }

    /// Each key with its path, and with its short form if it has one.
    private static let spellings = Keys.all.flatMap { key in
        [key.path, key.shortForm].compactMap(\.self).map { (key, path: $0) }
    }

    /// Names of keys contain underscores, so the name can't be split: each key of the table is tried.
    private init?(_ text: Substring, separator: String, spelling: (String) -> String) {
        for (key, path) in Self.spellings {
            var rest = separator + text
            var camera: Int?
            let matches = path.split(separator: ".").allSatisfy { part in
                let isCamera = part.hasSuffix("[]")
                let name = spelling(String(isCamera ? part.dropLast(2) : part))
                guard take(separator + name, from: &rest) else { return false }
                guard isCamera else { return true }
                camera = takeIndex(separator, from: &rest)
                return camera != nil
            }
            guard matches else { continue }
            let element = key.shape == .list ? takeIndex(separator, from: &rest) : nil
            guard rest.isEmpty else { continue }
            (self.key, self.camera, self.element) = (key, camera, element)
            return
        }
        return nil
    }
}

private func take(_ prefix: String, from text: inout String) -> Bool {
    guard text.hasPrefix(prefix) else { return false }
    text.removeFirst(prefix.count)
    return true
}

private func takeIndex(_ separator: String, from text: inout String) -> Int? {
    guard text.hasPrefix(separator) else { return nil }
    let digits = text.dropFirst(separator.count).prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 4, let index = Int(digits) else { return nil }
    text.removeFirst(separator.count + digits.count)
    return index
}
