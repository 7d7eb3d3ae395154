import Testing

@testable import Contract
@testable import Settings

/// Payloads that are a word and no JSON, and JSON that is no object.
struct WordsTests {
    @Test(arguments: ["ON", "on\n", " On ", "true", #""ON""#, #"{"on":true}"#])
    func recordingIsSwitchedOn(payload: String) throws {
        #expect(try command(.recording, payload).body.get() as? RecordingSet == (.on(.init())))
    }

    @Test(arguments: ["OFF", "off", "false", #""off""#, #"{"on":false}"#])
    func recordingIsSwitchedOff(payload: String) throws {
        #expect(try command(.recording, payload).body.get() as? RecordingSet == (.off))
    }

    @Test func aRecordingHasOptions() throws {
        var options = RecordingSet.Options()
        (options.maximumSeconds, options.codec, options.audio) = (2.5, .mjpeg, false)
        let payload = #"{"on":true,"max_duration_s":2.5,"codec":"mjpeg","audio":false}"#
        #expect(try command(.recording, payload).body.get() as? RecordingSet == (.on(options)))
    }

    @Test(arguments: ["high", " hd1280x720\n", #""640x360""#])
    func aSessionMayBeABareName(payload: String) throws {
        var wanted = SessionSet()
        wanted.qualities = [payload.filter { !$0.isWhitespace && $0 != "\"" }]
        #expect(try command(.session, payload).body.get() as? SessionSet == (wanted))
    }

    @Test func aWordIsText() {
        // Repaired, it would have 94 bytes.
        let payload = [UInt8(ascii: "h")] + [UInt8](repeating: 0xFF, count: 31)
        #expect(throws: CommandError.self) { try Command(for: .session, payload: payload).body.get() }
    }

    @Test func aPreviewIsAskedForWithNothing() throws {
        for payload in ["", "{}", "ON", " \n"] {
            #expect(try command(.preview, payload).body.get() as? PreviewSet == (.lease(.init())))
        }
        for payload in ["OFF", #"{"stop":true}"#] {
            #expect(try command(.preview, payload).body.get() as? PreviewSet == (.stop))
        }
    }

    @Test func aPresetIsSavedGoneToOrForgotten() throws {
        #expect(try command(.presets, #"{"save":"a b"}"#).body.get() as? PresetsSet == (.save("a b")))
        #expect(
            try command(.presets, #"{"go":"home","rate":2}"#).body.get() as? PresetsSet
                == (.go("home", rate: 2)))
        #expect(try command(.presets, #"{"delete":"a b"}"#).body.get() as? PresetsSet == (.delete("a b")))
    }

    @Test(arguments: [
        ("single", [], "single"), (" {\"action\":\"hold\",\"battery\":90}", ["action"], "hold"),
        (#"{"a":{"b":3}}"#, ["a", "b"], "3"), ("true", [], "true"), (#""press""#, [], "press"),
    ])
    func aRemoteSaysAWord(payload: String, field: [String], word: String) {
        #expect(RemoteWord(in: Array(payload.utf8), field: field)?.text == word)
    }

    @Test(arguments: [
        ("{}", ["action"]), ("single", ["action"]), (#"{"action":{}}"#, ["action"]),
        (#"{"action":null}"#, ["action"]),
        ("[1]", []), ("1.5", []),
    ])
    func whatIsNoWordIsNone(payload: String, field: [String]) {
        #expect(RemoteWord(in: Array(payload.utf8), field: field) == nil)
    }

    @Test func bytesThatAreNoTextAreNoWord() {
        #expect(RemoteWord(in: [0xFF, 0xFE], field: []) == nil)
    }
}
