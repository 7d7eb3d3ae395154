import Contract
import FoundationEssentials
import Glibc
import TestSupport
import Testing
import ZoomModel

/// How values become bytes.
struct JSONTests {
    func written(_ message: some Encodable) -> String {
        String(decoding: JSON.bytes(message), as: UTF8.self)
    }

    func text(_ form: some Form) -> String { String(decoding: form.bytes, as: UTF8.self) }

    @Test(arguments: [
        (1.0, "1"), (-3, "-3"), (0.5, "0.5"), (1e-7, "1e-07"), (1e15, "1000000000000000.0"), (1e20, "1e+20"),
        (123_456_789_012, "123456789012"),
        (0.1 + 0.2, "0.30000000000000004"), (.infinity, "null"), (.nan, "null"),
    ])
    func aNumberIsAsShortAsItCanBe(number: Double, text: String) {
        #expect(written(number) == text)
    }

    @Test(arguments: 1...2) func aNumberHasTheDigitsOfItsDescription(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<2000 {
            let size = Double.random(in: -4...10, using: &random)
            let number = Double.random(in: -1...1, using: &random) * pow(10, size)
            for each in [number, number.forMessages, (number * 100).rounded() / 100]
            where each != each.rounded() {
                #expect(written(each) == each.description)
            }
        }
    }

    @Test(arguments: [
        "", "plain", "\"quoted\" \\ back", "line\nbreak\ttab\u{1F}", "tür 😀 e\u{301}",
        "</script>\u{2028}",
    ])
    func anyTextComesBackAsItWas(text: String) {
        #expect(JSON.value([String].self, from: JSON.bytes([text])) == [text])
        #expect(JSON.bytes([text]).allSatisfy { $0 >= 0x20 })
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
        #expect(written([Int]()) == "[]")
        #expect(written([String: Int]()) == "{}")
        #expect(written([[Int]()]) == "[[]]")
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
        #expect(throws: EncodingError.self) { try JSON.exactBytes(["a": Double.nan]) }
        #expect(try JSON.exactBytes(["a": 1.5]) == Array(#"{"a":1.5}"#.utf8))
    }

    @Test func objectsWithTheSameMembersAreEqual() throws {
        let one = try #require(JSON(Array(#"{"a":{"x":1,"y":[2]},"b":null}"#.utf8)))
        let other = try #require(JSON(Array(#"{"b":null,"a":{"y":[2],"x":1}}"#.utf8)))
        #expect(one == other && one.hashValue == other.hashValue)
        for text in [#"{"b":null,"a":{"y":[2],"x":2}}"#, #"{"b":null}"#, #"{"b":null,"c":{"y":[2],"x":1}}"#] {
            #expect(JSON(Array(text.utf8)) != one)
        }
    }

    /// What a type that decodes itself meets.
    @Test func valuesAreDecodedAsTheirTypesSay() throws {
        struct Parts: Decodable, Equatable {
            let flags: [Bool?], small: UInt8, real: Float, whole: Int, names: [String: [Double]]
        }
        let text = #"{"flags":[true,null],"small":255,"real":1,"whole":2.0,"names":{"a":[1,2.5],"é":[]}}"#
        let parts = JSON.value(Parts.self, from: Array(text.utf8))
        #expect(
            parts
                == Parts(
                    flags: [true, nil], small: 255, real: 1, whole: 2, names: ["a": [1, 2.5], "é": []]))
        for wrong in ["256", "-1", "1.5", "\"1\"", "null", "true", "[]"] {
            #expect(JSON.value([UInt8].self, from: Array("[\(wrong)]".utf8)) == nil, "\(wrong)")
        }
        let many = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", $0) })
        #expect(JSON.value([String: Int].self, from: JSON.bytes(many)) == many)
        #expect(JSON.value(Int.self, from: Array("1".utf8)) == 1)
        let error = #expect(throws: DecodingError.self) {
            try JSON(reading: Array(#"{"flags":[true],"small":1,"real":1,"whole":{}}"#.utf8)).decoded(
                as: Parts.self)
        }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["whole"])
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
        let command = Command(for: .zoom, payload: JSON.bytes(.object(fields)))
        #expect(command.envelope.id == "a")
        let goal = ZoomGoal(.factor(2.5), rate: 1, anchor: Point(x: 0.25, y: 0.75))
        #expect(try command.body.get() == .zoom(.go(goal)))
    }
}
