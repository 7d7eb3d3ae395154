import Ctl
import Fleet
import Testing

@testable import Contract

/// Words of the command line, before the parser and for shells.
@Suite struct CommandLineTests {
    @Test(arguments: [
        ("ctl zoom -1 --json", "ctl zoom --json -- -1"), ("ctl zoom --json -0.5", "ctl zoom --json -- -0.5"),
        ("ctl zoom 2 --rate -1", "ctl zoom 2 --rate=-1"),
        ("ctl zoom --by -1 --stop -2", "ctl zoom --by=-1 --stop -- -2"),
        ("ctl zoom -1 --host h", "ctl zoom --host h -- -1"), ("ctl zoom -- -1", "ctl zoom -- -1"),
        ("ctl controls bias -1 --port 5 gain -2", "ctl controls bias --port 5 -- -1 gain -2"),
        ("run --config -1", "run --config -1"), ("ctl zoom 2", "ctl zoom 2"),
    ]) func negativeNumbersAreValues(line: String, expected: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(NegativeNumbers.escaped(words).joined(separator: " ") == expected)
    }

    @Test func optionsAreFoundInIncompleteLines() {
        let names = ["--host", "--port"]
        func options(_ line: String) -> String {
            let words = line.split(separator: " ").map(String.init)
            return Completions.options(names, flags: ["--tls"], in: words).joined(separator: " ")
        }
        #expect(options("v4l2mqtt ctl zoom --port 5 --rate --host=h") == "--port 5 --host=h")
        #expect(options("--port = 5 --host = h --agent") == "--port 5 --host h")
        #expect(options("--agent --port") == "")
        #expect(options("list --tls --port 5 --agent") == "--tls --port 5")
    }

    @Test(arguments: [
        ("gate", true), ("Küche-2.b_c", true), ("$(reboot)", false), ("a b", false), ("`x`", false),
        ("-rf", false), ("a;b", false), ("a\nb", false), ("a'b", false),
    ]) func onlyNamesThatNoShellExpandsAreOffered(name: String, safe: Bool) {
        #expect(Completions.isSafe(name) == safe)
    }

    @Test func presetsControlsAndTheirValuesAreOffered() {
        var camera = CameraFacts()
        #expect(Completions.presets(of: camera) == [])
        camera.take("presets", presetsState, at: .now)
        camera.take("info", JSON.bytes(info), at: .now)
        #expect(Completions.presets(of: camera).sorted() == ["gate", "home"])
        #expect(Completions.controls(of: camera, after: nil) == ["brightness", "autofocus"])
        #expect(Completions.controls(of: camera, after: "autofocus") == ["on", "off"])
        #expect(Completions.controls(of: camera, after: "color_effects") == ["None", "Sepia"])
        #expect(Completions.controls(of: camera, after: "brightness") == [])
        #expect(Completions.controls(of: camera, after: "off") == ["brightness", "autofocus"])
    }

    /// The contract says it; no broker is needed.
    @Test(arguments: [
        (CtlOperation.command(.zoom, ["factor": .integer(0)]), "factor: expected a number above 0, found 0."),
        (.command(.zoom, ["factor": .number(.infinity)]), "factor: expected a number above 0, found null."),
        (.record(["on": .flag(false), "quality": .integer(3)]), "quality: it requires on:true."),
        (
            .pinch(PinchGesture(name: "g", scale: -1, milliseconds: 50, anchor: nil)),
            "scale: expected a number above 0, found -1."
        ),
        (.cancel(""), "cancel: expected a text of 1 to 64 bytes, found 0 bytes."),
    ]) func whatNoAgentTakesIsNotSent(operation: CtlOperation, expected: String) {
        #expect(throws: CommandError.self) { try operation.check(options()) }
        do throws(CommandError) { try operation.check(options()) } catch {
            #expect(error.message == expected)
        }
    }

    @Test func whatDependsOnTheCameraIsCheckedAsFarAsAllCommandsAre() throws {
        var waiting = options()
        (waiting.time, waiting.commandID) = (.after(.seconds(1)), String(repeating: "i", count: 65))
        let setting = CtlOperation.setControls([ControlSetting(name: "brightness", value: "7")])
        #expect(throws: CommandError.self) { try setting.check(waiting) }
        waiting.commandID = "take-1"
        try setting.check(waiting)
        try CtlOperation.listPresets.check(options())
    }
}
