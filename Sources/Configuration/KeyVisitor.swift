/// Something with keys or fields.
protocol Keyed: Sendable {
    /// Names each key beside the setting that it writes to, in the order in which documents have them.
    mutating func visit(_ f: inout KeyVisitor)
}

/// Goes through the keys of settings: it describes them, or gives the settings their values.
struct KeyVisitor {
    /// All; those so far where they are described.
    fileprivate(set) var keys: [Key] = []
    /// The values of the settings as YAML, key by key.
    private(set) var texts: [String?] = []
    /// What is wrong with the values together, and the keys to which it belongs: the first one that is set.
    private(set) var problems: [(keys: [String], message: String)] = []
    /// The values of the keys that are set. Nil: the keys are described.
    fileprivate var values: [(any Sendable)?]?
    fileprivate var prefix = ""
    /// The machine's name.
    var hostName = ""
    /// Where the state, photos and recordings are, unless keys say otherwise.
    var defaultFolder = ""

    /// Names a key, with what ``Key`` has of it.
    ///
    /// - Parameters:
    ///   - computed: the default that depends on other settings or on the machine.
    ///   - words: what documents say about it.
    mutating func callAsFunction<Setting: Sendable>(
        _ name: String, _ setting: inout Setting, _ type: @autoclosure () -> ValueType<Setting>,
        default computed: Setting? = nil, as words: String? = nil, placeholders: PlaceholderUse? = nil,
        fleet: Bool = false, short: Bool = false, needs: String? = nil, unit: String? = nil,
        _ help: String = ""
    ) {
        guard let values else {
            let type = type()
            return keys.append(
                Key(
                    path: prefix + name, expected: type.expected,
                    defaultText: words == nil ? type.render(setting) : nil, computedDefault: words,
                    unit: unit, help: help, isScalar: type.isScalar, fileUse: type.fileUse,
                    placeholders: placeholders, fleetMaySet: fleet, hasShortForm: short, needs: needs,
                    read: { node throws(ValueError) in try type.read(node) },
                    render: { ($0 as? Setting).flatMap(type.render) }))
        }
        let key = keys[texts.count]
        if let value = values[texts.count] {
            setting = value as? Setting ?? setting
        } else if let computed {
            setting = computed
        }
        texts.append(key.render(setting))
    }

    /// Demands something of several settings.
    mutating func check(_ isRight: Bool, _ keys: String..., message: @autoclosure () -> String) {
        if !isRight { problems.append((keys.map { prefix + $0 }, message())) }
    }
}

extension Keys {
    static func described(_ settings: some Keyed, below prefix: String = "") -> [Key] {
        var (settings, visitor) = (settings, KeyVisitor())
        visitor.prefix = prefix
        settings.visit(&visitor)
        return visitor.keys
    }

    /// Settings with the values of their keys.
    ///
    /// - Parameters:
    ///   - keys: those of the settings.
    ///   - values: those of the keys; nil: a key isn't set.
    static func filled<Settings: Keyed>(
        _ blank: Settings, _ keys: [Key], hostName: String = "", defaultFolder: String = "",
        _ values: [(any Sendable)?]
    ) -> (settings: Settings, visitor: KeyVisitor) {
        var (settings, texts): (Settings, [String?]?) = (blank, nil)
        // A default may depend on keys that come later. Each pass settles one key at least.
        for _ in 0...keys.count + 1 {
            var visitor = KeyVisitor(
                keys: keys, values: values, prefix: keys.first?.isOfCamera == true ? Keys.cameras : "",
                hostName: hostName, defaultFolder: defaultFolder)
            settings.visit(&visitor)
            if visitor.texts == texts { return (settings, visitor) }
            texts = visitor.texts
        }
        preconditionFailure("the defaults of keys depend on each other in a circle")
    }
}
