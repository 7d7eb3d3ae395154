internal import Contract
internal import FoundationEssentials
internal import Settings

/// The file names of photos and recordings: `<camera>-<UTC time to a millisecond>-<number>` and a suffix.
/// Files with such a name are the agent's own.
enum MediaFileName {
    /// The end of a file's name while the file is being written.
    static let unfinished = MovieWriter.partSuffix

    /// The name of a camera's photo or recording. It has no characters that some file systems refuse.
    static func of(camera: String, at date: Date, sequence: Int, suffix: String) -> String {
        let time = Timestamp.text(date).filter { $0 != ":" && $0 != "-" }
        let number = String(sequence)
        let padding = String(repeating: "0", count: max(0, 6 - number.count))
        return "\(camera)-\(time)-\(padding)\(number)\(suffix)"
    }

    /// Whether a file is a photo or a recording, when it was made, and the MIME type of its content.
    struct Parts {
        let kind: MediaKind
        /// As messages have it.
        let createdAt: String
        let contentType: String
    }

    /// Reads a name that ``of(camera:at:sequence:suffix:)`` gave to a finished file of a camera; nil: it is
    /// none.
    static func parts(of name: String, camera: String) -> Parts? {
        guard name.hasPrefix(camera + "-") else { return nil }
        let rest = name.dropFirst(camera.count + 1)
        for (suffix, kind, type) in suffixes where rest.hasSuffix(suffix) {
            let parts = rest.dropLast(suffix.count).split(
                separator: "-", omittingEmptySubsequences: false)
            // Zeros fill a number up to six digits only.
            guard parts.count == 2,
                parts[1].utf8.count == 6 || parts[1].utf8.count > 6 && parts[1].first != "0",
                parts[1].utf8.allSatisfy(isDigit), let time = time(parts[0])
            else { return nil }
            return Parts(kind: kind, createdAt: time, contentType: type)
        }
        return nil
    }

    private static let suffixes: [(String, MediaKind, String)] =
        [(MediaFolder.photo, .photo, "image/jpeg")]
        + RecordingCodec.allCases.map { codec in
            (MediaFolder.suffix(of: codec), .recording, codec == .h264 ? "video/mp4" : "video/x-matroska")
        }

    /// The time `20261121T090538.958Z` as messages have it.
    private static func time(_ text: Substring) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "."),
            bytes[19] == UInt8(ascii: "Z"),
            bytes.indices.allSatisfy({ [8, 15, 19].contains($0) || isDigit(bytes[$0]) })
        else { return nil }
        func digits(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        return "\(digits(0..<4))-\(digits(4..<6))-\(digits(6..<8))T\(digits(9..<11)):\(digits(11..<13))"
            + ":\(digits(13..<15)).\(digits(16..<19))Z"
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte }
}
