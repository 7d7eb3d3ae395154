/// What Home Assistant is told.
package struct HomeAssistantSettings: Sendable, Equatable {
    /// Whether it is told of cameras at all.
    package var isOn: Bool
    /// Its discovery prefix.
    package var prefix: String
    /// Frames per second that it gets without asking, at least 0.1; nil: none.
    package var previewRate: Double?
    /// Where every camera that is found is served: the one that is there when none is found. Others that aren't there are just not plugged in, and
    /// stay known. Nil: the configuration says which cameras there are.
    package var standIn: String?

    package init(
        isOn: Bool = true, prefix: String = "homeassistant", previewRate: Double? = nil,
        standIn: String? = nil
    ) {
        (self.isOn, self.prefix, self.previewRate) = (isOn, prefix, previewRate)
        self.standIn = standIn
    }
}
