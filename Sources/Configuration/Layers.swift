internal import Base
internal import Settings

/// The values of all layers: the last valid one of each key, and all errors so far.
///
/// Add the layers in the order in which they win: the file, then the fleet, the environment and the flags.
/// All of this is pure.
struct Layers {
    private struct Value {
        let node: YAMLNode
        /// Nil: its placeholders are to be expanded, or it is the default.
        var store: Key.Storing?
    }

    static let maximumCameras = 1024

    private(set) var errors: [ConfigurationError] = []
    /// Where each camera was first mentioned.
    private(set) var cameraOrigins: [ValueOrigin] = [.defaultValue]
    var cameraCount: Int { cameraOrigins.count }
    private var values: [String: Value] = [:]
    /// The keys whose values have placeholders, by path.
    private var pending: [String: Key] = [:]
    /// Where invalid values were set. Their keys count as set, but have no value.
    private var refused: [String: ValueOrigin] = [:]
    /// Where the state, photos and recordings are, unless keys say otherwise.
    let defaultFolder: String

    init(defaultFolder: String = "/var/lib/v4l2mqtt") {
        self.defaultFolder = defaultFolder
        // Without a file there is one camera. A file's list replaces it; variables and flags may refine it.
        let id = Keys[\.camera.id]
        values[id.path(camera: 0)] = Value(
            node: YAMLNode(content: .scalar(id.defaultText ?? "", .plain), origin: .defaultValue))
    }

    subscript(path: String) -> YAMLNode? { values[path]?.node }

    /// Whether a layer sets a key, to a valid value or not.
    func isSet(_ path: String) -> Bool { values[path] != nil || refused[path] != nil }

    /// Where a key was set; ``ValueOrigin/defaultValue`` if it wasn't.
    func origin(_ path: String) -> ValueOrigin { self[path]?.origin ?? refused[path] ?? .defaultValue }

    /// Takes the value of a key away.
    mutating func remove(_ path: String) { values[path] = nil }

    /// Stores the value of a key, if it is set.
    func store(_ path: String, in draft: inout Draft) { values[path]?.store?(&draft) }

    mutating func report(_ errors: [ConfigurationError]) { self.errors += errors }

    mutating func report(_ origin: ValueOrigin, _ path: String, _ message: String) {
        errors.append(ConfigurationError(origin, path, message))
    }

    /// Whether a layer determines which cameras are served.
    var namesCameras: Bool {
        cameraOrigins != [.defaultValue] || origin(Keys[\.camera.id].path(camera: 0)) != .defaultValue
            || isSet(Keys[\.camera.sources].path(camera: 0))
    }

    /// Removes all cameras and adds one for each origin.
    mutating func replaceCameras(_ origins: [ValueOrigin]) {
        for key in Keys.all where key.isOfCamera {
            for index in 0..<cameraCount { remove(key.path(camera: index)) }
        }
        cameraOrigins = origins
    }

    mutating func addCamera(_ origin: ValueOrigin) { cameraOrigins.append(origin) }

    /// Sets a key to a node. Reports an error if the node isn't a value for it.
    ///
    /// A text with placeholders is checked by ``expand(_:)``.
    mutating func set(_ key: Key, camera: Int?, to node: YAMLNode) {
        let path = key.path(camera: camera)
        pending[path] = nil
        if key.placeholders != nil, case .scalar(let text, _) = node.content {
            do throws(PlaceholderError) {
                if try expanded(text, { _ in "" }) != nil { pending[path] = key }
            } catch {
                return refuse(node, of: path, error.message)
            }
        }
        if pending[path] == nil { check(node, of: key, path) } else { values[path] = Value(node: node) }
    }

    private mutating func check(_ node: YAMLNode, of key: Key, _ path: String) {
        do throws(TypeMismatch) {
            values[path] = Value(node: node, store: try key.read(node))
        } catch {
            refuse(error.node, of: path, error.message)
        }
    }

    private mutating func refuse(_ node: YAMLNode, of path: String, _ message: String) {
        refused[path] = node.origin
        errors.append(ConfigurationError(node.origin, path, message))
    }

    /// Puts properties of the device in the place of all placeholders. To be called once, after all layers.
    mutating func expand(_ device: DeviceProperties) {
        let certificate = Keys[\.mqtt.tls.certificateFile].path
        // The certificate's path comes first: its common name may be in the others.
        for path in [certificate] + pending.keys.filter({ $0 != certificate }).sorted() {
            guard let key = pending.removeValue(forKey: path), let node = self[path] else { continue }
            expand(node, of: key, path, device, certificate: path == certificate ? nil : certificate)
        }
    }

    /// - Parameter certificate: the path of the key that names the certificate; nil: it is this key.
    private mutating func expand(
        _ node: YAMLNode, of key: Key, _ path: String, _ device: DeviceProperties, certificate: String?
    ) {
        guard let use = key.placeholders, case .scalar(let text, let style) = node.content else { return }
        if certificate == nil, text.contains("{cn}") {
            return refuse(node, of: path, "{cn} is read from this file")
        }
        let file = certificate.flatMap { self[$0] }.flatMap { try? ValueType<String>.path.read($0) }
        do throws(PlaceholderError) {
            let text = try expanded(text) { property throws(PlaceholderError) in
                do throws(MissingProperty) {
                    return use.sanitised(try device(property, file))
                } catch {
                    let missing = "this device has no \(property.words): \(error.reason)"
                    throw PlaceholderError(message: "{\(property.rawValue)}: \(missing)")
                }
            }
            check(YAMLNode(content: .scalar(text ?? "", style), origin: node.origin), of: key, path)
        } catch {
            refuse(node, of: path, error.message)
        }
    }

    /// The folder of the state file. After ``expand(_:)``.
    var stateFolder: String {
        guard let node = self[Keys[\.stateFile].path], let file = try? ValueType<String>.path.read(node)
        else { return defaultFolder }
        return Files.folder(of: file)
    }
}
