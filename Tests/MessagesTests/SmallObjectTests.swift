import FoundationEssentials
import Glibc
import Messages
import TestSupport
import Testing

/// What the reader of small objects takes, Jansson reads as the same; all else it leaves to Jansson.
struct SmallObjectTests {
    // MARK: What it takes

    @Test(arguments: [
        "{}", " {\t} \r\n", #"{"":0}"#, #"{"a":"","b":" "}"#, #"{"a":true,"b":false,"c":null}"#,
        #"{"a":0,"b":-0,"c":-1,"d":999999999999999}"#, #"{"a":0.0,"b":-0.0,"c":0.1,"d":-123.456}"#,
        #"{"a":0.30000000000001,"b":99999999999999.9,"c":2.7183}"#, "{\"a\u{7F}\":\"\u{7F}~\"}",
        #"{"gesture":"flood","client":"flood","phase":"changed","seq":1,"scale":1.2010}"#,
        #" { "factor" : 2.5 , "id" : "a" } "#,
        #"{"a":{}}"#, #"{"a":{"a":1},"b":{"a":null,"b":""}}"#,
        #"{"gesture":"g","phase":"changed","seq":1,"scale":1.2010,"anchor":{"x":0.25,"y":0.75}}"#,
        #"{"gesture":"g","phase":"began","anchor":{"x":0.25}}"#, #"{"factor":2,"anchor":{"x":"0","y":1}}"#,
        #"{"a":{"b":{}}}"#, #"{"a":{"b":{"c":1,"d":null},"e":2},"f":3}"#,
        #"{"command":{"id":"1","camera":"porch/door","node":"zoom","payload":{"factor":2.5}}}"#,
    ])
    func simpleObjectsAreReadWithoutJansson(payload: String) throws {
        _ = try #require(SmallObject(Array(payload.utf8)))
        checkSame(Array(payload.utf8))
    }

    @Test(arguments: [
        "", "{", "}", "[]", "1", "true", #""a""#, "{}{}", "{} x", "{\0}", "{}\0",
        // Lists, and objects three levels inside.
        #"{"a":[]}"#, #"{"a":{"b":{"c":{}}}}"#, #"{"a":{"b":[]}}"#, #"{"a":{"b":{"c":[]}}}"#,
        // Objects that are not whole.
        #"{"a":{}"#, #"{"a":{"b":1,}}"#, #"{"a":{"b":1]}"#, #"{"a":{"b"}}"#, #"{"a":{"b":1,"b":1}}"#,
        #"{"a":{"b":{"c":1,"c":1}}}"#, #"{"a":{"b":{"c":1}}"#, #"{"a":{"b":{"c":1,}}}"#,
        #"{"a":{{}}}"#,
        // An object behind the beginning of another value.
        #"{"a":-{}}"#, #"{"a":1.{}}"#, "{\"a\":\"\n{}}", #"{"a":"{}}"#, #"{"a":t{}}"#, #"{"a":true{}}"#,
        // Names twice.
        #"{"a":1,"a":1}"#, #"{"a":1,"b":1,"a":2}"#,
        // Texts.
        #"{"a":"\n"}"#, #"{"\u0061":1}"#, "{\"a\":\"\n\"}", "{\"a\":\"é\"}", "{\"é\":1}", #"{"a":"b}"#,
        #"{"a":"\"#, "{\"a\":\"\0\"}",
        // Numbers.
        #"{"a":1e5}"#, #"{"a":1E5}"#, #"{"a":1000000000000000}"#, #"{"a":0.1234567890123456}"#, #"{"a":01}"#,
        #"{"a":-}"#, #"{"a":- 1}"#, #"{"a":+1}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":-.5}"#, #"{"a":00.5}"#,
        #"{"a":1.5.5}"#, #"{"a":NaN}"#, #"{"a":0x1}"#, #"{"a":99999999999999999999999999999999.5}"#,
        // Words and signs.
        #"{"a":True}"#, #"{"a":tru}"#, #"{"a":truely}"#, #"{"a":nullnull}"#, #"{"a"}"#, #"{"a":}"#,
        #"{"a":1,}"#,
        #"{,}"#, #"{"a":1 "b":1}"#, #"{"a" "b"}"#, #"{a:1}"#, #"{"a":1"#, #"{"a":1]"#, #"{'a':1}"#,
    ])
    func allElseIsForJansson(payload: String) {
        #expect(SmallObject(Array(payload.utf8)) == nil)
    }

