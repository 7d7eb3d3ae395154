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
        // Cameras and elements by number, so that a new one is added after those before it; a list before its
        // elements.
        assignments.sort {
            ($0.address.camera ?? -1, $0.address.key.path, $0.address.element ?? -1)
                < ($1.address.camera ?? -1, $1.address.key.path, $1.address.element ?? -1)
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
        let path = address.key.path(camera: address.camera)
        let scalar = YAMLNode(content: .scalar(value, .bare), origin: origin)
        if let element = address.element {
            setElement(element, of: address, to: scalar)
        } else if address.key.shape == .scalar {
            set(address.key, camera: address.camera, to: scalar)
        } else {
            let result = YAMLReader.read(Array(value.utf8)) { _ in origin }
            report(result.errors.map { ConfigurationError(origin, path, $0.message) })
            guard result.errors.isEmpty else { return }
            set(address.key, camera: address.camera, to: result.document ?? scalar)
        }
    }

    private mutating func setElement(_ element: Int, of address: Address, to value: YAMLNode) {
        var elements: [YAMLNode] = []
        if case .list(let known) = self[address.key.path(camera: address.camera)]?.content {
            elements = known
        }
        guard element <= elements.count else {
            let message = "the list has \(elements.count) elements, so the next can only be \(elements.count)"
            return report(value.origin, "", message)
        }
        if element < elements.count { elements[element] = value } else { elements.append(value) }
        set(address.key, camera: address.camera, to: YAMLNode(content: .list(elements), origin: value.origin))
    }
}
