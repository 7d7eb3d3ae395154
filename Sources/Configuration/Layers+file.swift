extension Layers {
    /// Adds a YAML file.
    ///
    /// - Parameter name: the file, as messages name it.
    mutating func add(file bytes: [UInt8], name: String) {
        let result = YAMLReader.read(bytes) { .file(name, line: $0) }
        report(result.errors)
        if let document = result.document { add(document, in: .root, path: "", camera: nil) }
    }

    /// Adds keys that are nested as in a file.
    mutating func add(_ node: YAMLNode, in section: Section, path: String, camera: Int?) {
        if node.isNothing { return }
        guard case .map(let entries) = node.content else {
            if let main = section.main, (try? main.read(node)) != nil {
                return set(main, camera: camera, to: node)
            }
            let value = section.main.map { "\($0.expected), or " } ?? ""
            return report(
                node.origin, path, "expected \(value)keys (\(section.list())), found \(node.found)")
        }
        for entry in entries {
            let entryPath = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            switch section[entry.key] {
            case .key(let key): set(key, camera: camera, to: entry.value)
            case .section(let inner): add(entry.value, in: inner, path: entryPath, camera: camera)
            case .cameras(let inner): addCameras(entry.value, in: inner, path: entryPath)
            case nil:
                // Suggestions take time, and only so many errors are listed.
                guard errors.count < ConfigurationErrors.limit else { continue }
                report(entry.keyOrigin, "", Suggestions.unknownKey(entryPath, in: section))
            }
        }
    }

    private mutating func addCameras(_ node: YAMLNode, in section: Section, path: String) {
        guard case .list(let cameras) = node.content, !cameras.isEmpty else {
            let message = "expected a list with at least one camera (- id: NAME), found \(node.found)"
            return report(node.origin, path, message)
        }
        guard cameras.count <= Self.maximumCameras else {
            let message = "expected at most \(Self.maximumCameras) cameras, found \(cameras.count)"
            return report(node.origin, path, message)
        }
        replaceCameras(cameras.map(\.origin))
        for (index, camera) in cameras.enumerated() {
            add(camera, in: section, path: "\(path).\(index)", camera: index)
        }
    }
}
