package import Settings

/// A configuration that was read from all its layers and checked.
package struct LoadedConfiguration: Sendable {
    package internal(set) var settings = AgentSettings.standard
    /// Each key in the order of the table. The text is its value as YAML; nil: it has none.
    var values: [(key: Key, camera: Int?, path: String, text: String?)] = []
    var layers: Layers
    /// What a user should know although the configuration can be used: lines such as
    /// `porch.yaml:7: mqtt.password_file: without TLS, …`.
    package internal(set) var warnings: [String] = []

    /// What became of the configuration of the fleet; nil: the device has none.
    package let fleet: FleetOutcome?
    /// The folder of the state file, where the device keeps the configuration of the fleet.
    package var stateFolder: String { layers.stateFolder }

    /// The files that exist for a service only, and can't be read here. Each has a warning.
    package internal(set) var uncheckedFiles: Set<String> = []

    /// Why the configuration of the fleet is not applied; nil: it is, or there is none.
    package var fleetRefusal: FleetRefusal? {
        if case .refused(let refusal)? = fleet { refusal } else { nil }
    }

    /// Adds a warning about a key such as `mqtt.tls.ca_file` or `cameras.0.image`, at the place where it was
    /// set.
    package mutating func warn(about path: String, _ message: String) {
        warnings.append(layers.origin(path).introduction(to: path) + message)
    }

    /// An error in the value of a key, at the place where it was set.
    package func error(in path: String, _ message: String) -> ConfigurationErrors {
        ConfigurationErrors([ConfigurationError(layers.origin(path), path, message)])
    }

    /// The values that differ from the defaults, as comments in YAML. Cameras have their ids in the place of
    /// their numbers.
    package func differences() -> String {
        var lines = ""
        for (key, camera, path, text) in values where text != key.defaultText {
            let origin = layers.origin(path)
            guard origin != .defaultValue else { continue }
            let path = key.path(camera: camera, as: camera.map { settings.cameras[$0].id })
            lines += "#   \(path): \(text ?? "")  (\(origin))\n"
        }
        if lines.isEmpty { return "# Each key has its default:\n" }
        return "# These keys differ from the defaults:\n" + lines + "# All keys:\n"
    }

    /// The configuration as YAML. A comment beside each value names its origin. Passwords aren't contained.
    package func effective() -> String {
        var page = YAMLPage()
        for (_, _, path, text) in values {
            page.add(path, value: text, note: text == nil ? "not set" : "\(layers.origin(path))")
        }
        return page.text
    }
}
