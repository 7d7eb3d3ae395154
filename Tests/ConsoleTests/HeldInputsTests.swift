import Testing

@testable import Contract
@testable import Server

@Suite struct HeldInputsTests {
    private let door = camera("porch/door")

    private func held(_ commands: [(String, String)]) -> HeldInputs {
        var held = HeldInputs()
        for (node, payload) in commands {
            held.note(door, node, JSON(Array(payload.utf8))?.object ?? [:])
        }
        return held
    }

    /// The ends, as `node payload`.
    private func ends(_ commands: [(String, String)]) -> [String] {
        var held = held(commands)
        let ends = held.end().map {
            "\($0.node) \(String(decoding: JSON.bytes(JSON.object($0.payload)), as: UTF8.self))"
        }
        #expect(held.end() == [], "what is ended is forgotten")
        return ends.sorted()
    }

    private func fields(_ text: String) -> JSONObject {
        JSON(Array(text.drop { $0 != "{" }.utf8))?.object ?? [:]
    }

    @Test func aPinchIsCancelledUnlessItHasEnded() {
        let ends = ends([
            ("pinch", #"{"gesture":"g1","phase":"began"}"#),
            ("pinch", #"{"gesture":"g1","phase":"changed","scale":2}"#),
        ])
        #expect(ends.count == 1)
        #expect(fields(ends[0]) == ["gesture": .text("g1"), "phase": .text("cancelled")])
        for phase in ["ended", "cancelled"] {
            #expect(
                self.ends([
                    ("pinch", #"{"gesture":"g1","phase":"began"}"#),
                    ("pinch", #"{"gesture":"g1","phase":"\#(phase)"}"#),
                ]).isEmpty)
        }
        #expect(
            self.ends([("pinch", #"{"gesture":"g1","phase":"changed","scale":2}"#)]).count == 1,
            "`began` was lost")
    }

    private static let beginnings = [
        ("pinch", #"{"gesture":"g","phase":"began"}"#, #"{"gesture":"g","phase":"ended"}"#),
        ("capture", #"{"phase":"began"}"#, #"{"phase":"ended"}"#),
        ("zoom", #"{"move":{"velocity":1}}"#, #"{"stop":true}"#),
    ]

    @Test(arguments: beginnings)
    func whatIsRefusedIsNotHeld(node: String, began: String, ended: String) {
        var held = HeldInputs()
        let outcome = held.note(door, node, fields(began), isAnswered: true)
        held.answered(outcome, isRefused: true)
        #expect(held.end() == [])
    }

    @Test(arguments: beginnings)
    func anEndCountsWhenItIsAnswered(node: String, began: String, ended: String) {
        for isRefused in [false, true] {
            var held = HeldInputs()
            held.answered(held.note(door, node, fields(began), isAnswered: true), isRefused: false)
            let outcome = held.note(door, node, fields(ended), isAnswered: true)
            held.answered(outcome, isRefused: isRefused)
            #expect(held.end().count == (isRefused ? 1 : 0))
        }
    }

    /// The answers to the first press come after the second one was sent.
    @Test(arguments: beginnings, [false, true])
    func lateAnswersDoNotEndWhatBeganSince(commands: (String, String, String), isRefused: Bool) {
        let (node, began, ended) = commands
        var held = HeldInputs()
        let first = held.note(door, node, fields(began), isAnswered: true)
        let end = held.note(door, node, fields(ended), isAnswered: true)
        let second = held.note(door, node, fields(began), isAnswered: true)
        held.answered(first, isRefused: isRefused)
        held.answered(end, isRefused: isRefused)
        held.answered(second, isRefused: false)
        #expect(held.end().count == 1)
    }

    @Test func aRefusedMoveLeavesTheEarlierOne() {
        var held = HeldInputs()
        held.note(door, "zoom", fields(#"{"move":{"velocity":1}}"#))
        held.answered(held.note(door, "zoom", fields(#"{"move":1}"#), isAnswered: true), isRefused: true)
        #expect(held.end().map(\.payload) == [["stop": .flag(true)]])
    }

    @Test func buttonsAreCancelled() {
        #expect(
            ends([("capture", #"{"phase":"began"}"#)]).map(fields) == [
                ["phase": .text("cancelled"), "button": .text("primary")]
            ])
        #expect(
            ends([("capture", #"{"phase":"began"}"#), ("capture", #"{"phase":"ended","button":"primary"}"#)])
                .isEmpty)
        #expect(
            ends([
                ("capture", #"{"phase":"began"}"#), ("capture", #"{"phase":"ended","button":"secondary"}"#),
            ]).count == 1)
        #expect(
            ends([("capture", "{}"), ("capture", #"{"count":3}"#)]).isEmpty,
            "a photo without a button is not held")
    }

    @Test func aMovingZoomIsStopped() {
        #expect(ends([("zoom", #"{"move":{"velocity":1}}"#)]).map(fields) == [["stop": .flag(true)]])
        #expect(ends([("zoom", #"{"move":{"velocity":1}}"#), ("zoom", #"{"stop":true}"#)]).isEmpty)
        #expect(ends([("zoom", #"{"move":{"velocity":1}}"#), ("zoom", #"{"factor":2}"#)]).isEmpty)
    }

    @Test func everyCameraHasItsOwn() {
        var held = HeldInputs()
        for name in ["a/b", "c/d"] {
            held.note(camera(name), "pinch", ["gesture": .text("g"), "phase": .text("began")])
            held.note(camera(name), "capture", ["phase": .text("began")])
        }
        held.note(camera("a/b"), "pinch", ["gesture": .text("g"), "phase": .text("ended")])
        #expect(
            Set(held.end().map { "\($0.camera) \($0.node)" }) == ["a/b capture", "c/d capture", "c/d pinch"])
    }

    @Test func malformedCommandsAreNotHeld() {
        #expect(
            ends([
                ("pinch", "{}"), ("pinch", #"{"gesture":1,"phase":"began"}"#), ("pinch", #"{"gesture":"g"}"#),
                ("pinch", #"{"gesture":"","phase":"began"}"#),
                ("capture", #"{"phase":1}"#), ("capture", #"{"phase":"began","button":1}"#),
                ("zoom", #"{"factor":2}"#), ("presets", #"{"go":"a"}"#),
            ]).isEmpty)
    }

    /// A program that pretends to have thousands of fingers does not fill the memory.
    @Test func whatIsHeldIsBounded() {
        var held = HeldInputs()
        for number in 0..<1000 {
            held.note(door, "pinch", ["gesture": .text("p\(number)"), "phase": .text("began")])
            held.note(door, "capture", ["phase": .text("began"), "button": .text("b\(number)")])
        }
        let long = String(repeating: "g", count: 65)
        held.note(door, "capture", ["phase": .text("began"), "button": .text(long)])
        let ends = held.end()
        #expect(ends.count <= 64)
        #expect(!ends.contains { $0.payload["button"]?.text == long })
    }
}
