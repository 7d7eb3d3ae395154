import FoundationEssentials
import TestSupport
import Testing
import ZoomModel

@testable import Contract

/// The fields that every command may carry.
struct EnvelopeTests {
    private static let bodies: [(Node, String)] = [
        (.zoom, #""factor":2"#), (.pinch, #""gesture":"g","phase":"began""#), (.capture, #""count":1"#),
        (.controls, #""brightness":1"#),
    ]

    @Test(arguments: bodies) func theyAreReadForEachNode(node: Node, body: String) {
        let json = """
            {"id":"a1","client":"phone","if_rev":118,"ts":"2026-11-21T09:05:38Z","ttl_ms":1500,\(body)}
            """
        let envelope = command(node, json).envelope
        #expect((envelope.id, envelope.client, envelope.ifRev) == ("a1", "phone", 118))
        #expect(envelope.expiry == Date(timeIntervalSince1970: 1_795_251_939.5))
    }

    @Test func noneOfThemIsNeeded() {
        #expect(command(.zoom, "2").envelope == Envelope())
        #expect(command(.zoom, #"{"factor":2}"#).envelope == Envelope())
    }

    @Test func idAndClientAreReadAlsoFromAnInvalidCommand() {
        let wrong = command(.zoom, #"{"factor":0,"client":"phone","id":"a1","if_rev":3}"#)
        #expect((wrong.envelope.id, wrong.envelope.client) == ("a1", "phone"))
        let condition = command(.zoom, #"{"factor":2,"client":"phone","id":"a1","if_rev":"x"}"#)
        #expect((condition.envelope.id, condition.envelope.client) == ("a1", "phone"))
        let other = command(.lease, #" {"take":true,"id":"a1"}"#)
        #expect(other.envelope.id == "a1")
    }

    @Test func aTimeWithoutATimeToLiveNeverExpires() {
        #expect(command(.zoom, #"{"factor":2,"ts":"2026-11-21T09:05:38Z"}"#).envelope.expiry == nil)
    }

    @Test(arguments: [0, Int.max]) func aRevMayBeAnyThatThereCanBe(rev: Int) {
        #expect(command(.zoom, #"{"factor":2,"if_rev":\#(rev)}"#).envelope.ifRev == rev)
    }

    @Test func aNameMayHave64Bytes() {
        let name = String(repeating: "x", count: 64)
        let envelope = command(.capture, #"{"id":"\#(name)","client":"\#(name)"}"#).envelope
        #expect((envelope.id, envelope.client?.name) == (name, name))
    }

    private static let timed: [(Node, String)] = [
        (.zoom, #""factor":2"#), (.capture, #""count":1"#), (.recording, #""on":true"#),
        (.presets, #""go":"home""#), (.session, #""fps":10"#), (.controls, #""brightness":1"#),
    ]

    @Test(arguments: timed) func aTimeIsReadWhereACommandMayHaveOne(node: Node, body: String) throws {
        let timed = command(node, #"{"at":"2026-11-21T09:05:38.1234Z",\#(body)}"#)
        let at = try #require(timed.envelope.at)
        #expect(abs(at.timeIntervalSince1970 - 1_795_251_938.1234) < 2e-6)
        #expect(!timed.envelope.isForAnyClock && (try? timed.body.get()) != nil)
        let any = command(node, #"{"at":"2026-11-21T09:05:38Z","at_any_clock":true,\#(body)}"#)
        #expect(any.envelope.isForAnyClock)
        expectRefusal(node, #"{"at_any_clock":true,\#(body)}"#, .badPayload, field: "at_any_clock")
        expectRefusal(node, #"{"at":1795251938,\#(body)}"#, .badPayload, field: "at")
        guard let cancel = try? command(node, #"{"cancel":"w","client":"a"}"#).body.get() as? Envelope.Cancel,
            cancel.id == "w"
        else {
            Issue.record("no command to cancel another")
            return
        }
        expectRefusal(node, #"{"cancel":"w","at":"2026-11-21T09:05:38Z"}"#, .badPayload, field: "at")
    }

    @Test(arguments: [
        (Node.pinch, #""gesture":"g","phase":"began""#), (.lease, #""take":true"#),
        (.privacy, #""state":"ON""#), (.desired, #""version":1"#), (.preview, #""fps":5"#),
        (.capture, #""phase":"began""#), (.capture, #""stop":true"#),
    ])
    func otherCommandsHaveNoTime(node: Node, body: String) {
        expectRefusal(node, #"{"at":"2026-11-21T09:05:38Z",\#(body)}"#, .badPayload, field: "at")
    }

    /// For the answer to a payload that no node decodes.
    @Test func idAndClientAreReadFromAnyObject() {
        func sender(_ json: String) -> Envelope { Envelope(sentIn: Array(json.utf8)) }
        #expect(
            sender(#"{"x":1,"client":"phone","id":"a1","ttl_ms":-1}"#) == Envelope(id: "a1", client: "phone"))
        for payload in ["", "ON", "[]", "{}", #"{"id":7}"#, #"{"id":"a1""#] {
            #expect(sender(payload) == Envelope())
        }
        #expect(sender(#"{"id":"a1"}"# + String(repeating: " ", count: 16_384)) == Envelope())
    }
}
