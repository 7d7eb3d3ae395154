import Contract
import Testing

@testable import Server

@Suite struct TokenTests {
    @Test func aTokenHasAHashAndNotItsSecret() throws {
        let (made, secret) = token("kitchen-tablet")
        #expect(secret.utf8.count == 22)  // 128 bits in base64url
        #expect(made.sha256.utf8.count == 64)
        let file = String(decoding: list(made).file, as: UTF8.self)
        #expect(!file.contains(secret))
        #expect(token("kitchen-tablet").secret != secret)
    }

    @Test(arguments: [
        ("", Role.control, ["*"], AccessToken.Use.page),
        ("Kitchen", .control, ["*"], .page),
        ("kitchen tablet", .control, ["*"], .page),
        ("a/b", .control, ["*"], .page),
        (String(repeating: "a", count: 65), .control, ["*"], .page),
        ("a", .control, [], .page),
        ("a", .control, ["porch"], .page),
        ("a", .control, ["porch/*", "a/b/c"], .page),
        ("a", .control, ["*"], .url),
        ("a", .manage, ["*"], .url),
        ("a", .metrics, ["*"], .page),
        ("a", .metrics, ["*"], .url),
        ("a", .look, ["*"], .metrics),
        ("a", .metrics, ["porch/*"], .metrics),
    ])
    func whatIsNoTokenIsNotMade(name: String, role: Role, cameras: [String], use: AccessToken.Use) {
        #expect(throws: AccessError.self) {
            try AccessToken.make(name: name, role: role, cameras: cameras, use: use)
        }
    }

    @Test func aFileHasTheTokensThatWereWritten() throws {
        let tokens = list(
            token("a").token, token("b", .manage, cameras: ["porch/*", "*/door"]).token,
            token("c", .look, use: .url).token, token("d", .metrics, use: .metrics).token)
        #expect(try TokenList(file: tokens.file) == tokens)
        #expect(try TokenList(file: TokenList().file).isEmpty)
    }

    @Test(arguments: [
        ("", "no JSON list"), ("{}", "no JSON list"), ("[1]", "no JSON list"), ("[{}]", "no JSON list"),
        ("[", "no JSON list"), ("null", "no JSON list"),
        (#"[{"name":"a","role":"admin","cameras":["*"],"use":"page","sha256":"\#(zeros)"}]"#, "no JSON list"),
        (
            #"[{"name":"A","role":"look","cameras":["*"],"use":"page","sha256":"\#(zeros)"}]"#,
            "name of a token"
        ),
        (#"[{"name":"a","role":"look","cameras":["x"],"use":"page","sha256":"\#(zeros)"}]"#, "patterns"),
        (#"[{"name":"a","role":"look","cameras":["*"],"use":"page","sha256":"00"}]"#, "64 hexadecimal"),
        (#"[{"name":"a","role":"control","cameras":["*"],"use":"url","sha256":"\#(zeros)"}]"#, "role look"),
        ("[\(entry),\(entry)]", "two tokens"),
    ])
    func aFileWithAnErrorSaysWhich(file: String, reason: String) {
        let error = #expect(throws: AccessError.self) { try TokenList(file: Array(file.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }

    static let zeros = String(repeating: "0", count: 64)
    static let entry = #"{"name":"a","role":"look","cameras":["*"],"use":"page","sha256":"\#(zeros)"}"#

    @Test func aFileHasAtMostAThousandTokens() {
        let entries = (0...1000).map {
            #"{"name":"a\#($0)","role":"look","cameras":["*"],"use":"page","sha256":"\#(Self.zeros)"}"#
        }
        #expect(throws: AccessError.self) {
            try TokenList(file: Array("[\(entries.joined(separator: ","))]".utf8))
        }
    }

    @Test func aTokenReplacesTheOneOfItsName() {
        let (old, oldSecret) = token("a"), (new, newSecret) = token("a")
        let tokens = list(old, new)
        #expect(tokens.tokens == [new])
        #expect(oldSecret != newSecret)
    }

    @Test func aTokenIsTakenAwayOnce() {
        var tokens = list(token("a").token)
        #expect(tokens.remove("b") == false)
        #expect(tokens.remove("a") == true)
        #expect(tokens.remove("a") == false)
        #expect(tokens.isEmpty)
    }
}
