import FoundationEssentials

/// The inputs of `Tests/Fuzz/corpus` for a decoder, as `Tests/Fuzz/corpus.py` has written them.
package struct Corpus {
    package let inputs: [(name: String, bytes: [UInt8])]

    package struct Unreadable: Error { let place: String }

    package static let folder =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Fuzz/corpus"

    package init(of decoder: String) throws {
        let path = "\(Self.folder)/\(decoder).txt"
        guard let data = FileManager.default.contents(atPath: path) else { throw Unreadable(place: path) }
        inputs = try [UInt8](data).split(separator: UInt8(ascii: "\n")).map { line in
            let name = line.prefix { $0 != UInt8(ascii: " ") }
            let text = String(decoding: name, as: UTF8.self)
            guard let bytes = Self.bytes(line.dropFirst(name.count + 1)) else {
                throw Unreadable(place: "\(path): \(text)")
            }
            return (text, bytes)
        }
    }

    /// Nil for an escape that is none.
    private static func bytes(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = line
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "x"):
                guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: return nil
            }
        }
        return bytes
    }
}
