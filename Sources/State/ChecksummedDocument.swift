/// The state file of versions with a journal: `{"version":1,"checksum":"<CRC-32, 8 hex digits>","state":` + document + `}` +
/// newline.
///
/// The whole is JSON, for people with `jq`. The program reads it byte by byte: the checksum is of the
/// document's bytes as they stand in the file, so that nothing need be encoded again in order to verify it.
enum ChecksummedDocument {
    /// The last version of this form. A file of a higher one is left alone.
    static let version = 1

    enum Refusal: Error, Equatable {
        /// What is wrong with the file, for a person.
        case damaged(String)
        case newer(version: Int)
    }

    private static let versionField = Array(#"{"version":"#.utf8)
    private static let checksumField = Array(#","checksum":""#.utf8)
    private static let stateField = Array(#"","state":"#.utf8)
    private static let end = Array("}\n".utf8)

    /// The document's bytes, when the file is whole.
    ///
    /// A single wrong bit in the version digit can look like a newer version: then too the file is left
    /// alone, since losing a newer program's state is worse than asking a person.
    static func unwrap(_ bytes: [UInt8]) throws(Refusal) -> ArraySlice<UInt8> {
        var rest = bytes[...]
        guard take(versionField, from: &rest) else {
            throw .damaged(bytes.isEmpty ? "it is empty" : "it doesn't begin as a state file does")
        }
        let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        rest = rest.dropFirst(digits.count)
        guard rest.first == UInt8(ascii: ","), digits.count <= 9,
            let found = Int(String(decoding: digits, as: UTF8.self)), found > 0
        else { throw .damaged("it has no version") }
        guard found <= version else { throw .newer(version: found) }

        guard take(checksumField, from: &rest) else { throw .damaged("it has no checksum") }
        let checksum = rest.prefix(8)
        rest = rest.dropFirst(8)
        guard take(stateField, from: &rest) else { throw .damaged("it has no state") }
        guard rest.suffix(end.count).elementsEqual(end) else { throw .damaged("its end is missing") }
        rest = rest.dropLast(end.count)
        guard checksum.elementsEqual(Checksum.hex(Checksum.crc32(rest))) else {
            throw .damaged("its checksum is wrong")
        }
        return rest
    }

    private static func take(_ expected: [UInt8], from rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.starts(with: expected) else { return false }
        rest = rest.dropFirst(expected.count)
        return true
    }
}
