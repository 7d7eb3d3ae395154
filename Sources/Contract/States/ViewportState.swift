package import ZoomModel

/// The state of `viewport`.
package struct ViewportState: Sendable, Equatable {
    package let viewport: Viewport
    let center: Point

    package init(_ viewport: Viewport) {
        self.viewport = viewport
        center = Point(x: viewport.x + viewport.width / 2, y: viewport.y + viewport.height / 2)
    }
}

extension ViewportState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        viewport = f("viewport", \.viewport, .any, "What is in view.")
        center = f("center", \.center, .any, "Its center.")
    }
}
