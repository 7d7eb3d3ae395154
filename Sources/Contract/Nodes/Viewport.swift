package import ZoomModel

/// The payload of `viewport/set`.
extension ZoomCommand.ViewMove: CommandForm {
    package init(_ f: inout some FormVisitor<Self>) {
        let center = f.option(
            "center", { if case .at(let point) = $0 { point } else { nil } }, .any,
            "The point of the view that becomes its center.")
        let by = f.option("by", { Step($0) }, .any, "Moves the view by these multiples of its size.")
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
            x = f("dx", \.x, .any, default: 0, "Multiple of the view's width; positive moves to the right.")
            y = f("dy", \.y, .any, default: 0, "Multiple of the view's height; positive moves down.")
            f.demand(someOf: ["dx", "dy"], field: "dx", "send at least one of dx and dy.")
        }
    }
}
