/// One key of the configuration, for help and documentation.
package struct KeyDescription: Sendable {
    /// Names joined by dots. `cameras[]` stands for each camera, as in `cameras[].zoom.max`.
    let path: String
    /// Completes "expected …".
    let expected: String
    /// The default as YAML. Nil: there is none, or ``computedDefault``.
    let defaultText: String?
    /// In words, the default that depends on other keys or on the machine.
    let computedDefault: String?
    let unit: String?
    /// One line.
    let help: String

    let shape: ValueShape
    /// What the file is for that the value names.
    let fileUse: FileUse?
    /// How properties of the device are written in the value; nil: it has no placeholders.
    let placeholders: PlaceholderUse?
    /// Whether the configuration of the fleet may set it: none of the keys by which an agent reaches the
    /// broker, proves itself, decides who may command it, or finds its devices and files.
    let fleetMaySet: Bool
    /// Whether a value in the place of the key's group is a value of this key: `tls: true` is short for
    /// `tls: { enabled: true }`. One key of a group at most.
    let hasShortForm: Bool
    /// Why a node isn't a value for this key. Nil: it is one.
    let mismatch: @Sendable (YAMLNode) -> TypeMismatch?

    /// All keys, in the order of ``sample()``.
    static var all: [KeyDescription] { Keys.all }

    /// The environment variable. `0` stands for the camera's number.
    var variable: String { variable(camera: 0) }
}

extension KeyDescription {
    var isOfCamera: Bool { path.hasPrefix("cameras[].") }

    /// The path of the group that stands for this key; nil: none does.
    var shortForm: String? {
        guard hasShortForm, let dot = path.lastIndex(of: ".") else { return nil }
        return String(path[..<dot])
    }

    /// The path of this key for one camera. For a key of the agent: its path.
    func path(camera: Int?) -> String {
        guard let camera, isOfCamera else { return path }
        return "cameras.\(camera)" + path.dropFirst("cameras[]".count)
    }

    /// The key's environment variable, for a camera if it is a key of cameras.
    func variable(camera: Int) -> String {
        let words = path(camera: camera).split(separator: ".")
        return environmentPrefix + words.joined(separator: "_").uppercased()
    }
}

/// The prefix of all environment variables of the agent.
let environmentPrefix = "V4L2MQTT_"
