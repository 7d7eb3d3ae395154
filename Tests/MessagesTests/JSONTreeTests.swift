import Messages
import Testing

extension JSONTree {
    /// The tree as a text, which shows what was read.
    fileprivate var shown: String {
        switch self {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .integer(let number): "integer \(number)"
        case .number(let number): "number \(number)"
        case .text(let text): "\"\(text)\""
        case .list(let parts): "[\(parts.map(\.shown).joined(separator: ", "))]"
        case .object(let fields):
            "{\(fields.map { "\($0.key): \($0.value.shown)" }.sorted().joined(separator: ", "))}"
        }
    }
}

struct JSONTreeTests {
    private func shown(_ text: String) -> String? { JSONTree(Array(text.utf8))?.shown }

    @Test(arguments: [
        (
            #"{"a": 1, "b": 2.5, "c": "x", "d": true, "e": null}"#,
            #"{a: integer 1, b: number 2.5, c: "x", d: true, e: null}"#
        ),
        (#"{"a": {"b": {"c": [1, [], {}]}}}"#, "{a: {b: {c: [integer 1, [], {}]}}}"),
        (#"["\u00e9", "é"]"#, #"["é", "é"]"#), ("17", "integer 17"), ("null", "null"),
    ])
    func eachFormIsReadAndWritten(text: String, expected: String) throws {
        #expect(shown(text) == expected)
        let tree = try #require(JSONTree(Array(text.utf8)))
        #expect(JSONTree(JSON.bytes(tree)) == tree)
    }

    @Test(arguments: [
        "", "{", "{}{}", #"{"a":1,"a":2}"#, #"{"a":{"b":1,"b":2}}"#, "[1,]", "\u{0}", #""\u0000""#, "nul",
    ])
    func whatIsNoJSONIsNoTree(text: String) { #expect(shown(text) == nil) }

    @Test func whatIsTooDeepIsNoTree() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(shown(nested(JSONTree.maxDepth + 1)) != nil && shown(nested(JSONTree.maxDepth + 2)) == nil)
        #expect(shown(nested(20_000)) == nil)
    }
}
