/// JSON of a scenario or of a message, as far as it is compared. The driver has a reader of its own: that of
/// the agent is what is tested.
indirect enum JSON: Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    init?(_ text: String) { self.init([UInt8](text.utf8)) }

    init?(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes: bytes)
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
            expected.allSatisfy { name, value in
                value == .text("-") ? fields[name] == nil : fields[name]?.contains(value) ?? false
            }
        case (.list(let values), .list(let expected)):
            values.count == expected.count && zip(values, expected).allSatisfy { $0.contains($1) }
        case (.number(let number), .number(let expected)): abs(number - expected) < 1e-5
        default: self == expected
        }
    }
}

private struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

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
            if take("null") { return .null }
            if take("true") { return .flag(true) }
            if take("false") { return .flag(false) }
            let start = place
            while place < bytes.count, Array("+-.eE0123456789".utf8).contains(bytes[place]) { place += 1 }
            return Double(String(decoding: bytes[start..<place], as: UTF8.self)).map { .number($0) }
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
        var text: [UInt8] = []
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            if bytes[place] == UInt8(ascii: "\\") { place += 1 }
            guard place < bytes.count else { return nil }
            text.append(bytes[place])
            place += 1
        }
        place += 1
        return String(decoding: text, as: UTF8.self)
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
