internal import FoundationEssentials
internal import Messages
internal import Movies

/// The file names of photos and recordings: `<camera>-<UTC time to a millisecond>-<number>` and a suffix.
/// Files with such a name are the agent's own.
package enum MediaFileName {
    /// The end of a file's name while the file is being written.
    package static let unfinished = MovieWriter.partSuffix

    /// The name of a camera's photo or recording. It has no characters that some file systems refuse.
    static func of(camera: String, at date: Date, sequence: Int, suffix: String) -> String {
        let time = Timestamp.text(date).filter { $0 != ":" && $0 != "-" }
        let number = String(sequence)
        let padding = String(repeating: "0", count: max(0, 6 - number.count))
        return "\(camera)-\(time)-\(padding)\(number)\(suffix)"
    }

    /// Whether a file in the camera's folder is the agent's own and has one of these suffixes, finished or
    /// not.
    static func isOwn(_ name: String, camera: String, suffixes: [String]) -> Bool {
        var rest = name[...]
        if rest.hasSuffix(unfinished) { rest = rest.dropLast(unfinished.count) }
        guard rest.hasPrefix(camera + "-"), let suffix = suffixes.first(where: { rest.hasSuffix($0) }) else {
            return false
        }
        let parts = rest.dropFirst(camera.count + 1).dropLast(suffix.count).split(separator: "-")
        return parts.count == 2 && parts[0].hasSuffix("Z") && parts[1].allSatisfy(\.isNumber)
    }
}
