/// Writes `Encodable` values as JSON while it goes over them.
///
/// Foundation's encoder builds a tree of dictionaries first: it takes several times as long, and the fields
/// come in another order in each run of the program. Here they come in the order of their declaration.
final class JSONWriter {
    var text: JSONText
    /// The objects and lists that are being written.
    private var open: [Bracket] = []
    var depth: Int { open.count }

    enum Bracket { case object, list }

    /// - Parameter text: what comes before the value.
    init(_ text: consuming JSONText) { self.text = text }

    /// Writes one value of any kind.
    func write(_ value: some Encodable) throws {
        let depth = open.count
        try value.encode(to: JSONStream(writer: self))
        while open.count > depth { close() }
    }

    func begin(_ bracket: Bracket) {
        switch bracket {
        case .object: text.beginObject()
        case .list: text.beginList()
        }
        open.append(bracket)
    }

    private func close() {
        switch open.removeLast() {
        case .object: text.endObject()
        case .list: text.endList()
        }
    }
}
