/// The bounds of the JSON of a command. They are checked in one pass over the bytes, before Jansson makes a
/// tree of them: the tree of a payload with thousands of values costs a hundred times as much.
///
/// Bytes that are not JSON pass, or not: Jansson refuses them.
enum JSONBounds {
    /// Fields of an object, or elements of a list.
    static let maxMembers = 64
    /// Objects and lists around a value. The commands of the contract have three: `desired` → `zoom` →
    /// `anchor`.
    static let maxDepth = 4

    /// - Throws: `badPayload` at the first object or list beyond the bounds. What follows it is not read.
    static func check(_ payload: [UInt8]) throws(CommandError) {
        /// The commas in each of the objects and lists that are open.
        var commas = SIMD4<Int32>.zero
        var depth = 0
        var isText = false
        var isEscaped = false
        for byte in payload {
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard depth < maxDepth else { throw tooDeep }
                commas[depth] = 0
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: ",") where depth > 0:
                commas[depth - 1] += 1
                guard commas[depth - 1] < maxMembers else { throw tooMany }
            default: break
            }
        }
    }

    private static var tooMany: CommandError {
        CommandError(
            .badPayload,
            "The payload has an object or a list with more than \(maxMembers) fields or elements.")
    }

    private static var tooDeep: CommandError {
        CommandError(
            .badPayload, "The payload has objects or lists in more than \(maxDepth) levels.")
    }
}
