import Messages
import Testing

struct ControlsSetTests {
    @Test func valuesAreReadByName() throws {
        let json =
            #"{"brightness":10,"exposure_bias":-0.333,"autofocus":false,"power_line_frequency":2,"id":"a"}"#
        guard case .controls(let set) = try command(.controls, json).body.get() else {
            Issue.record("not controls")
            return
        }
        #expect(
            set.values == [
                "brightness": .number(10), "exposure_bias": .number(-0.333), "autofocus": .flag(false),
                "power_line_frequency": .number(2),
            ])
    }

    @Test(arguments: ["\"10\"", "null", "[10]", "{}"]) func aValueIsANumberTrueOrFalse(value: String) {
        expectRefusal(.controls, #"{"brightness":\#(value)}"#, field: "brightness")
    }

    @Test(arguments: ["", "{}", #"{"id":"a","client":"b"}"#, "10", "true", "[]"])
    func atLeastOneControlIsNamed(payload: String) {
        expectRefusal(.controls, payload, field: nil)
    }
}
