/// One key of the configuration. Its entry in ``Keys`` is the only place where it is declared: the names of
/// variables, the values, the suggestions for misspelt keys and all texts follow from it.
///
/// The default is the initial value of the setting that the key writes to.
struct Key<Draft: SettingsDraft>: Sendable {
    let description: KeyDescription
    /// The setting that the key writes to. It identifies the key.
    let place: any PartialKeyPath<Draft> & Sendable
    /// The places of the keys that must be set beside this one.
    let needs: [any PartialKeyPath<Draft> & Sendable]
    /// Stores a node's value. A node of another type changes nothing.
    let store: @Sendable (YAMLNode, inout Draft) -> Void
    /// Stores the default, where other settings determine it.
    let storeDefault: @Sendable (inout Draft) -> Void
    /// The setting as YAML. Nil: it has no value.
    let text: @Sendable (Draft) -> String?

    /// - Parameters:
    ///   - path: names joined by dots; `cameras[]` stands for each camera.
    ///   - place: the setting in the draft.
    ///   - computed: the default where it depends on other settings.
    ///   - placeholders: see ``KeyDescription/placeholders``.
    ///   - fleetMaySet: see ``KeyDescription/fleetMaySet``.
    ///   - hasShortForm: see ``KeyDescription/hasShortForm``.
    ///   - help: one line for users.
    init<Value: Sendable>(
        _ path: String, _ type: ValueType<Value>, to place: any WritableKeyPath<Draft, Value> & Sendable,
        default computed: ComputedDefault<Draft, Value>? = nil, placeholders: PlaceholderUse? = nil,
        fleetMaySet: Bool = false, hasShortForm: Bool = false,
        needs: [any PartialKeyPath<Draft> & Sendable] = [], unit: String? = nil,
        _ help: String
    ) {
        description = KeyDescription(
            path: path, expected: type.expected,
            defaultText: computed == nil ? type.render(Draft()[keyPath: place]) : nil,
            computedDefault: computed?.text, unit: unit, help: help, shape: type.shape,
            fileUse: type.fileUse, placeholders: placeholders, fleetMaySet: fleetMaySet,
            hasShortForm: hasShortForm,
            mismatch: { node in
                do throws(TypeMismatch) {
                    _ = try type.read(node)
                    return nil
                } catch {
                    return error
                }
            })
        self.place = place
        self.needs = needs
        store = { node, draft in
            if let value = try? type.read(node) { draft[keyPath: place] = value }
        }
        storeDefault = { draft in
            if let computed { draft[keyPath: place] = computed.value(draft) }
        }
        text = { type.render($0[keyPath: place]) }
    }

    /// A key that may have no value.
    init<Value: Sendable>(
        _ path: String, optional type: ValueType<Value>,
        to place: any WritableKeyPath<Draft, Value?> & Sendable, placeholders: PlaceholderUse? = nil,
        fleetMaySet: Bool = false, needs: [any PartialKeyPath<Draft> & Sendable] = [], unit: String? = nil,
        _ help: String
    ) {
        self.init(
            path, type.optional, to: place, placeholders: placeholders, fleetMaySet: fleetMaySet,
            needs: needs, unit: unit, help)
    }
}

/// A default that depends on other settings. Those of keys before this one are complete.
struct ComputedDefault<Draft, Value>: Sendable {
    /// For users, in words.
    let text: String
    let value: @Sendable (Draft) -> Value

    init(_ text: String, _ value: @escaping @Sendable (Draft) -> Value) {
        (self.text, self.value) = (text, value)
    }
}

/// Makes a table of keys. Each one is type-checked by itself, unlike the elements of an array literal.
@resultBuilder enum KeyTable<Draft: SettingsDraft> {
    static func buildExpression(_ key: Key<Draft>) -> Key<Draft> { key }
    static func buildBlock(_ keys: Key<Draft>...) -> [Key<Draft>] { keys }
}

/// All keys, in the order of the rendered YAML. Keys of one group stand together.
enum Keys {
    static let all = agent.map(\.description) + camera.map(\.description)

    static func table<Draft>(@KeyTable<Draft> _ keys: () -> [Key<Draft>]) -> [Key<Draft>] { keys() }
}

extension Array {
    /// The description of the key that writes to a place. A place without a key is a programming error.
    subscript<Draft>(place: PartialKeyPath<Draft>) -> KeyDescription where Element == Key<Draft> {
        guard let key = first(where: { $0.place == place }) else { preconditionFailure("no key: \(place)") }
        return key.description
    }
}
