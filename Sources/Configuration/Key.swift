internal import Settings

/// One key of the configuration, or one field of a value. ``Keyed/visit(_:)`` declares it, beside the setting
/// that it writes to: the names of variables, the values, the suggestions for misspelt keys and all texts
/// follow from that.
///
/// The default is the initial value of the setting.
package struct Key: Sendable {
    /// Names joined by dots. `cameras[]` stands for each camera, as in `cameras[].zoom.max`.
    package let path: String
    /// Completes "expected …".
    package let expected: String
    /// The default as YAML. Nil: there is none, or ``computedDefault``.
    let defaultText: String?
    /// In words, the default that depends on other keys or on the machine.
    let computedDefault: String?
    package let unit: String?
    /// One line.
    let help: String

    /// Whether a variable or a flag has the text itself; otherwise YAML.
    let isScalar: Bool
    /// What the file is for that the value names.
    let fileUse: FileUse?
    /// How properties of the device are written in the value; nil: it has no placeholders.
    let placeholders: PlaceholderUse?
    /// Whether the configuration of the fleet may set it: none of the keys by which an agent reaches the
    /// broker, proves itself, decides who may command it, or finds its devices and files.
    package let fleetMaySet: Bool
    /// Whether a value in the place of the key's group is a value of this key: `tls: true` is short for
    /// `tls: { enabled: true }`. One key of a group at most.
    let hasShortForm: Bool
    /// The path of the key that must be set beside this one.
    let needs: String?

    let read: @Sendable (YAMLNode) throws(ValueError) -> any Sendable
    /// A value as YAML. Nil: the key has no value.
    let render: @Sendable (any Sendable) -> String?
}

extension Key {
    var isOfCamera: Bool { path.hasPrefix(Keys.cameras) }

    /// The path of the group that stands for this key; nil: none does.
    var shortPath: String? {
        guard hasShortForm, let dot = path.lastIndex(of: ".") else { return nil }
        return String(path[..<dot])
    }

    /// The path of this key for one camera. For a key of the agent: its path.
    ///
    /// - Parameter id: of the camera, to stand in the place of its number.
    func path(camera: Int?, as id: String? = nil) -> String {
        guard let camera, isOfCamera else { return path }
        return "cameras.\(id ?? "\(camera)")." + path.dropFirst(Keys.cameras.count)
    }

    /// The key's environment variable, for a camera if it is a key of cameras.
    func variable(camera: Int) -> String { Spelling.variable.name(path(camera: camera)) }
}

/// All keys, in the order of the rendered YAML. Keys of one group stand together.
package enum Keys {
    static let agent = described(AgentSettings.standard)
    static let camera = described(CameraSettings.standard, below: cameras)
    package static let all = agent + camera
    /// Before the names of the keys of cameras.
    static let cameras = "cameras[]."

    private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })

    static subscript(path: String) -> Key? { byPath[path] }

    /// The names in each group: those in `mqtt`, in `cameras[].zoom`, and, as "", those of the file.
    static let groups: [String: [String]] = {
        var groups: [String: [String]] = [:]
        for key in all {
            var group = ""
            for name in key.path.split(separator: ".") {
                let plain = String(name.prefix { $0 != "[" })
                if groups[group]?.contains(plain) != true { groups[group, default: []].append(plain) }
                group = group.isEmpty ? String(name) : "\(group).\(name)"
            }
        }
        return groups
    }()

    /// Whether this key is one of each device, or this group has only such keys.
    static func areOfDevice(_ place: String) -> Bool {
        let keys = all.filter { ($0.path + ".").hasPrefix(place + ".") || $0.path.hasPrefix(place + "[]") }
        return !keys.isEmpty && !keys.contains(where: \.fleetMaySet)
    }

    /// The names in a group for a message.
    static func list(_ group: String) -> String {
        let names = groups[group] ?? []
        return names.prefix(16).joined(separator: ", ") + (names.count > 16 ? ", …" : "")
    }
}
