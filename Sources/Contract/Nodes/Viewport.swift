package import ZoomModel

extension Node {
    package static var viewport: Node { Node(Viewport.self) }

    /// What of the frame is in view.
    package enum Viewport: NodeContract {
        package typealias Command = ZoomCommand.ViewMove
        package typealias State = ViewportState
        package static var name: String { "viewport" }
    }
}

/// The payload of `viewport/set`.
extension ZoomCommand.ViewMove: CommandForm {
    package var policy: CommandPolicy { CommandPolicy(movesZoom: true, savesState: true) }

    package init(_ f: inout some FormVisitor<Self>) {
        let center = f.option(
            "center", { if case .at(let point) = $0 { point } else { nil } }, .any,
            "Becomes the middle of the view.")
        let by = f.option("by", { Step($0) }, .any, "Moves the view; clamped.")
        self = f.one(center.map(Self.at), by.map { .by(x: $0.x, y: $0.y) }) ?? .by(x: 0, y: 0)
    }

    private struct Step: Form {
        let x: Double
        let y: Double

        init?(_ move: ZoomCommand.ViewMove) {
            guard case .by(let x, let y) = move else { return nil }
            (self.x, self.y) = (x, y)
        }

        init(_ f: inout some FormVisitor<Self>) {
            x = f("dx", \.x, .any, default: 0, "Widths of the view to the right.")
            y = f("dy", \.y, .any, default: 0, "Heights of the view down.")
            f.demand(someOf: ["dx", "dy"], field: "dx", "send at least one of dx and dy.")
        }
    }
}

/// The state of `viewport`.
package struct ViewportState: StateForm {
    package let viewport: Viewport
    let center: Point

    package init(_ viewport: Viewport) {
        self.viewport = viewport
        center = Point(x: viewport.x + viewport.width / 2, y: viewport.y + viewport.height / 2)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        viewport = f("viewport", \.viewport, .any, "What is in view.")
        center = f("center", \.center, .any, "Its center.")
    }
}
