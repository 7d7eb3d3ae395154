/// JSON with the members of each object in the order of their names, and everything else as it was: their
/// order has no meaning, and that of a dictionary differs from run to run.
struct SortedJSON {
    private let bytes: [UInt8]
    private var place: Int

    /// A line with the first JSON object in it sorted.
    static func line(_ line: String) -> String {
        let bytes = [UInt8](line.utf8)
        guard line.hasPrefix("< "), let start = bytes.firstIndex(of: UInt8(ascii: "{")) else { return line }
        var reader = SortedJSON(bytes: bytes, place: start)
        guard let object = reader.value() else { return line }
        return String(
            decoding: bytes[..<start] + object.utf8 + bytes[reader.place...], as: UTF8.self)
    }

    private mutating func value() -> String? {
        guard place < bytes.count else { return nil }
        switch bytes[place] {
        case UInt8(ascii: "{"):
            var members: [(name: String, value: String)] = []
            let isComplete = elements(until: "}") { reader in
                guard let name = reader.text(), reader.take(":"), let value = reader.value() else {
                    return false
                }
                members.append((name, value))
                return true
            }
            members.sort { $0.name < $1.name }
            return isComplete ? "{\(members.map { "\($0.name):\($0.value)" }.joined(separator: ","))}" : nil
        case UInt8(ascii: "["):
            var values: [String] = []
            let isComplete = elements(until: "]") { reader in
                guard let value = reader.value() else { return false }
                values.append(value)
                return true
            }
            return isComplete ? "[\(values.joined(separator: ","))]" : nil
        case UInt8(ascii: "\""): return text()
        default:
            let start = place
            while place < bytes.count, !",]}".utf8.contains(bytes[place]) { place += 1 }
            return String(decoding: bytes[start..<place], as: UTF8.self)
        }
    }

    private mutating func elements(
        until end: Unicode.Scalar, _ element: (inout SortedJSON) -> Bool
    ) -> Bool {
        place += 1
        if take(end) { return true }
        repeat {
            if !element(&self) { return false }
        } while take(",")
        return take(end)
    }

    private mutating func text() -> String? {
        let start = place
        guard take("\"") else { return nil }
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard place < bytes.count else { return nil }
        place += 1
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }
}
