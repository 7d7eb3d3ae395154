import Contract
import FoundationEssentials
import Glibc
import TestSupport
import Testing
import ZoomModel

/// How values become bytes.
struct JSONTests {
    func written(_ value: JSON) -> String { String(decoding: JSON.bytes(value), as: UTF8.self) }

    func text(_ form: some Form) -> String { String(decoding: JSON.bytes(form), as: UTF8.self) }

    @Test(arguments: [
        (1.0, "1"), (-3, "-3"), (0.5, "0.5"), (1e-7, "1e-07"), (1e15, "1000000000000000.0"), (1e20, "1e+20"),
        (123_456_789_012, "123456789012"),
        (0.1 + 0.2, "0.30000000000000004"), (.infinity, "null"), (.nan, "null"),
    ])
    func aNumberIsAsShortAsItCanBe(number: Double, text: String) {
        #expect(written(.number(number)) == text)
    }

    @Test(arguments: 1...2) func aNumberHasTheDigitsOfItsDescription(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let size = Double.random(in: -4...10, using: &random)
            let number = Double.random(in: -1...1, using: &random) * pow(10, size)
            for each in [number, number.forMessages, (number * 100).rounded() / 100]
            where each != each.rounded() {
                #expect(written(.number(each)) == each.description)
            }
        }
    }

    @Test(arguments: [
        "", "plain", "\"quoted\" \\ back", "line\nbreak\ttab\u{1F}", "tür 😀 e\u{301}",
        "</script>\u{2028}",
    ])
    func anyTextComesBackAsItWas(text: String) {
        let bytes = JSON.bytes(JSON.text(text))
        #expect(JSON(bytes)?.text == text)
        #expect(bytes.allSatisfy { $0 >= 0x20 })
    }

    @Test func fieldsComeInTheOrderInWhichTheyAreDeclared() {
        #expect(
            text(Origin(client: "phone", id: "a", kind: .command))
                == #"{"client":"phone","proved":false,"id":"a","kind":"command"}"#)
        #expect(
            text(Viewport(x: 0, y: 0.25, width: 1, height: 0.5))
                == #"{"x":0,"y":0.25,"width":1,"height":0.5}"#)
    }

    @Test func emptyListsAndObjectsAreWritten() {
        #expect(written(.list([])) == "[]")
        #expect(written(.object([:])) == "{}")
        #expect(written(.list([.list([])])) == "[[]]")
    }

    /// As Foundation writes it, for people and programs that know that.
    @Test func indentedJSONIsThatOfFoundation() throws {
        let json = #"{"b":[1,[],{},{"a":true,"Z":null}],"a":{"x":1.5,"w":"tür / \"x\""},"c":"","d":[[2]]}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
        let tree = try #require(JSON(Array(json.utf8)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let expected = String(decoding: try encoder.encode(value), as: UTF8.self)
        #expect(tree.indented == expected)
    }

    @Test func aNumberThatIsNoneCannotBeReadAgain() throws {
        #expect(throws: CommandError.self) { try JSON.exactBytes(Point(x: .nan, y: 0)) }
        #expect(try JSON.exactBytes(Point(x: 0.5, y: 0)) == Array(#"{"x":0.5,"y":0}"#.utf8))
    }

    @Test func objectsWithTheSameMembersAreEqual() throws {
        let one = try #require(JSON(Array(#"{"a":{"x":1,"y":[2]},"b":null}"#.utf8)))
        let other = try #require(JSON(Array(#"{"b":null,"a":{"y":[2],"x":1}}"#.utf8)))
        #expect(one == other && one.hashValue == other.hashValue)
        for text in [#"{"b":null,"a":{"y":[2],"x":2}}"#, #"{"b":null}"#, #"{"b":null,"c":{"y":[2],"x":1}}"#] {
            #expect(JSON(Array(text.utf8)) != one)
        }
    }

    @Test func messagesComeBackAsTheyWere() {
        var reply = Reply(.done, boot: 7, ts: "2026-11-21T09:05:38.958Z")
        reply.photos = [.example]
        reply.values = ["a": .flag(false), "b": .number(1), "c": .number(0.5)]
        #expect(JSON.value(Reply.self, from: JSON.bytes(reply)) == reply)
        #expect(JSON.value(Reply.self, from: Array("{".utf8)) == nil)
    }

    @Test func whatAControllerWritesIsWhatAnAgentReads() throws {
        let fields: JSONObject = [
            "id": .text("a"), "factor": .number(2.5), "rate": .number(1), "position": nil,
            "anchor": .object(["x": .number(0.25), "y": .number(0.75)]),
        ]
        let command = Command(for: .zoom, payload: JSON.bytes(JSON.object(fields)))
        #expect(command.envelope.id == "a")
        let goal = ZoomGoal(.factor(2.5), rate: 1, anchor: Point(x: 0.25, y: 0.75))
        #expect(try command.body.get() as? ZoomCommand == (.go(goal)))
    }
}