    @Test func longObjectsAreForJansson() {
        let members = (0..<17).map { #""\#($0)":0"# }
        #expect(SmallObject(Array("{\(members.dropLast().joined(separator: ","))}".utf8)) != nil)
        #expect(SmallObject(Array("{\(members.joined(separator: ","))}".utf8)) == nil)
        #expect(SmallObject(Array("{}".utf8) + padding.dropFirst(2)) != nil)
        #expect(SmallObject(Array("{}".utf8) + padding) == nil)
    }

    // MARK: The same as Jansson

    /// White space, which makes any payload too long for the reader of small objects.
    private let padding = [UInt8](repeating: 0x20, count: 1024)

    /// Whether a payload is read as a small object. If so, each node reads the same command from it as from
    /// what Jansson makes of it, or the same error.
    @discardableResult
    private func checkSame(_ payload: [UInt8]) -> Bool {
        guard SmallObject(payload) != nil else { return false }
        #expect(JSON.isObject(payload + padding), "\(String(decoding: payload, as: UTF8.self)) is no object")
        for node in Node.allCases {
            let small = Command(for: node, payload: payload)
            let whole = Command(for: node, payload: payload + padding)
            let isSame = small.envelope == whole.envelope && small.body == whole.body
            #expect(isSame, "\(node): \(String(decoding: payload, as: UTF8.self)): \(small), \(whole)")
            guard case .success(.controls(let read)) = small.body,
                case .success(.controls(let expected)) = whole.body
            else { continue }
            // To the last bit: 0 and -0 are equal.
            #expect(
                read.values.mapValues { "\($0)" } == expected.values.mapValues { "\($0)" },
                "\(String(decoding: payload, as: UTF8.self))")
        }
        return true
    }

    @Test func theCasesAreReadAsByJansson() throws {
        let cases = try CommandCase.ofNodes() + CommandCase.common() + CommandCase.malformed()
        #expect(cases.filter { checkSame(Array($0.payload.utf8)) }.count > 300)
    }

    @Test func theFuzzingCorpusIsReadAsByJansson() throws {
        #expect(try Corpus(of: "commands").inputs.filter { checkSame($0.bytes) }.count > 10)
    }

    @Test(arguments: 1...4) func mutationsAreReadAsByJansson(seed: UInt64) throws {
        let cases = try CommandCase.ofNodes() + CommandCase.malformed()
        let all =
            try cases.map { Array($0.payload.utf8) }.filter { $0.count < 300 }
            + Corpus(of: "commands").inputs.map(\.bytes)
        let small = all.filter { SmallObject($0) != nil }
        var mutator = Mutator(random: SeededGenerator(seed: seed))
        var taken = 0
        for _ in 0..<1500 {
            let originals = mutator.below(4) == 0 ? all : small
            var payload = originals[mutator.below(originals.count)]
            for _ in 0...mutator.below(3) { mutator.mutate(&payload) }
            if checkSame(payload) { taken += 1 }
        }
        #expect(taken > 150, "the mutations are seldom small objects")
    }

    /// Numbers, which are read by other code than Jansson's.
    @Test(arguments: 1...2) func numbersAreReadAsByJansson(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var taken = 0
        for _ in 0..<1500 {
            let digits = (0..<Int.random(in: 1...17, using: &random)).map { _ in
                "\(Int.random(in: 0...9, using: &random))"
            }.joined()
            let fraction = digits.suffix(Int.random(in: 0...digits.count, using: &random))
            let sign = Bool.random(using: &random) ? "-" : ""
            let number = "\(sign)\(digits.dropLast(fraction.count)).\(fraction)"
            let payload = #"{"scale":\#(fraction.isEmpty ? String(number.dropLast()) : number)}"#
            if checkSame(Array(payload.utf8)) { taken += 1 }
        }
        #expect(taken > 500)
    }

    /// Whatever stands between a name and an object inside: up to three characters, each of those at which a
    /// value begins or breaks.
    @Test func objectsBehindOtherCharactersAreReadAsByJansson() {
        let characters = Array(" \n\0\"\\-+.019etfn{}[],:".utf8)
        var prefixes: [[UInt8]] = [[]]
        var taken = 0
        for _ in 0...3 {
            for prefix in prefixes {
                let payload = Array(#"{"anchor":"#.utf8) + prefix + Array(#"{"x":0.5}}"#.utf8)
                if checkSame(payload) { taken += 1 }
            }
            prefixes = prefixes.flatMap { prefix in characters.map { prefix + [$0] } }
        }
        // Only white space.
        #expect(taken == 1 + 2 + 4 + 8)
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
