/// JSON of a scenario or of a message, as far as it is compared. The driver has a reader of its own: that of
/// the agent is what is tested.
indirect enum JSON: Equatable {
    /// A number, `true`, `false` or `null`, as it is written.
    case plain(String)
    /// Without its quotes, and with its escapes.
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init?(_ text: String) { self.init([UInt8](text.utf8)) }

    init?(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes, 0)
        guard let value = reader.value(), reader.isAtEnd else { return nil }
        self = value
    }

    subscript(_ name: String) -> JSON? { if case .object(let fields) = self { fields[name] } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Whether each field of an expected value is there. Numbers may differ by rounding; `"-"` stands for a
    /// field that is absent.
    func contains(_ expected: JSON) -> Bool {
        switch (self, expected) {
        case (.object(let fields), .object(let expected)):
            return expected.allSatisfy { name, value in
                value == .text("-") ? fields[name] == nil : fields[name]?.contains(value) ?? false
            }
        case (.list(let values), .list(let expected)):
            return values.count == expected.count && zip(values, expected).allSatisfy { $0.contains($1) }
        case (.plain(let value), .plain(let expected)):
            guard let number = Double(value), let other = Double(expected) else { return value == expected }
            return abs(number - other) < 1e-5
        default: return self == expected
        }
    }

    /// With the members of each object in the order of their names: their order has no meaning, and that of a
    /// dictionary differs from run to run.
    private var sorted: String {
        switch self {
        case .plain(let value): return value
        case .text(let text): return "\"\(text)\""
        case .list(let values): return "[\(values.map(\.sorted).joined(separator: ","))]"
        case .object(let fields):
            let members = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value.sorted)" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    /// A line of a sequence with the first JSON object in it sorted.
    static func sortedLine(_ line: String) -> String {
        let bytes = [UInt8](line.utf8)
        guard line.hasPrefix("< "), let start = bytes.firstIndex(of: UInt8(ascii: "{")) else { return line }
        var reader = JSONReader(bytes, start)
        guard let object = reader.value() else { return line }
        return String(decoding: bytes[..<start] + object.sorted.utf8 + bytes[reader.place...], as: UTF8.self)
    }
}

private struct JSONReader {
    private let bytes: [UInt8]
    private(set) var place: Int

    init(_ bytes: [UInt8], _ place: Int) { (self.bytes, self.place) = (bytes, place) }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return place == bytes.count
        }
    }

    mutating func value() -> JSON? {
        skipSpace()
        guard place < bytes.count else { return nil }
        switch bytes[place] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return list()
        case UInt8(ascii: "\""): return text().map { .text($0) }
        default:
            let start = place
            while place < bytes.count, !",]} \n".utf8.contains(bytes[place]) { place += 1 }
            let value = String(decoding: bytes[start..<place], as: UTF8.self)
            return ["null", "true", "false"].contains(value) || Double(value) != nil ? .plain(value) : nil
        }
    }

    private mutating func object() -> JSON? {
        var fields: [String: JSON] = [:]
        guard take("{") else { return nil }
        if take("}") { return .object(fields) }
        repeat {
            skipSpace()
            guard let name = text(), take(":"), let value = value() else { return nil }
            fields[name] = value
        } while take(",")
        return take("}") ? .object(fields) : nil
    }

    private mutating func list() -> JSON? {
        var values: [JSON] = []
        guard take("[") else { return nil }
        if take("]") { return .list(values) }
        repeat {
            guard let value = value() else { return nil }
            values.append(value)
        } while take(",")
        return take("]") ? .list(values) : nil
    }

    private mutating func text() -> String? {
        guard take("\"") else { return nil }
        let start = place
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.count else { return nil }
        place += 1
        return String(decoding: bytes[start..<place - 1], as: UTF8.self)
    }

    private mutating func take(_ word: String) -> Bool {
        skipSpace()
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }
}
