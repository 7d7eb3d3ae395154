package import Settings

/// A configuration that was read from all its layers and checked.
package struct LoadedConfiguration: Sendable {
    package internal(set) var settings: AgentSettings
    /// Each key in the order of the table, as ``effective()`` shows it.
    let values: [KeyValue]
    /// What a user should know although the configuration can be used: lines such as
    /// `porch.yaml:7: mqtt.password_file: without TLS, …`.
    package internal(set) var warnings: [String] = []

    /// What became of the configuration of the fleet; nil: the device has none.
    package internal(set) var fleet: FleetOutcome?
    /// The folder of the state file, where the device keeps the configuration of the fleet.
    package internal(set) var stateFolder = "."

    /// The files that exist for a service only, and can't be read here. Each has a warning.
    package internal(set) var uncheckedFiles: Set<String> = []

    /// Why the configuration of the fleet is not applied; nil: it is, or there is none.
    package var fleetRefusal: FleetRefusal? {
        if case .refused(let refusal)? = fleet { refusal } else { nil }
    }

    /// Adds a warning about a key such as `mqtt.tls.ca_file` or `cameras.0.image`, at the place where it was
    /// set.
    package mutating func warn(about path: String, _ message: String) {
        warnings.append(origin(of: path).introduction(to: path) + message)
    }

    /// An error in the value of a key, at the place where it was set.
    package func error(in path: String, _ message: String) -> ConfigurationErrors {
        ConfigurationErrors([ConfigurationError(origin(of: path), path, message)])
    }

    private func origin(of path: String) -> ValueOrigin {
        values.first { $0.key.path(camera: $0.camera) == path }?.origin ?? .defaultValue
    }

    /// The values that differ from the defaults, as comments in YAML. Cameras have their ids in the place of
    /// their numbers.
    package func differences() -> String {
        let lines = values.filter { $0.origin != .defaultValue && $0.text != $0.key.defaultText }.map {
            value in
            let path = value.key.path(camera: value.camera, as: value.camera.map { settings.cameras[$0].id })
            return "#   \(path): \(value.text ?? "")  (\(value.origin))\n"
        }
        if lines.isEmpty { return "# Each key has its default:\n" }
        return "# These keys differ from the defaults:\n" + lines.joined() + "# All keys:\n"
    }

    /// The configuration as YAML. A comment beside each value names its origin. Passwords aren't contained.
    package func effective() -> String {
        var page = YAMLPage()
        for value in values {
            page.add(
                value.key.path(camera: value.camera), value: value.text,
                note: value.text == nil ? "not set" : "\(value.origin)")
        }
        return page.text
    }
}
