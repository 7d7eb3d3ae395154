import Messages
import Testing

/// A tree as a text, which shows what was read.
private struct Shown: JSONTree {
    let text: String

    init(_ part: JSONNode<Shown>) {
        text =
            switch part {
            case .null: "null"
            case .flag(let flag): "\(flag)"
            case .integer(let number): "integer \(number)"
            case .number(let number): "number \(number)"
            case .text(let text): "\"\(text)\""
            case .list(let parts): "[\(parts.map(\.text).joined(separator: ", "))]"
            case .object(let fields):
                "{\(fields.map { "\($0.key): \($0.value.text)" }.sorted().joined(separator: ", "))}"
            }
    }
}

struct JSONTreeTests {
    private func shown(_ text: String) -> String? { JSON.tree(Shown.self, from: Array(text.utf8))?.text }

    @Test(arguments: [
        (
            #"{"a": 1, "b": 2.5, "c": "x", "d": true, "e": null}"#,
            #"{a: integer 1, b: number 2.5, c: "x", d: true, e: null}"#
        ),
        (#"{"a": {"b": {"c": [1, [], {}]}}}"#, "{a: {b: {c: [integer 1, [], {}]}}}"),
        (#"["\u00e9", "é"]"#, #"["é", "é"]"#), ("17", "integer 17"), ("null", "null"),
    ])
    func eachFormIsRead(text: String, expected: String) { #expect(shown(text) == expected) }

    @Test(arguments: [
        "", "{", "{}{}", #"{"a":1,"a":2}"#, #"{"a":{"b":1,"b":2}}"#, "[1,]", "\u{0}", #""\u0000""#, "nul",
    ])
    func whatIsNoJSONIsNoTree(text: String) { #expect(shown(text) == nil) }

    @Test func whatIsTooDeepIsNoTree() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(shown(nested(JSON.maxTreeDepth + 1)) != nil && shown(nested(JSON.maxTreeDepth + 2)) == nil)
        #expect(shown(nested(20_000)) == nil)
    }
}
