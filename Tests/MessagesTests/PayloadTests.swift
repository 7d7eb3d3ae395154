import Testing

@testable import Contract

/// Payloads that are no commands at all.
struct PayloadTests {
    /// These payloads are too long for `malformed.json`. The nodes left out also accept words.
    @Test(arguments: [String(repeating: "[", count: 1000), String(repeating: #"{"a":"#, count: 3_000)])
    func deeplyNestedJSONIsRefused(payload: String) {
        for node in Node.allCases where ![.recording, .session, .preview, .privacy].contains(node) {
            expectRefusal(node, payload, field: nil)
        }
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

    @Test func aPayloadOf16KiBIsRead() {
        let padding = String(repeating: " ", count: 16_384 - 12)
        #expect(refusal(.zoom, #"{"factor":2}"# + padding) == nil)
        expectRefusal(.zoom, #"{"factor":2}"# + padding + " ", .tooLarge, field: nil)
        expectRefusal(.capture, String(repeating: " ", count: 16_385), .tooLarge, field: nil)
    }

    @Test(arguments: [
        // Fields of the command, of an object in it, and elements of a list.
        (Node.controls, "{", #""c$":1"#, "}"), (.desired, #"{"version":1,"controls":{"#, #""c$":1"#, "}}"),
        (.touch, #"{"gesture":"g","touches":["#, "0", "]}"),
    ])
    func anObjectOrListHasAtMost64Members(node: Node, start: String, member: String, end: String) throws {
        func payload(_ count: Int) -> String {
            let members = (0..<count).map { member.split(separator: "$").joined(separator: "\($0)") }
            return start + members.joined(separator: ",") + end
        }
        let words = "The payload has an object or a list with more than 64 fields or elements."
        #expect(refusal(node, payload(64))?.message != words)
        let error = try #require(refusal(node, payload(65)))
        #expect(error.code == .badPayload && error.message == words)
    }

    @Test func commasAndBracketsInTextsAreNoMembers() {
        let text = String(repeating: ",[{", count: 20)
        #expect(
            refusal(.zoom, #"{"factor":2,"id":"\"\#(text)","client":"\\","ts":"2026-01-31T12:00:00Z"}"#)
                == nil)
    }

    @Test func whatFollowsTheBoundsIsNotRead() {
        let tooDeep = #"{"zoom":[[[["#
        let tooMany = "[" + String(repeating: "0,", count: 64)
        for beginning in [tooDeep, tooMany] {
            // Neither is JSON: the reader of JSON would name the place.
            #expect(refusal(.zoom, beginning + "}}")?.message.hasPrefix("The payload has ") == true)
        }
    }

    @Test func theNameOfAFieldIsQuotedInFullUpTo64Letters() throws {
        let name = String(repeating: "n", count: 3000)
        let error = try #require(refusal(.zoom, #"{"\#(name)":1}"#))
        #expect(error.field == String(name.prefix(64)))
        #expect(error.message.count < 200)
    }

    /// Also with names and values that are not letters: a client chooses the names of controls, and one
    /// letter may have any number of accents.
    @Test(arguments: [
        (Node.controls, #"{"\#(String(repeating: "n", count: 16_000))":"x"}"#),
        (.desired, #"{"version":1,"controls":{"\#(String(repeating: "n", count: 16_000))":null}}"#),
        (.zoom, #"{"a\#(String(repeating: "\u{301}", count: 8_000))":1}"#),
        (.zoom, #"{"factor":"a\#(String(repeating: "\u{301}", count: 8_000))"}"#),
    ])
    func anErrorIsShortHoweverLongThePayload(node: Node, payload: String) throws {
        let error = try #require(refusal(node, payload))
        #expect(JSON.bytes(error).count < 1024)
        #expect(error.message.utf8.starts(with: "\(try #require(error.field)): ".utf8))
    }
}
