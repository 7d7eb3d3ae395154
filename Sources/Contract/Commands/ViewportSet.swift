/// The payload of `viewport/set`: a move of the view, in fractions of it.
package enum ViewportSet: Sendable, Equatable, CommandContent {
    /// This point of the view becomes its center.
    case center(Anchor)
    /// The view moves by these multiples of its width and height.
    case by(x: Double, y: Double)

    init(_ fields: inout Fields) throws(CommandError) {
        let center = try Anchor.read("center", of: &fields)
        let by = try fields.object("by") { (inner) throws(CommandError) -> ViewportSet in
            let x = try inner.number("dx")
            let y = try inner.number("dy")
            guard x != nil || y != nil else { throw inner.error("dx", "send at least one of dx and dy.") }
            return .by(x: x ?? 0, y: y ?? 0)
        }
        let ways = [center.map { .center($0) }, by].compactMap { $0 }
        guard let way = ways.first, ways.count == 1 else {
            try fields.refuseOthers()
            throw CommandError(.badPayload, "Send exactly one of center and by; found \(ways.count).")
        }
        self = way
    }
}
