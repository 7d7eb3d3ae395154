import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// What the state file contains of a camera, and when it is to be written.
struct SavedStateTests {
    /// A property that isn't written would be lost at a restart.
    @Test func everyPropertyIsWritten() {
        let parts = Node.allCases.map { $0.contract.savedPart } + [SavedOutput.self]
        for part in parts {
            let count = Mirror(reflecting: part.init()).children.count
            #expect(part.description.fields.count == count, "\(part)")
        }
        let names = parts.flatMap { $0.description.fields.map(\.name) }
        #expect(Set(names).count == names.count)
        #expect(SavedCamera.description.fields.map(\.name) == ["numbers"] + names)
    }

    @Test func aPartThatIsInNoListIsNotDroppedSilently() async {
        await #expect(processExitsWith: .failure) {
            struct Unlisted: SavedPart {
                init() {}
                init(_ f: inout some FormVisitor<Self>) {}
            }
            var saved = SavedCamera()
            saved[Unlisted.self] = Unlisted()
        }
    }

    /// Messages are rounded; a zoom that is restored is the one that was left.
    @Test func numbersAreNotRounded() {
        var saved = SavedCamera()
        (saved.factor, saved.centerX, saved.centerY) = (10.0 / 3, 1.0 / 3, 2.0 / 3)
        saved.controls = ["focus": .number(1.0 / 7)]
        saved.session = SavedSession(quality: "low", rate: 30_000.0 / 1001)
        #expect(JSON.value(SavedCamera.self, from: JSON.bytes(saved)) == saved)
    }

    /// Another program wrote them: each takes nothing else with it.
    @Test func presetsThatAreNotValidAreLeftOut() throws {
        let bench = CameraBench()
        bench.attach(opticalMax: 4)
        for name in ["a", "b"] { bench.outcome(of: .presets, "{\"save\": \"\(name)\"}") }
        let saved = bench.savedAtStop
        var tree = try #require(JSON(JSON.bytes(saved)))
        let preset = try #require(tree.object?["presets"]?.object?["a"]?.object)
        for (name, field, value) in [
            ("c", "factor", JSON.integer(0)), ("d", "factor", .text("x")), ("e", "client", .text("")),
            (String(repeating: "x", count: 65), "factor", .integer(1)), ("", "factor", .integer(1)),
        ] {
            var other = preset
            other[field] = value
            var object = try #require(tree.object)
            object.change("presets") { presets in
                var all = presets.object ?? [:]
                all[name] = .object(other)
                presets = .object(all)
            }
            tree = .object(object)
        }
        let found = try SavedCamera(tree, .lenient)
        #expect(found == saved && found.presets.count == 2)
    }

    @Test func allOfItComesBackFromTheFile() throws {
        let bench = CameraBench()
        bench.attach(simulated: .init(opticalMaximum: 2, width: 640, height: 360))
        bench.outcome(of: .session, #"{"quality": "320x180", "fps": 15}"#)
        bench.outcome(of: .controls, #"{"brightness": 90, "color_effects": 2}"#)
        bench.outcome(of: .zoom, #"{"factor": 4, "anchor": {"x": 0, "y": 0}}"#)
        bench.outcome(of: .presets, #"{"save": "gate"}"#)
        bench.outcome(of: .desired, #"{"version": 3, "controls": {"brightness": 91}}"#)
        for command in ["ON", #"{"state": "OFF", "client": "desk"}"#] { bench.outcome(of: .privacy, command) }
        let saved = bench.savedAtStop
        #expect(saved.privacy?.isOn == false && saved.privacy?.client == "desk")
        #expect(JSON.value(SavedCamera.self, from: JSON.bytes(saved)) == saved)
        #expect(saved.factor == 4 && saved.centerX < 0.5 && saved.presets.keys.contains("gate"))
        #expect(saved.session == SavedSession(quality: "320x180", rate: 15))
        #expect(saved.controls == ["brightness": .number(91), "color_effects": .number(2)])
        #expect(saved.desired?.version == 3 && saved.desired?.outcome == .applied)

        let next = CameraBench(boot: 2, saved: saved)
        next.attach(simulated: .init(opticalMaximum: 2, width: 640, height: 360))
        var restored = next.savedAtStop
        #expect(restored.numbers.rev > saved.numbers.rev)
        restored.numbers.rev = saved.numbers.rev
        #expect(restored == saved)
        for node in [Node.zoom, .controls, .session] {
            #expect(next.state(node)["boot"] == 2 && next.state(node)["origin"]["kind"] == "restore")
        }
    }

    /// Earlier versions stored what the device was and could do; nothing reads that any more.
    @Test(arguments: [
        #"{"model": "Cam", "formats": [{"restart_interval": 0}], "opticalMax": 4}"#, "1", "null",
    ])
    func theDeviceOfAnEarlierVersionIsLeftOut(device: String) {
        let bench = CameraBench()
        bench.attach(opticalMax: 4)
        bench.outcome(of: .zoom, "3")
        let saved = bench.savedAtStop
        let earlier = Array(#"{"device": \#(device), "#.utf8) + JSON.bytes(saved).dropFirst()
        #expect(JSON.value(SavedCamera.self, from: earlier) == saved)
    }

    @Test func whatARunWithoutADeviceKnowsIsKept() {
        var saved = SavedCamera()
        (saved.factor, saved.centerX, saved.photoNumber, saved.recordingNumber) = (5, 0.3, 7, 2)
        saved.controls = ["brightness": .number(9)]
        saved.session = SavedSession(quality: "low", rate: 10)
        (saved.numbers.rev, saved.numbers.photo, saved.numbers.recording) = (40, 7, 2)
        saved.numbers.crashes = 3
        for isFound in [true, false] {
            let bench = CameraBench(boot: 2, saved: saved)
            if isFound { bench.source.detach(.notFound) }
            var kept = bench.savedAtStop
            #expect(kept.numbers.rev >= 40)
            kept.numbers.rev = 40
            #expect(kept == saved)
        }
    }

    @Test func eachStateHasTheNumbersOfItsTime() {
        let bench = CameraBench()
        bench.attach()
        for number in 0..<200 {
            bench.send(.controls, "{\"brightness\": \(number % 100)}")
            #expect(bench.saved.numbers.rev == bench.camera.context.rev)
        }
        #expect(bench.savedAtStop.numbers.rev == bench.camera.context.rev)
    }

    @Test func aRunAfterCrashesBeginsAboveAllThatTheyCanHaveGivenOut() {
        var numbers = CameraNumbers()
        (numbers.rev, numbers.photo, numbers.recording, numbers.crashes) = (5, 6, 7, 1)
        #expect(numbers.after(crashes: 0) == numbers)
        let next = numbers.after(crashes: 2)
        #expect((next.rev, next.photo, next.recording, next.crashes) == (2_000_005, 406, 407, 3))
    }

    @Test(arguments: [
        (Node.controls, #"{"brightness": 1}"#), (.session, "32x18"), (.presets, #"{"save": "a"}"#),
        (.zoom, #"{"factor": 2}"#), (.desired, #"{"version": 1, "controls": {"brightness": 1}}"#),
        (.capture, "{}"), (.recording, "ON"), (.privacy, "ON"),
    ])
    func aChangeIsSavedSoon(node: Node, payload: String) {
        let bench = CameraBench()
        bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(1))
        let (saves, saved) = (bench.storage.saves, bench.saved)
        bench.outcome(of: node, payload)
        #expect(bench.storage.saves > saves && bench.saved != saved)
    }

    @Test func aRefusedCommandSavesNothing() {
        let bench = CameraBench()
        bench.attach()
        let (saves, saved) = (bench.storage.saves, bench.saved)
        for (node, payload) in [
            (Node.controls, #"{"focus": 1}"#), (.session, "nosuch"), (.presets, #"{"go": "a"}"#),
        ] { bench.outcome(of: node, payload) }
        #expect(bench.storage.saves == saves && bench.saved == saved)
    }
}
