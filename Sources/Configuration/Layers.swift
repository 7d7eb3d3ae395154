/// What was said about each key, layer over layer: each key's last valid value, and all errors so far.
///
/// Add the layers in the order in which they win: the file, then the environment, then the flags. All of this
/// is pure.
struct Layers {
    static let maximumCameras = 1024

    private(set) var errors: [ConfigurationError] = []
    /// Where each camera was first spoken of.
    private(set) var cameraOrigins: [Origin] = [.standard]
    var cameraCount: Int { cameraOrigins.count }
    private var nodes: [String: Node] = [:]
    /// Where values were said that were refused: their keys have no value, but were said.
    private var refused: [String: Origin] = [:]

    init() {
        // Without a file there is one camera. A file's list takes its place; variables and flags may refine
        // it.
        nodes[Keys.cameraID.path(camera: 0)] = Node(
            content: .scalar(Keys.cameraID.standard, .plain), origin: .standard)
    }

    subscript(path: String) -> Node? { nodes[path] }

    /// Whether anybody said something about a key, right or wrong.
    func isSaid(_ path: String) -> Bool { nodes[path] != nil || refused[path] != nil }

    /// Where a key was said; ``Origin/standard`` when it wasn't.
    func origin(_ path: String) -> Origin { nodes[path]?.origin ?? refused[path] ?? .standard }

    mutating func report(_ errors: [ConfigurationError]) { self.errors += errors }

    mutating func report(_ origin: Origin, _ path: String, _ message: String) {
        errors.append(ConfigurationError(origin, path, message))
    }

    /// Whether anybody said which cameras there are.
    var areCamerasSaid: Bool {
        cameraOrigins != [.standard] || origin(Keys.cameraID.path(camera: 0)) != .standard
            || isSaid(Keys.source.path(camera: 0))
    }

    /// Forgets the cameras so far: from now on there are as many as there are origins.
    mutating func replaceCameras(_ origins: [Origin]) {
        for key in Keys.all where key.isOfCamera {
            for index in 0..<cameraCount { nodes[key.path(camera: index)] = nil }
        }
        cameraOrigins = origins
    }

    mutating func addCamera(_ origin: Origin) { cameraOrigins.append(origin) }

    /// Sets a key to a node, if the node is a value for it.
    mutating func set(_ key: any AnyKey, camera: Int?, to node: Node) {
        let path = key.path(camera: camera)
        if let misread = key.misread(node) {
            refused[path] = node.origin
            errors.append(ConfigurationError(misread.node.origin, path, misread.message))
        } else {
            nodes[path] = node
        }
    }
}
