internal import Contract
internal import Glibc

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
                !level.isEmpty && level.allSatisfy { $0 == "*" || Topics.isName(String($0)) }
            })
        else { return nil }
        self.init(checked: text)
    }

    static let all = CameraPattern(checked: "*")

    private init(checked text: String) { description = text }

    func matches(_ camera: CameraAddress) -> Bool {
        description == "*" || fnmatch(description, camera.description, FNM_PATHNAME | FNM_NOESCAPE) == 0
    }
}
