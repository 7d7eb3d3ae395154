extension Layers {
    /// Adds the variables whose names begin with `V4L2MQTT_`. An empty one counts as not set, as in compose
    /// files.
    mutating func add(environment: [String: String]) {
        var assignments: [(address: Address, name: String, value: String)] = []
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(environmentPrefix) {
            guard let address = Address(variable: name) else {
                report(.environment(name), "", Suggestions.unknownVariable(name))
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
            guard let address = Address(path: path) else {
                report(.flag(path), "", Suggestions.unknownPath(path))
                continue
            }
            set(address, to: value, .flag(path))
        }
    }

    private mutating func set(_ address: Address, to value: String, _ origin: ValueOrigin) {
        if let camera = address.camera, camera >= cameraCount {
            guard camera == cameraCount, camera < Self.maximumCameras else {
                let message =
                    "there are cameras 0 to \(cameraCount - 1), so the next can only be \(cameraCount)"
                return report(origin, "", message)
            }
            addCamera(origin)
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
