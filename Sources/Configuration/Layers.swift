internal import Base
internal import Settings

/// The values of all layers: the last valid one of each key, and all errors so far.
///
/// Add the layers in the order in which they win: the file, then the fleet, the environment and the flags.
/// All of this is pure.
struct Layers {
    private enum Value {
        case checked(any Sendable, ValueOrigin)
        /// It has placeholders.
        case pending(YAMLNode)

        var origin: ValueOrigin {
            switch self {
            case .checked(_, let origin): origin
            case .pending(let node): node.origin
            }
        }
    }

    static let maximumCameras = 1024

    private(set) var errors: [ConfigurationError] = []
    /// Where each camera was first mentioned.
    private(set) var cameraOrigins: [ValueOrigin] = [.defaultValue]
    var cameraCount: Int { cameraOrigins.count }
    private var values: [String: Value] = [:]
    /// Where invalid values were set. Their keys count as set, but have no value.
    private var refused: [String: ValueOrigin] = [:]
    /// Where the state, photos and recordings are, unless keys say otherwise.
    let defaultFolder: String

    init(defaultFolder: String = "/var/lib/v4l2mqtt") {
        self.defaultFolder = defaultFolder
        // Without a file there is one camera. A file's list replaces it; variables and flags may refine it.
        values["cameras.0.id"] = .checked(CameraSettings.standard.id, .defaultValue)
    }

    /// The value of a key; nil: it has none.
    subscript(path: String) -> (any Sendable)? {
        if case .checked(let value, _)? = values[path] { value } else { nil }
    }

    /// Whether a layer sets a key, to a valid value or not.
    func isSet(_ path: String) -> Bool { values[path] != nil || refused[path] != nil }

    /// Where a key was set; ``ValueOrigin/defaultValue`` if it wasn't.
    func origin(_ path: String) -> ValueOrigin { values[path]?.origin ?? refused[path] ?? .defaultValue }

    /// Takes the value of a key away.
    mutating func remove(_ path: String) { values[path] = nil }

    mutating func report(_ errors: [ConfigurationError]) { self.errors += errors }

    /// Reports an error at the place where a key was set.
    mutating func report(_ path: String, _ message: String) { report(origin(path), path, message) }

    mutating func report(_ origin: ValueOrigin, _ path: String, _ message: String) {
        errors.append(ConfigurationError(origin, path, message))
    }

    /// Whether a layer determines which cameras are served.
    var namesCameras: Bool {
        cameraOrigins != [.defaultValue] || origin("cameras.0.id") != .defaultValue
            || isSet("cameras.0.source")
    }

    /// Sets a key to a node. Reports an error if the node isn't a value for it.
    ///
    /// A text with placeholders is checked by ``expand(_:)``.
    mutating func set(_ key: Key, camera: Int?, to node: YAMLNode) {
        take(key.path(camera: camera)) { () throws(ValueError) in
            if key.placeholders != nil, try expanded(node, { _ in "" }) != nil { return .pending(node) }
            return .checked(try key.read(node), node.origin)
        }
    }

    /// Stores what is read, or reports why it can't be read.
    private mutating func take(_ path: String, _ read: () throws(ValueError) -> Value) {
        do throws(ValueError) { values[path] = try read() } catch {
            refused[path] = error.node.origin
            report(error.node.origin, path, error.message)
        }
    }

    /// Puts properties of the device in the place of all placeholders. To be called once, after all layers.
    mutating func expand(_ device: DeviceProperties) {
        let certificate = "mqtt.tls.cert_file"
        let paths = Keys.agent.filter { $0.placeholders != nil }.map(\.path).sorted()
        // The certificate's path comes first: its common name may be in the others.
        for path in [certificate] + paths {
            guard case .pending(let node)? = values[path], let key = Keys[path], let use = key.placeholders
            else { continue }
            let file = path == certificate ? nil : self[certificate] as? String
            values[path] = nil
            take(path) { () throws(ValueError) in
                let text = try expanded(node) { property throws(ValueError) in
                    if path == certificate, property == .commonName {
                        throw ValueError(node, "{cn} is read from this file")
                    }
                    do throws(MissingProperty) { return use.sanitised(try device(property, file)) } catch {
                        let missing = "this device has no \(property.words): \(error.reason)"
                        throw ValueError(node, "{\(property.rawValue)}: \(missing)")
                    }
                }
                return .checked(try key.read(text ?? node), node.origin)
            }
        }
    }

    /// The folder of the state file. After ``expand(_:)``.
    var stateFolder: String { (self["state_file"] as? String).map { Files.folder(of: $0) } ?? defaultFolder }
}

// MARK: Nested keys

extension Layers {
    /// Adds a YAML file.
    ///
    /// - Parameter name: the file, as messages name it.
    mutating func add(file bytes: [UInt8], name: String) {
        let result = YAMLReader.read(bytes) { .file(name, line: $0) }
        report(result.errors)
        if let document = result.document { add(document) }
    }

