internal import FoundationEssentials
internal import Messages

/// What photos are called: `<camera>-<UTC time to a millisecond>-<number>.jpg`. By that they are known again.
enum PhotoName {
    /// What a photo's name ends with while it is being written.
    static let unfinished = ".part"

    private static let suffix = ".jpg"

    /// The name of a camera's photo, without the characters of a time that file systems may not like.
    static func of(camera: String, at date: Date, sequence: Int) -> String {
        let time = Timestamp.text(date).filter { $0 != ":" && $0 != "-" }
        let number = String(sequence)
        return
            "\(camera)-\(time)-\(String(repeating: "0", count: max(0, 6 - number.count)))\(number)\(suffix)"
    }

    /// Whether a file in the camera's folder is a photo of ours, finished or not.
    static func isOurs(_ name: String, camera: String) -> Bool {
        var rest = name[...]
        if rest.hasSuffix(unfinished) { rest = rest.dropLast(unfinished.count) }
        guard rest.hasPrefix(camera + "-"), rest.hasSuffix(suffix) else { return false }
        let parts = rest.dropFirst(camera.count + 1).dropLast(suffix.count).split(separator: "-")
        return parts.count == 2 && parts[0].hasSuffix("Z") && parts[1].allSatisfy(\.isNumber)
    }
}
