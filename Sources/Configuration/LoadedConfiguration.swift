package import Settings

/// A configuration that was read from all its layers and checked.
package struct LoadedConfiguration: Sendable {
    package let settings: AgentSettings
    /// Each key in the order of the table, as ``effective()`` shows it.
    let values: [KeyValue]

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
