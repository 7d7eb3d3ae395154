/// Writes `Encodable` values as JSON while it goes over them.
///
/// Foundation's encoder builds a tree of dictionaries first: it takes several times as long, and the fields
/// come in another order in each run of the program. Here they come in the order of their declaration, which
/// is easier to read in `mosquitto_sub`.
final class JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// For each value being written: what opened it, and whether something is in it.
    private var open: [(bracket: UInt8, isEmpty: Bool)] = []
    var depth: Int { open.count }

    init() {
        bytes.reserveCapacity(512)
    }

    /// Writes one value, whatever it is made of.
    func write(_ value: some Encodable) throws {
        let depth = open.count
        try value.encode(to: JSONStream(writer: self))
        while open.count > depth { close() }
    }

    func begin(_ bracket: UInt8) {
        bytes.append(bracket)
        open.append((bracket, true))
    }

    private func close() {
        let bracket = open.removeLast().bracket
        bytes.append(bracket == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    }

    /// Separates a value from the one before it.
    func separate() {
        let last = open.count - 1
        if open[last].isEmpty { open[last].isEmpty = false } else { bytes.append(UInt8(ascii: ",")) }
    }

    func key(_ name: String) {
        separate()
        write(text: name)
        bytes.append(UInt8(ascii: ":"))
    }

    func write(literal: StaticString) {
        literal.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    func write(integer: some BinaryInteger) {
        bytes.append(contentsOf: integer.description.utf8)
    }

    /// Whole numbers without a fraction; what JSON has no number for, as null.
    func write(number: Double) {
        guard number.isFinite else { return write(literal: "null") }
        if number.magnitude < 1e15, number == number.rounded() { return write(integer: Int(number)) }
        bytes.append(contentsOf: number.description.utf8)
    }

    func write(text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): write(literal: "\\\"")
            case UInt8(ascii: "\\"): write(literal: "\\\\")
            case 0x00..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                write(literal: "\\u00")
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
