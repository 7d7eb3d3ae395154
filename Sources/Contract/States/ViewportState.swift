package import ZoomModel

/// The state of `viewport`: the part of the frame that is in view, and its middle, in fractions of the frame.
package struct ViewportState: Sendable, Equatable, Codable {
    package var viewport: Viewport
    package var center: Point
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(viewport: Viewport, rev: Int, boot: Int, ts: String) {
        self.viewport = viewport.forMessages
        center = Point(
            x: self.viewport.x + self.viewport.width / 2, y: self.viewport.y + self.viewport.height / 2)
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}
