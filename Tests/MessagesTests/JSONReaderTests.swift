import FoundationEssentials
import TestSupport
import Testing

@testable import Contract

/// What is read as JSON, and what is wrong with what isn't.
struct JSONReaderTests {
    private func read(_ text: String) -> JSON? { JSON(Array(text.utf8)) }

    // MARK: Values

    @Test(arguments: [
        (
            #" {"a": 1, "b": 2.5, "c": "x", "d": true, "e": null, "f":false} "#,
            #"{"a":1,"b":2.5,"c":"x","d":true,"e":null,"f":false}"#
        ),
        (#"{"a": {"b": {"c": [1, [], {}]}}}"#, #"{"a":{"b":{"c":[1,[],{}]}}}"#),
        (
            #"["\u00e9", "é", "\ud83d\ude00\u0041", "\"\\\/\b\f\n\r\t"]"#,
            "[\"é\",\"é\",\"😀A\",\"\\\"\\\\/\\u0008\\u000c\\u000a\\u000d\\u0009\"]"
        ),
        ("17", "17"), ("null", "null"), ("\t\r\n\"\u{7F}\"", "\"\u{7F}\""), ("{}", "{}"), ("[]", "[]"),
        (#"{"z":1,"a":2,"":3}"#, #"{"z":1,"a":2,"":3}"#),
    ])
    func eachFormIsReadAndWrittenInItsOrder(text: String, expected: String) throws {
        let value = try #require(read(text))
        #expect(String(decoding: JSON.bytes(value), as: UTF8.self) == expected)
        #expect(JSON(JSON.bytes(value)) == value)
    }

    @Test(
        arguments: [
            ("0", .integer(0)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("0.0", .number(0)), ("1.0", .number(1)),
            ("1e2", .number(100)),
            ("-12.50E-1", .number(-1.25)), ("1e-400", .number(0)),
            ("0.1234567890123456", .number(0.1234567890123456)),
            ("123456789012345.5", .number(123_456_789_012_345.5)),
            ("18446744073709551615.5", .number(1.8446744073709552e19)),
        ] as [(String, JSON)])
    func aNumberIsReadExactly(text: String, value: JSON) { #expect(read(text) == value) }

    @Test(arguments: 1...2) func numbersAreReadAsByTheStandardLibrary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            func digits(_ range: ClosedRange<Int>) -> String {
                (0..<Int.random(in: range, using: &random)).map { _ in
                    "\(Int.random(in: 0...9, using: &random))"
                }
                .joined()
            }
            let whole =
                ["", "-"].randomElement(using: &random)! + ["0", "7", "1" + digits(0...18)].randomElement(
                    using: &random)!
            let text = "\(whole).\(digits(1...18))"
            guard case .number(let number)? = read(text) else {
                Issue.record("\(text) is no number")
                continue
            }
            // To the last bit: 0 and -0 are equal.
            #expect("\(number)" == "\(Double(text)!)", "\(text)")
        }
    }

    /// Whatever is read is what Foundation reads. What JSON forbids, Foundation may take.
    @Test(arguments: 1...4) func mutationsAreReadAsByFoundation(seed: UInt64) throws {
        let cases = try CommandCase.ofNodes() + CommandCase.malformed()
        let originals = cases.map { Array($0.payload.utf8) }.filter { $0.count < 300 }
        var mutator = Mutator(random: SeededGenerator(seed: seed))
        var taken = 0
        for _ in 0..<1500 {
            var payload = originals[mutator.below(originals.count)]
            for _ in 0...mutator.below(3) { mutator.mutate(&payload) }
            guard let value = JSON(payload) else { continue }
            taken += 1
            let expected = try? JSONDecoder().decode(JSONValue.self, from: Data(payload))
            let found = try? JSONDecoder().decode(JSONValue.self, from: Data(JSON.bytes(value)))
            #expect(expected != nil && found == expected, "\(String(decoding: payload, as: UTF8.self))")
        }
        #expect(taken > 150, "mutations are seldom JSON")
    }

    // MARK: What is none

    @Test(arguments: [
        ("", 1, 0, "unexpected token near end of file"), ("nul", 1, 3, "invalid token near 'nul'"),
        ("{", 1, 1, "string or '}' expected near end of file"),
        (#"{"a" 1}"#, 1, 6, "':' expected near '1'"), (#"{"a":1 "b":1}"#, 1, 10, #"'}' expected near '"b"'"#),
        ("{\"a\":1,\n\"é\":2,}", 2, 7, "string or '}' expected near '}'"),
        (#"{"a":1,"a":1}"#, 1, 10, #"duplicate object key near '"a"'"#),
        ("{} {}", 1, 4, "end of file expected near '{'"),
        ("[1", 1, 2, "']' expected near end of file"), ("[1,]", 1, 4, "unexpected token near ']'"),
        ("01", 1, 1, "invalid token near '0'"), ("[-]", 1, 2, "invalid token near '-'"),
        ("1.", 1, 2, "invalid token near '1.'"),
        ("1e+", 1, 3, "invalid token near '1e+'"), (".5", 1, 1, "invalid token near '.'"),
        ("9223372036854775808", 1, 19, "too big integer near '9223372036854775808'"),
        ("-9223372036854775809", 1, 20, "too big negative integer near '-9223372036854775809'"),
        ("1e400", 1, 5, "real number overflow near '1e400'"),
        ("\"abc", 1, 4, "premature end of input near '\"abc'"),
        ("\"a\nb\"", 1, 2, "unexpected newline near '\"a'"),
        ("\"a\u{1}\"", 1, 2, "control character 0x1 near '\"a'"),
        (#""\x""#, 1, 3, #"invalid escape near '"\x'"#),
        (#""\u12g4""#, 1, 6, #"invalid escape near '"\u12g'"#),
        (#""\ud800""#, 1, 8, #"invalid Unicode '\uD800' near '"\ud800"'"#),
        (#""\ud800\u0041""#, 1, 14, #"invalid Unicode '\uD800\u0041' near '"\ud800\u0041"'"#),
        (#""\u0000""#, 1, 8, #"invalid Unicode '\u0000' near '"\u0000"'"#),
        (#"{"a":"a text of more than twenty bytes" 1}"#, 1, 41, "'}' expected near '1'"),
        (#""a text of more than twenty bytes" ""#, 1, 36, "premature end of input near '\"'"),
    ])
    func anErrorHasItsPlace(text: String, line: Int, column: Int, words: String) {
        expectError(Array(text.utf8), "line \(line), column \(column): \(words)")
    }

    @Test func whatIsNoTextIsRefused() {
        expectError([0xFF], "line 1, column 0: unable to decode byte 0xff")
        for bytes: [UInt8] in [[0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80]] {
            let payload = Array(#"{"a":"x"#.utf8) + bytes + Array(#""}"#.utf8)
            let byte = String(bytes[0], radix: 16)
            expectError(payload, "line 1, column 7: unable to decode byte 0x\(byte) near '\"x'")
        }
        expectError(Array("{}\0".utf8), "byte 3 is zero")
        expectError(Array("\"\0\"".utf8), "byte 2 is zero")
    }

    private func expectError(
        _ payload: [UInt8], _ words: String, at location: SourceLocation = #_sourceLocation
    ) {
        do throws(CommandError) {
            _ = try JSON(reading: payload)
            Issue.record("it was read", sourceLocation: location)
        } catch {
            #expect(error.code == .badPayload, sourceLocation: location)
            #expect(error.message == "The payload isn't valid JSON: \(words).", sourceLocation: location)
        }
    }

    // MARK: Bounds

    @Test func levelsAreCounted() {
        func nested(_ count: Int) -> [UInt8] {
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        for (bounds, levels) in [(JSONBounds.command, 4), (.any, 16)] {
            #expect((try? JSON(reading: nested(levels), within: bounds)) != nil)
            #expect(
                throws: CommandError(
                    .badPayload, "The payload has objects or lists in more than \(levels) levels.")
            ) {
                try JSON(reading: nested(levels + 1), within: bounds)
            }
            #expect((try? JSON(reading: nested(100_000), within: bounds)) == nil)
        }
        #expect(read("[[],[[]],{}]") != nil, "levels that have ended don't count")
    }

    @Test func membersAreCounted() {
        func object(_ count: Int) -> [UInt8] {
            Array("{\((0..<count).map { #""\#($0)":0"# }.joined(separator: ","))}".utf8)
        }
        func list(_ count: Int) -> [UInt8] {
            Array("[\(Array(repeating: "0", count: count).joined(separator: ","))]".utf8)
        }
        for payload in [object, list] {
            #expect((try? JSON(reading: payload(64), within: .command)) != nil)
            #expect(throws: CommandError.self) { try JSON(reading: payload(65), within: .command) }
            #expect((try? JSON(reading: payload(10_000))) != nil)
        }
    }

    @Test(arguments: [1, 2, 16, 17, 18, 40]) func aNameIsThereOnce(count: Int) {
        let members = (0..<count).map { #""\#($0)":0"# }
        #expect(read("{\(members.joined(separator: ","))}") != nil)
        for again in [0, count - 1] {
            #expect(read("{\((members + [members[again]]).joined(separator: ","))}") == nil)
        }
        #expect(read("[{\"a\":1},{\"a\":1}]") != nil)
    }
}

/// Changes payloads at random, mostly where it matters to a reader of JSON.
private struct Mutator {
    var random: SeededGenerator

    private static let parts = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", " ", "\n", "\t", "\0", "\u{1F}", "\u{7F}", "é", "0", "9",
        "-", ".", "e",
        "+", "true", "false", "null", "nul", "1e3", "0.1", "-0", "-0.0", "123456789012345",
        "1234567890123456", "\\u0061",
        "{}", "[]", #""client":"c","#, #","seq":3"#, #","id":"x""#, #","factor":2"#, #","scale":1.25"#,
        #"{"a":1}"#,
        "2.7182818284590451", "9223372036854775808", "18446744073709551615.5",
    ].map { Array($0.utf8) }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }

    mutating func mutate(_ payload: inout [UInt8]) {
        let place = below(payload.count + 1)
        switch below(5) {
        case 0: if place < payload.count { payload[place] = UInt8(below(256)) }
        case 1: if place < payload.count { payload.remove(at: place) }
        case 2: payload.insert(contentsOf: Self.parts[below(Self.parts.count)], at: place)
        // A part in the place of a value.
        case 3: replaceValue(in: &payload)
        // A piece of it once more.
        default: payload.insert(contentsOf: payload[below(place + 1)..<place], at: below(payload.count + 1))
        }
    }

    private mutating func replaceValue(in payload: inout [UInt8]) {
        let starts = payload.indices.filter {
            payload[$0] == UInt8(ascii: ":") || payload[$0] == UInt8(ascii: ",")
        }
        guard !starts.isEmpty else { return }
        let start = starts[below(starts.count)] + 1
        let end = payload[start...].firstIndex { ",}]".utf8.contains($0) } ?? payload.count
        payload.replaceSubrange(start..<end, with: Self.parts[below(Self.parts.count)])
    }
}
