import Testing

@testable import Contract

struct ControlsSetTests {
    @Test func valuesAreReadByName() throws {
        let json =
            #"{"brightness":10,"exposure_bias":-0.333,"autofocus":false,"power_line_frequency":2,"id":"a"}"#
        guard let set = try command(.controls, json).body.get() as? ControlsSet else {
            Issue.record("not controls")
            return
        }
        #expect(
            set.values == [
                "brightness": .number(10), "exposure_bias": .number(-0.333), "autofocus": .flag(false),
                "power_line_frequency": .number(2),
            ])
    }
}
