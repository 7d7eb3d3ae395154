package import ZoomModel

/// The payload of `viewport/set`.
extension ZoomCommand.ViewMove: CommandContent {
    init(_ fields: inout Fields) throws(CommandError) {
        let center = try Point.read("center", of: &fields)
        let by = try fields.object("by") { (inner) throws(CommandError) -> Self in
            let x = try inner.number("dx")
            let y = try inner.number("dy")
            guard x != nil || y != nil else { throw inner.error("dx", "send at least one of dx and dy.") }
            return .by(x: x ?? 0, y: y ?? 0)
        }
        let ways = [center.map { .at($0) }, by].compactMap { $0 }
        guard let way = ways.first, ways.count == 1 else {
            try fields.refuseOthers()
            throw CommandError(.badPayload, "Send exactly one of center and by; found \(ways.count).")
        }
        self = way
    }
}
