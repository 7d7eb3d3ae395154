internal import Contract

/// A pattern of cameras, such as `porch/*`. A `*` stands for any characters except the slash; the pattern `*`
/// alone stands for all cameras.
struct CameraPattern: Equatable, Sendable, CustomStringConvertible {
    /// The longest pattern in bytes: two names and the slash.
    private static let maxBytes = 129

    let description: String

    /// - Returns: nil for a text that can match no camera.
    init?(_ text: String) {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maxBytes, levels.count == 2 || text == "*",
            levels.allSatisfy({ level in
                !level.isEmpty && level.utf8.allSatisfy { $0 == UInt8(ascii: "*") || Self.isOfName($0) }
            })
        else { return nil }
        self.init(checked: text)
    }

    static let all = CameraPattern(checked: "*")

    private init(checked text: String) { description = text }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    func matches(_ camera: CameraAddress) -> Bool {
        if description == "*" { return true }
        let levels = description.utf8.split(separator: UInt8(ascii: "/"))
        return Self.matches(levels[0], camera.agent.utf8[...])
            && Self.matches(levels[1], camera.camera.utf8[...])
    }

    /// Backtracks to the last `*` only: at most pattern length × name length steps.
    private static func matches(_ pattern: Substring.UTF8View, _ name: Substring.UTF8View) -> Bool {
        let pattern = Array(pattern), name = Array(name)
        var (at, position) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while position < name.count {
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = (at, position)
                at += 1
            } else if at < pattern.count, pattern[at] == name[position] {
                (at, position) = (at + 1, position + 1)
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (at, position) = (last.pattern + 1, last.name + 1)
            } else {
                return false
            }
        }
        return pattern[at...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
