package import ZoomModel

/// The payload of `viewport/set`.
extension ZoomCommand.ViewMove: CommandForm {
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