    /// The error for a key in the configuration of the fleet.
    static let notForFleets = "a key of each device, which the configuration of the fleet cannot set"

    /// Adds keys that are nested as in a file.
    ///
    /// - Parameters:
    ///   - group: as ``Keys/groups`` names it.
    ///   - path: of the group in the layer, for messages.
    mutating func add(_ node: YAMLNode, in group: String = "", path: String = "", camera: Int? = nil) {
        let isOfFleet = if case .fleet = node.origin { true } else { false }
        if node.isNothing, !isOfFleet { return }
        guard case .map(let entries) = node.content else {
            let main = isOfFleet ? nil : Keys.all.first { $0.shortPath == group }
            if let main, (try? main.read(node)) != nil { return set(main, camera: camera, to: node) }
            let words = isOfFleet ? "an object with " : main.map { "\($0.expected), or " } ?? ""
            return report(
                node.origin, path, "expected \(words)keys (\(Keys.list(group))), found \(node.found)")
        }
        for entry in entries {
            let entryPath = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            let place = group.isEmpty ? entry.key : "\(group).\(entry.key)"
            if isOfFleet, Keys.areOfDevice(place) {
                report(entry.keyOrigin, entryPath, Self.notForFleets)
            } else if Keys.groups[group]?.contains(entry.key) != true {
                // Suggestions take time, and only so many errors are listed.
                guard errors.count < ConfigurationErrors.limit else { continue }
                let message = Suggestions.unknownKey(entryPath, in: group)
                report(entry.keyOrigin, isOfFleet ? entryPath : "", message)
            } else if let key = Keys[place] {
                set(key, camera: camera, to: entry.value)
            } else if Keys.groups[place] != nil {
                add(entry.value, in: place, path: entryPath, camera: camera)
            } else {
                addCameras(entry.value, in: "\(place)[]", path: entryPath)
            }
        }
    }

    private mutating func addCameras(_ node: YAMLNode, in group: String, path: String) {
        guard case .list(let cameras) = node.content, !cameras.isEmpty else {
            let message = "expected a list with at least one camera (- id: NAME), found \(node.found)"
            return report(node.origin, path, message)
        }
        guard cameras.count <= Self.maximumCameras else {
            let message = "expected at most \(Self.maximumCameras) cameras, found \(cameras.count)"
            return report(node.origin, path, message)
        }
        values = values.filter { !$0.key.hasPrefix("cameras.") }
        cameraOrigins = cameras.map(\.origin)
        for (index, camera) in cameras.enumerated() {
            add(camera, in: group, path: "\(path).\(index)", camera: index)
        }
    }
}

// MARK: Keys by their names

extension Layers {
    /// Adds the variables whose names begin with `V4L2MQTT_`. An empty one counts as not set, as in compose
    /// files.
    mutating func add(environment: [String: String]) {
        var assignments: [(address: Address, name: String, value: String)] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(environmentPrefix) {
            guard let address = Address(name, .variable) else {
                report(.environment(name), "", Suggestions.unknown(name, .variable))
                continue
            }
            if !value.isEmpty { assignments.append((address, name, value)) }
        }
        // Cameras by number, so that a new one is added after those before it.
        assignments.sort {
            ($0.address.camera ?? -1, $0.address.key.path) < ($1.address.camera ?? -1, $1.address.key.path)
        }
        for (address, name, value) in assignments { set(address, to: value, .environment(name)) }
    }

    /// Adds flags in their order: paths such as `mqtt.port`, and values.
    mutating func add(overrides: [(path: String, value: String)]) {
        for (path, value) in overrides {
            if let address = Address(path, .path) {
                set(address, to: value, .flag(path))
            } else {
                report(.flag(path), "", Suggestions.unknown(path, .path))
            }
        }
    }

    private mutating func set(_ address: Address, to value: String, _ origin: ValueOrigin) {
        if let camera = address.camera, camera >= cameraCount {
            guard camera == cameraCount, camera < Self.maximumCameras else {
                return report(
                    origin, "",
                    "there are cameras 0 to \(cameraCount - 1), so the next can only be \(cameraCount)")
            }
            cameraOrigins.append(origin)
        }
        let scalar = YAMLNode(content: .scalar(value, .bare), origin: origin)
        if address.key.isScalar { return set(address.key, camera: address.camera, to: scalar) }
        let path = address.key.path(camera: address.camera)
        let result = YAMLReader.read(Array(value.utf8)) { _ in origin }
        report(result.errors.map { ConfigurationError(origin, path, $0.message) })
        guard result.errors.isEmpty else { return }
        set(address.key, camera: address.camera, to: result.document ?? scalar)
    }
}
