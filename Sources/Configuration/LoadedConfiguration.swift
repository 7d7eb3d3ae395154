package import Settings

/// A configuration that was read from all its layers and checked.
package struct LoadedConfiguration: Sendable {
    package let settings: AgentSettings
    /// Each key in the order of the table, as ``effective()`` shows it.
    let values: [KeyValue]
    /// What a user should know although the configuration can be used.
    package private(set) var warnings: [ConfigurationWarning]

    /// The files that exist for a service only, and can't be read here. Each has a warning.
    package let uncheckedFiles: Set<String>

    init(
        settings: AgentSettings, values: [KeyValue], warnings: [ConfigurationWarning] = [],
        uncheckedFiles: Set<String> = []
    ) {
        (self.settings, self.values) = (settings, values)
        (self.warnings, self.uncheckedFiles) = (warnings, uncheckedFiles)
    }

    /// Adds a warning about a key such as `mqtt.tls.ca_file` or `cameras.0.image`, at the place where it was
    /// set.
    package mutating func warn(about path: String, _ message: String) {
        warnings.append(ConfigurationWarning(origin(of: path), path, message))
    }

    /// An error in the value of a key, at the place where it was set.
    package func error(in path: String, _ message: String) -> ConfigurationErrors {
        ConfigurationErrors([ConfigurationError(origin(of: path), path, message)])
    }

    private func origin(of path: String) -> ValueOrigin {
        values.first { $0.key.path(camera: $0.camera) == path }?.origin ?? .defaultValue
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
