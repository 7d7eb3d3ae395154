import TestSupport
import Testing

@testable import Configuration
@testable import Settings

/// That each key writes to a setting of its own, and that each setting has a key.
@Suite struct KeyTableTests {
    let folder = TemporaryFolder()

    /// Values of all types. A key of another type needs two more, in the order in which they are tried.
    private let values: [String]

    init() {
        values =
            ["ca.pem", "cert.pem"].map { [folder] in folder.write($0, to: $0) } + [
                "2", "2.5", "20", "200", "100K", "200K", "20M", "200M", "true", "false", "a", "b", "[a]",
                "[b]", "[a/]", "[b/]",
                "MJPG", "YUYV", "[[1, 1], [2, 2]]", "[[1, 1], [3, 3]]", "{ serial: a }", "{ serial: b }",
                "[{ topic: a, press: a }]", "[{ topic: b, press: b }]", "[{ serial: a, kind: wide }]",
                "[{ serial: b, kind: tele }]", "0.2", "0.4",
            ]
    }

    /// A list of clients needs `clients: proved`, so it isn't set where each mode has to be possible.
    /// `CrossCheckTests` has its setting.
    private static let withoutValue = ["cameras.privacy.off"]
    private var keyDescriptions: [Key] {
        Keys.all.filter { $0.path != "cameras[].privacy.off" }
    }

    @Test func eachKeyWritesToASettingOfItsOwnAndEachSettingHasAKey() throws {
        var layers = Layers()
        for key in keyDescriptions {
            let changed = firstResult(candidates(for: key)) { value -> Layers? in
                // The keys that this one needs may come later in the table.
                guard let layers = layers.with(key, value),
                    errors(of: layers).allSatisfy({ $0.hasSuffix("beside it") })
                else { return nil }
                return layers
            }
            layers = try #require(changed, "no value of the list is one for \(key.path)")
        }
        let settings = leaves(of: try LoadedConfiguration.load(layers, hostName: "test").settings)
        #expect(settings.filter { $0.value == "nil" }.keys.sorted() == Self.withoutValue)

        var keys: [String: String] = [:]
        for key in keyDescriptions {
            let changed = firstResult(candidates(for: key)) { value -> [String]? in
                guard let changed = layers.with(key, value),
                    let loaded = try? LoadedConfiguration.load(changed, hostName: "test")
                else { return nil }
                let other = leaves(of: loaded.settings)
                let names = Set(settings.keys).union(other.keys).filter { settings[$0] != other[$0] }
                return names.isEmpty ? nil : Array(names)
            }
            for setting in try #require(changed, "\(key.path) changes no setting") {
                #expect(keys[setting] == nil, "\(key.path) and \(keys[setting] ?? "") write to \(setting)")
                keys[setting] = key.path
            }
        }
        // Set when neither the ids nor the sources of the cameras are.
        let derived = Self.withoutValue + ["servesAll"]
        #expect(settings.keys.filter { keys[$0] == nil }.sorted() == derived, "settings without a key")
    }

    /// The words of an enumeration stand in the text that lists them.
    private func candidates(for key: Key) -> [String] {
        let words = key.expected.split { ", ".contains($0) }.map(String.init)
        return key.fileUse == nil ? Array(values.dropFirst(2)) + words : values
    }

    @Test func aDefaultIsTheInitialValueOfItsSetting() throws {
        var expected = AgentSettings(agent: "test", servesAll: true)
        expected.mqtt.clientID = "v4l2mqtt-test"
        #expect(try load().get().settings == expected)
    }

    @Test(arguments: Keys.all.map(\.path))
    func theTextsOfAKeyAreOneLine(path: String) throws {
        let key = try #require(Keys.all.first { $0.path == path })
        for text in [key.help, key.expected, key.unit ?? "pixels", key.computedDefault ?? "none"] {
            #expect(!text.isEmpty && !text.contains("\n"))
        }
        #expect(key.help.hasSuffix("."))
    }
}

/// What is made of the first of some values that isn't nil. Each value is tried once: `lazy` tries several
/// times.
private func firstResult<Result>(_ values: [String], _ make: (String) -> Result?) -> Result? {
    for value in values {
        if let result = make(value) { return result }
    }
    return nil
}

private func errors(of layers: Layers) -> [String] {
    do throws(ConfigurationErrors) {
        _ = try LoadedConfiguration.load(layers, hostName: "test")
        return []
    } catch {
        return error.errors.map(\.message)
    }
}

extension Layers {
    /// These layers below one with a single key; nil: the value isn't one for it. A key of cameras is set for
    /// the first one.
    fileprivate func with(_ key: Key, _ value: String) -> Layers? {
        var layers = self
        layers.add(overrides: [(key.path(camera: 0), value)])
        return layers.errors.count == errors.count ? layers : nil
    }
}

/// The single values in settings, each with the path of its property.
private func leaves(of value: Any, at path: String = "") -> [String: String] {
    if let cameras = value as? [CameraSettings] {
        return cameras.first.map { leaves(of: $0, at: path) } ?? [:]
    }
    if let secret = value as? Secret { return [path: secret.text] }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional where mirror.children.isEmpty: return [path: "nil"]
    case .optional: return leaves(of: mirror.children.first?.value ?? "", at: path)
    // A mirror of ClosedRange has no style.
    case .struct where !(value is Duration) && !mirror.children.isEmpty,
        nil where !mirror.children.isEmpty:
        var all: [String: String] = [:]
        for child in mirror.children {
            let name = path.isEmpty ? child.label ?? "" : "\(path).\(child.label ?? "")"
            all.merge(leaves(of: child.value, at: name)) { $1 }
        }
        return all
    default: return [path: "\(value)"]
    }
}
