internal import Settings

/// The values of all layers: the last valid one of each key, and all errors so far.
///
/// Add the layers in the order in which they win: the file, then the environment, then the flags. All of this
/// is pure.
struct Layers {
    static let maximumCameras = 1024

    private(set) var errors: [ConfigurationError] = []
    /// Where each camera was first mentioned.
    private(set) var cameraOrigins: [ValueOrigin] = [.defaultValue]
    var cameraCount: Int { cameraOrigins.count }
    private var nodes: [String: YAMLNode] = [:]
    /// Where invalid values were set. Their keys count as set, but have no value.
    private var refused: [String: ValueOrigin] = [:]

    init() {
        // Without a file there is one camera. A file's list replaces it; variables and flags may refine it.
        let id = Keys.camera[\.id]
        nodes[id.path(camera: 0)] = YAMLNode(
            content: .scalar(id.defaultText ?? "", .plain), origin: .defaultValue)
    }

    subscript(path: String) -> YAMLNode? { nodes[path] }

    /// Whether a layer sets a key, to a valid value or not.
    func isSet(_ path: String) -> Bool { nodes[path] != nil || refused[path] != nil }

    /// Where a key was set; ``ValueOrigin/defaultValue`` if it wasn't.
    func origin(_ path: String) -> ValueOrigin { nodes[path]?.origin ?? refused[path] ?? .defaultValue }

    mutating func report(_ errors: [ConfigurationError]) { self.errors += errors }

    mutating func report(_ origin: ValueOrigin, _ path: String, _ message: String) {
        errors.append(ConfigurationError(origin, path, message))
    }

    /// Whether a layer determines which cameras are served.
    var namesCameras: Bool {
        cameraOrigins != [.defaultValue] || origin(Keys.camera[\.id].path(camera: 0)) != .defaultValue
            || isSet(Keys.camera[\.sources].path(camera: 0))
    }

    /// Removes all cameras and adds one for each origin.
    mutating func replaceCameras(_ origins: [ValueOrigin]) {
        for key in Keys.all where key.isOfCamera {
            for index in 0..<cameraCount { nodes[key.path(camera: index)] = nil }
        }
        cameraOrigins = origins
    }

    mutating func addCamera(_ origin: ValueOrigin) { cameraOrigins.append(origin) }

    /// Sets a key to a node. Reports an error if the node isn't a value for it.
    mutating func set(_ key: KeyDescription, camera: Int?, to node: YAMLNode) {
        let path = key.path(camera: camera)
        if let mismatch = key.mismatch(node) {
            refused[path] = node.origin
            errors.append(ConfigurationError(mismatch.node.origin, path, mismatch.message))
        } else {
            nodes[path] = node
        }
    }
}
