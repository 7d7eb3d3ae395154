internal import FoundationEssentials
internal import Messages
internal import Movies

/// What photos and recordings are called: `<camera>-<UTC time to a millisecond>-<number>` and a suffix. By that they are known again.
package enum MediaName {
    /// What a file's name ends with while it is being written.
    package static let unfinished = MovieWriter.partSuffix

    /// The name of a camera's photo or recording, without the characters of a time that file systems may not like.
    static func of(camera: String, at date: Date, sequence: Int, suffix: String) -> String {
        let time = Timestamp.text(date).filter { $0 != ":" && $0 != "-" }
        let number = String(sequence)
        return
            "\(camera)-\(time)-\(String(repeating: "0", count: max(0, 6 - number.count)))\(number)\(suffix)"
    }

    /// Whether a file in the camera's folder is one of ours with one of these suffixes, finished or not.
    static func isOurs(_ name: String, camera: String, suffixes: [String]) -> Bool {
        var rest = name[...]
        if rest.hasSuffix(unfinished) { rest = rest.dropLast(unfinished.count) }
        guard rest.hasPrefix(camera + "-"), let suffix = suffixes.first(where: { rest.hasSuffix($0) }) else {
            return false
        }
        let parts = rest.dropFirst(camera.count + 1).dropLast(suffix.count).split(separator: "-")
        return parts.count == 2 && parts[0].hasSuffix("Z") && parts[1].allSatisfy(\.isNumber)
    }
}
