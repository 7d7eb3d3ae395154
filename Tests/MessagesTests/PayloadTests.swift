import Messages
import Testing

/// Payloads that are no commands at all.
struct PayloadTests {
    /// Those that take nothing but objects and numbers: the others know a word or two.
    private static let strict = Node.allCases.filter { ![.recording, .session, .preview].contains($0) }

    @Test(arguments: [
        "{", #"{"factor":"#, #"{"id":"x"} {"id":"y"}"#, #"{"id":"x",}"#, "{'id':'x'}", "2,5", "+2", "0x2",
        "01", "2.", "NaN",
        "Infinity", "-Infinity", #"{"factor":NaN}"#, "zoom in, please", "\0", #"{"factor":2}"# + "\0",
        "// 2\n2", "2\0", "false\0", "\"ON\"\0",
        #"{"factor":2,"factor":3}"#, #"{"id":"a\u0000b"}"#, #"{"client":"\ud800"}"#,
        String(repeating: "[", count: 1000),
        String(repeating: #"{"a":"#, count: 13_000), "1e999", #"{"factor":1e999}"#,
    ])
    func whatIsNotJSONIsRefused(payload: String) {
        for node in Self.strict { expectRefusal(node, payload, field: nil) }
    }

    @Test(arguments: [
        [0xFF, 0xFE], [0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10],
    ])
    func whatIsNotTextIsRefused(bytes: [UInt8]) throws {
        for node in Node.allCases {
            guard case .failure(let error) = Command(for: node, payload: bytes).body else {
                Issue.record("it was taken")
                continue
            }
            #expect(error.code == .badPayload)
            #expect(!JSON.bytes(error).isEmpty, "and the answer can be written")
        }
    }

    @Test(arguments: ["null", "true", #""2.5""#, "[2.5]", #"[{"factor":2}]"#])
    func whatIsNotAnObjectIsRefused(payload: String) {
        for node in Self.strict { expectRefusal(node, payload, field: nil) }
    }

    @Test func aPayloadOf64KiBIsRead() {
        let padding = String(repeating: " ", count: 65_536 - 12)
        #expect(refusal(.zoom, #"{"factor":2}"# + padding) == nil)
        expectRefusal(.zoom, #"{"factor":2}"# + padding + " ", .tooLarge, field: nil)
        expectRefusal(.capture, String(repeating: " ", count: 65_537), .tooLarge, field: nil)
    }

    @Test func theNameOfAFieldIsQuotedInFullUpTo64Letters() throws {
        let name = String(repeating: "n", count: 3000)
        let error = try #require(refusal(.zoom, #"{"\#(name)":1}"#))
        #expect(error.field == String(name.prefix(64)))
        #expect(error.message.count < 200)
    }

    /// Also what a name or a value has in it that isn't a letter: a control's name is anybody's, and one
    /// letter may have any number of accents.
    @Test(arguments: [
        (Node.controls, #"{"\#(String(repeating: "n", count: 60_000))":"x"}"#),
        (.desired, #"{"version":1,"controls":{"\#(String(repeating: "n", count: 60_000))":null}}"#),
        (.zoom, #"{"a\#(String(repeating: "\u{301}", count: 30_000))":1}"#),
        (.zoom, #"{"factor":"a\#(String(repeating: "\u{301}", count: 30_000))"}"#),
    ])
    func anErrorIsShortHoweverLongThePayload(node: Node, payload: String) throws {
        let error = try #require(refusal(node, payload))
        #expect(JSON.bytes(error).count < 1024)
        #expect(error.message.utf8.starts(with: "\(try #require(error.field)): ".utf8))
    }
}
