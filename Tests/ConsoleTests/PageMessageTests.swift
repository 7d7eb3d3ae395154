import Testing

@testable import Contract
@testable import Server

@Suite struct PageMessageTests {
    private func message(_ text: String) -> Result<PageMessage, PageError> { message(Array(text.utf8)) }

    private func message(_ bytes: [UInt8]) -> Result<PageMessage, PageError> {
        Result { () throws(PageError) in try PageMessage(bytes) }
    }

    @Test func everyKindIsRead() {
        #expect(message(#"{"token":"x"}"#) == .success(.token("x")))
        #expect(
            message(#"{"open":["porch/door","a/b"]}"#)
                == .success(.open([camera("porch/door"), camera("a/b")])))
        #expect(message(#"{"open":[]}"#) == .success(.open([])))
        #expect(
            message(#"{"watch":[{"camera":"porch/door","width":960,"fps":30}]}"#)
                == .success(.watch([PreviewRequest(camera: camera("porch/door"), width: 960, rate: 30)])))
        #expect(message(#"{"drawn":17}"#) == .success(.drawn(17)))
        #expect(
            message(#" { "drawn" : 17 } "#) == .success(.drawn(17)), "the usual form has a reader of its own")
        #expect(message(#"{"drawn":999999999999999}"#) == .success(.drawn(999_999_999_999_999)))
        let payload: JSONObject = [
            "factor": .integer(2), "rate": .number(0.5), "list": .list([.null, .flag(true), .text("x")]),
            "object": .object(["a": .integer(-1)]),
        ]
        #expect(
            message(
                #"{"command":{"id":"a17","camera":"porch/door","node":"zoom","payload":{"factor":2,"rate":0.5,"list":[null,true,"x"],"object":{"a":-1}}}}"#
            )
                == .success(.command(try! PageCommand("a17", "porch/door", "zoom", payload))))
    }

    /// 1007: no valid JSON, or not the form of a message.
    @Test(arguments: [
        "", " ", "{", "{}", "[]", "null", "17", "\"drawn\"", "{\"drawn\":}", "{\"drawn\":null}",
        "{\"drawn\":1.5}",
        "{\"drawn\":\"1\"}", "{\"drawn\":17}{}", "{\"drawn\":17", "{\"drawn\":99999999999999999999}",
        "{\"drawn\":1}}", "{\"unknown\":1}", "{\"open\":1}", "{\"open\":[1]}", "{\"open\":null}",
        "{\"token\":1}",
        "{\"token\":\"x\",\"drawn\":1}", "{\"watch\":[{}]}",
        "{\"watch\":[{\"camera\":\"a/b\",\"width\":960}]}",
        "{\"watch\":[{\"camera\":\"a/b\",\"width\":960.5,\"fps\":1}]}", "{\"command\":{}}",
        "{\"command\":{\"camera\":\"a/b\",\"node\":\"zoom\"}}",
        "{\"command\":{\"camera\":\"a/b\",\"node\":\"zoom\",\"payload\":[]}}",
        "{\"command\":{\"camera\":\"a/b\",\"node\":\"zoom\",\"payload\":\"ON\"}}",
        "{\"command\":{\"camera\":\"a/b\",\"node\":1,\"payload\":{}}}",
        "{\"command\":{\"camera\":\"a/b\",\"node\":\"zoom\",\"payload\":{\"factor\":1e999}}}",
    ])
    func whatIsNoMessageIsInvalidData(text: String) {
        guard case .failure(let error) = message(text) else {
            return #expect(Bool(false), "it was read: \(text)")
        }
        #expect(error.code == .invalidData)
    }

    @Test func textThatIsNotUTF8IsInvalidData() {
        for bytes in [
            [0xFF], Array("{\"token\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8),
            Array("{\"drawn\":1}".utf8) + [0xFF],
        ] {
            guard case .failure(let error) = message(bytes) else {
                #expect(Bool(false), "\(bytes) was read"); continue
            }
            #expect(error.code == .invalidData)
        }
    }

    @Test func deepNestingIsRefused() {
        for depth in [600, 20_000] {
            let text =
                #"{"command":{"camera":"a/b","node":"zoom","payload":{"a":"#
                + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}}}"
            guard case .failure(let error) = message(text) else { #expect(Bool(false)); continue }
            #expect(error.code == .invalidData)
        }
    }

    /// 1008: a message of the protocol that is not permitted.
    @Test(arguments: [
        #"{"open":["porch"]}"#, #"{"open":["porch/door","porch/door"]}"#, #"{"open":["Porch/door"]}"#,
        #"{"open":["groups/all"]}"#, #"{"open":["porch/+"]}"#, #"{"open":["porch/#"]}"#,
        #"{"open":["a/b/c"]}"#,
        #"{"watch":[{"camera":"a/b","width":15,"fps":1}]}"#,
        #"{"watch":[{"camera":"a/b","width":4097,"fps":1}]}"#,
        #"{"watch":[{"camera":"a/b","width":960,"fps":0.09}]}"#,
        #"{"watch":[{"camera":"a/b","width":960,"fps":61}]}"#,
        #"{"watch":[{"camera":"a/b","width":960,"fps":-1}]}"#,
        #"{"command":{"id":"","camera":"a/b","node":"zoom","payload":{}}}"#,
        #"{"command":{"id":"a-b","camera":"a/b","node":"zoom","payload":{}}}"#,
        #"{"command":{"id":"ä","camera":"a/b","node":"zoom","payload":{}}}"#,
        #"{"command":{"id":"123456789012345678901234567890123","camera":"a/b","node":"zoom","payload":{}}}"#,
        #"{"command":{"camera":"a","node":"zoom","payload":{}}}"#,
        #"{"command":{"camera":"a/b","node":"zoom","payload":{"client":"other"}}}"#,
        #"{"command":{"camera":"a/b","node":"zoom","payload":{"client":null}}}"#,
        #"{"command":{"camera":"a/b","node":"zoom","payload":{"id":"1"}}}"#,
        #"{"command":{"camera":"a/b","node":"zoom","payload":{"ts":"2026-01-01T00:00:00Z"}}}"#,
    ])
    func whatIsNotPermittedIsAgainstThePolicy(text: String) {
        guard case .failure(let error) = message(text) else {
            return #expect(Bool(false), "it was read: \(text)")
        }
        #expect(error.code == .policy)
        #expect(error.reason.utf8.count <= 123)
    }

    @Test func aPageOpensAtMost64Cameras() {
        let names = (0...64).map { "a/c\($0)" }
        func list(_ count: Int) -> String { names.prefix(count).map { "\"\($0)\"" }.joined(separator: ",") }
        #expect((try? message("{\"open\":[\(list(64))]}").get()) != nil)
        guard case .failure(let error) = message("{\"open\":[\(list(65))]}") else {
            return #expect(Bool(false))
        }
        #expect(error.code == .policy)
    }

    @Test func aTokenHasAtMost256Bytes() {
        let long = String(repeating: "a", count: 257)
        #expect(message("{\"token\":\"\(long.dropLast())\"}") == .success(.token(String(long.dropLast()))))
        guard case .failure(let error) = message("{\"token\":\"\(long)\"}") else {
            return #expect(Bool(false))
        }
        #expect(error.code == .policy)
    }

    @Test func aReasonHasAtMost123Bytes() {
        #expect(PageError(.policy, String(repeating: "ä", count: 100)).reason.utf8.count == 122)
        #expect(PageError(.policy, "short").reason == "short")
    }
}
