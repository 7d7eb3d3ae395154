/// What Home Assistant is told.
package struct HomeAssistantSettings: Sendable, Equatable {
    /// Whether it is told of cameras at all.
    package var isOn: Bool
    /// Its discovery prefix.
    package var prefix: String
    /// Frames per second that it gets without asking, at least 0.1; nil: none.
    package var previewRate: Double?

    package init(
        isOn: Bool = true, prefix: String = "homeassistant", previewRate: Double? = nil
    ) {
        (self.isOn, self.prefix, self.previewRate) = (isOn, prefix, previewRate)
    }
}
