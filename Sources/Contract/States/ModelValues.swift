package import ZoomModel

// The values of the zoom model as messages have them.

extension Point: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("x", x.forMessages)
        json.field("y", y.forMessages)
    }
}

extension Viewport: FrequentMessage {
    /// As precise as it is published.
    package var forMessages: Viewport {
        Viewport(
            x: x.forMessages, y: y.forMessages, width: width.forMessages, height: height.forMessages)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("x", x.forMessages)
        json.field("y", y.forMessages)
        json.field("width", width.forMessages)
        json.field("height", height.forMessages)
    }
}

extension Origin: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("client", client?.name)
        json.field("proved", client?.isProved)
        json.field("id", id)
        json.field("kind", kind.rawValue)
    }
}
