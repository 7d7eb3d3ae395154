package import ZoomModel

/// The state of `viewport`: the part of the frame that is in view, and its middle, in fractions of the frame.
package struct ViewportState: Sendable, Equatable, Decodable, FrequentMessage {
    package let viewport: Viewport
    let center: Point

    package init(_ viewport: Viewport) {
        self.viewport = viewport.forMessages
        center = Point(
            x: self.viewport.x + self.viewport.width / 2, y: self.viewport.y + self.viewport.height / 2)
    }

    package func writeFields(to json: inout JSONWriter) {
        json.field("viewport", viewport)
        json.field("center", center)
    }
}
