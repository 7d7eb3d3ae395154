/// One key of the configuration: all that there is to know of it, in one place.
///
/// Reading, the names of variables, the advice about misspelt keys and the rendered YAML are all made from
/// ``Keys/all``.
struct Key<Value: Sendable>: Sendable {
    /// Names joined by dots; `cameras[]` stands for each camera.
    let path: String
    let kind: Kind<Value>
    /// The value when nobody says one.
    let standard: Value
    /// The default in words, where it isn't the same for everybody.
    let standardWords: String?
    let unit: String?
    /// One line for a user.
    let help: String

    init(
        _ path: String, _ kind: Kind<Value>, default standard: Value, or words: String? = nil,
        unit: String? = nil, _ help: String
    ) {
        self.path = path
        self.kind = kind
        self.standard = standard
        self.standardWords = words
        self.unit = unit
        self.help = help
    }

    /// A key that is unset by default.
    init<Wrapped>(_ path: String, optional kind: Kind<Wrapped>, _ help: String) where Value == Wrapped? {
        self.init(path, kind.optional, default: nil, help)
    }
}

/// A key whose values may be of any type.
protocol AnyKey: Sendable {
    var path: String { get }
    var expected: String { get }
    var shape: KindShape { get }
    /// The default as YAML; nil when the key is unset by default.
    var standardText: String? { get }
    var standardWords: String? { get }
    var unit: String? { get }
    var help: String { get }
    /// Why a node is no value for this key; nil when it is one.
    func misread(_ node: Node) -> Misread?
}

extension Key: AnyKey {
    var expected: String { kind.expected }
    var shape: KindShape { kind.shape }
    var standardText: String? { kind.render(standard) }

    func misread(_ node: Node) -> Misread? {
        do throws(Misread) {
            _ = try kind.read(node)
            return nil
        } catch {
            return error
        }
    }
}

extension AnyKey {
    /// The path of this key for one camera; the same path for a key that isn't a camera's.
    func path(camera: Int?) -> String {
        guard let camera else { return path }
        return path.split(separator: ".").map { part in
            part == "cameras[]" ? "cameras.\(camera)" : String(part)
        }.joined(separator: ".")
    }

    var isOfCamera: Bool { path.hasPrefix("cameras[].") }

    /// The key's environment variable, for a camera where the key is a camera's.
    func variable(camera: Int = 0) -> String {
        let words = path(camera: isOfCamera ? camera : nil).split(separator: ".")
        return environmentPrefix + words.joined(separator: "_").uppercased()
    }
}

/// What the names of all the agent's environment variables begin with.
let environmentPrefix = "V4L2MQTT_"
