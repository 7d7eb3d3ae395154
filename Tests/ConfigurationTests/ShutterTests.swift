import Testing

@testable import Configuration
@testable import Settings

@Suite struct ShutterTests {
    @Test func theSecondaryActionIsThePrimaryOneUnlessItIsSet() throws {
        #expect(try shutter("{ primary: record }").secondary == .record)
        #expect(try shutter("{ primary: record, secondary: photo }").secondary == .photo)
        #expect(try shutter("{ secondary: record }").primary == .photo)
    }

    @Test(arguments: [("0", nil), ("1", Duration.milliseconds(1)), ("10000", .seconds(10))])
    func aLongPressOfZeroIsNone(milliseconds: String, longPress: Duration?) throws {
        #expect(try shutter("{ long_press_ms: \(milliseconds) }").longPress == longPress)
    }

    @Test func aButtonHasAPathToItsWord() throws {
        let buttons = try shutter(
            """
            { buttons: [{ topic: a/b, press: single },
              { topic: c, field: state.action, began: [down, hold], ended: up, button: secondary, remote: false }] }
            """
        ).buttons
        #expect(
            buttons == [
                RemoteButton(topic: "a/b", press: ["single"]),
                RemoteButton(
                    topic: "c", field: ["state", "action"], began: ["down", "hold"], ended: ["up"],
                    role: .secondary, isRemote: false),
            ])
    }

    @Test(arguments: ["..", "."])
    func aFieldWithoutANameIsRefused(field: String) {
        let yaml = "cameras: [{ id: a, shutter: { buttons: [{ topic: a, field: \"\(field)\", press: b }] } }]"
        #expect(
            load(yaml).lines == [
                "porch.yaml:1: cameras.0.shutter.buttons: expected the name of a field, with dots between "
                    + "levels, found \"\(field)\""
            ])
    }

    private func shutter(_ yaml: String) throws -> ShutterSettings {
        try load("cameras: [{ id: a, shutter: \(yaml) }]").get().settings.cameras[0].shutter
    }
}
