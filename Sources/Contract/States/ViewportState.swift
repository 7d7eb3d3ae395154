/// A part of the frame in fractions of it.
package struct ViewportField: Sendable, Equatable, Codable {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y) = (x.forMessages, y.forMessages)
        (self.width, self.height) = (width.forMessages, height.forMessages)
    }
}

/// The state of `viewport`: the part of the frame that is in view, and its middle, in fractions of the frame.
package struct ViewportState: Sendable, Equatable, Codable {
    package struct Center: Sendable, Equatable, Codable {
        package var x: Double
        package var y: Double

        package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    package var viewport: ViewportField
    package var center: Center
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(viewport: ViewportField, rev: Int, boot: Int, ts: String) {
        self.viewport = viewport
        center = Center(
            x: (viewport.x + viewport.width / 2).forMessages,
            y: (viewport.y + viewport.height / 2).forMessages)
        (self.rev, self.boot, self.ts) = (rev, boot, ts)
    }
}
