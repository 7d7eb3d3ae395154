/// A camera as Home Assistant discovers it.
package struct DiscoveredDevice: Sendable, Equatable {
    package var identity: HomeAssistantIdentity
    package var topics: CameraTopics
    /// The name of Home Assistant in commands, in the `origin` of states and in the lease.
    package var client: String
    package var model: String
    /// Empty if the camera has none.
    package var serial: String
    /// The version of the agent.
    package var version: String
    /// The smallest and the largest zoom factor.
    package var zoom: ClosedRange<Double>
    /// The names of qualities that `session` accepts.
    package var qualities: [String]
    /// The names of the saved presets.
    package var presets: [String]
    package var controls: [DiscoveredControl]

    package init(
        identity: HomeAssistantIdentity, topics: CameraTopics, client: String, model: String, serial: String,
        version: String, zoom: ClosedRange<Double>, qualities: [String], presets: [String],
        controls: [DiscoveredControl]
    ) {
        (self.identity, self.topics, self.client) = (identity, topics, client)
        (self.model, self.serial) = (model, serial)
        (self.version, self.zoom, self.qualities) = (version, zoom, qualities)
        (self.presets, self.controls) = (presets, controls)
    }
}
