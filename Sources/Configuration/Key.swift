/// One key of the configuration. Its entry in ``Keys`` is the only place where it is declared: the names of
/// variables, the values, the suggestions for misspelt keys and all texts follow from it.
///
/// The default is the initial value of the setting that the key writes to.
struct Key: Sendable {
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

    /// Whether a variable or a flag has the text itself; otherwise YAML.
    let isScalar: Bool
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
    /// The setting that the key writes to. It identifies the key.
    let setting: any PartialKeyPath<Draft> & Sendable
    /// The settings of the keys that must be set beside this one.
    let needs: [any PartialKeyPath<Draft> & Sendable]

    /// Stores a value that was read.
    typealias Storing = @Sendable (inout Draft) -> Void
    /// Reads a node's value.
    let read: @Sendable (YAMLNode) throws(TypeMismatch) -> Storing
    /// Stores the default, where other settings determine it. Those of keys before this one are complete.
    let storeDefault: @Sendable (inout Draft) -> Void
    /// The setting as YAML. Nil: it has no value.
    let text: @Sendable (Draft) -> String?

    /// - Parameters:
    ///   - computedDefault: in words, the default that depends on other settings.
    ///   - help: one line for users.
    ///   - computed: that default.
    init<Value: Sendable>(
        _ path: String, _ type: ValueType<Value>, to setting: any WritableKeyPath<Draft, Value> & Sendable,
        default computedDefault: String? = nil, placeholders: PlaceholderUse? = nil,
        fleetMaySet: Bool = false, hasShortForm: Bool = false,
        needs: [any PartialKeyPath<Draft> & Sendable] = [], unit: String? = nil, _ help: String,
        computed: (@Sendable (Draft) -> Value)? = nil
    ) {
        (self.path, expected, self.unit, self.help) = (path, type.expected, unit, help)
        defaultText = computed == nil ? type.render(Draft()[keyPath: setting]) : nil
        self.computedDefault = computedDefault
        (isScalar, fileUse, self.placeholders) = (type.isScalar, type.fileUse, placeholders)
        (self.fleetMaySet, self.hasShortForm) = (fleetMaySet, hasShortForm)
        (self.setting, self.needs) = (setting, needs)
        read = { node throws(TypeMismatch) in
            let value = try type.read(node)
            return { $0[keyPath: setting] = value }
        }
        storeDefault = { draft in
            if let computed { draft[keyPath: setting] = computed(draft) }
        }
        text = { type.render($0[keyPath: setting]) }
    }
}

extension Key {
    var isOfCamera: Bool { path.hasPrefix("cameras[].") }

    /// The path of the group that stands for this key; nil: none does.
    var shortForm: String? {
        guard hasShortForm, let dot = path.lastIndex(of: ".") else { return nil }
        return String(path[..<dot])
    }

    /// The path of this key for one camera. For a key of the agent: its path.
    ///
    /// - Parameter id: of the camera, to stand in the place of its number.
    func path(camera: Int?, as id: String? = nil) -> String {
        guard let camera, isOfCamera else { return path }
        return "cameras.\(id ?? "\(camera)")" + path.dropFirst("cameras[]".count)
    }

    /// The key's environment variable, for a camera if it is a key of cameras.
    func variable(camera: Int) -> String { variableName(ofPath: path(camera: camera)) }
}

/// All keys, in the order of the rendered YAML. Keys of one group stand together.
package enum Keys {
    static let all = agent + camera

    static func table(@KeyTable _ keys: () -> [Key]) -> [Key] { keys() }

    /// The key that writes to a setting. A setting without a key is a programming error.
    static subscript(setting: PartialKeyPath<Draft>) -> Key {
        guard let key = all.first(where: { $0.setting == setting }) else {
            preconditionFailure("no key: \(setting)")
        }
        return key
    }
}

/// Makes a table of keys. Each one is type-checked by itself, unlike the elements of an array literal.
@resultBuilder enum KeyTable {
    static func buildBlock(_ keys: Key...) -> [Key] { keys }
}
