import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// `controls`: changed by another program, and restored on a device that comes back.
struct ExternalControlsTests {
    private func makeBench(_ external: ExternalChanges) -> (CameraBench, ScriptedCamera) {
        let bench = CameraBench(CameraSettings(external: external))
        return (bench, bench.attach())
    }

    private func values(_ bench: CameraBench) -> JSONValue { bench.state(.controls)["values"] }

    private func writes(_ device: ScriptedCamera) -> [[String: Control.Value]] {
        device.calls.compactMap { if case .setControls(let values) = $0 { values } else { nil } }
    }

    @Test func aChangeFromOutsideIsFollowedAndSaved() {
        let (bench, device) = makeBench(.follow)
        bench.send(.controls, #"{"brightness": 90}"#)
        bench.advance(by: .seconds(1))
        device.change("brightness", to: .number(40))
        bench.turn()
        #expect(values(bench)["brightness"] == 40)
        #expect(bench.state(.controls)["origin"]["kind"] == "external")
        #expect(bench.saved.controls == ["brightness": .number(40)])
        #expect(writes(device).count == 1)
    }

    @Test func aChangeFromOutsideWhileTheZoomIsRestoredIsFollowedToo() {
        var saved = SavedCamera()
        (saved.factor, saved.controls) = (3, ["brightness": .number(90)])
        let bench = CameraBench(boot: 2, saved: saved)
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: bench.loop)
        device.held = [.lens]
        bench.source.attach(device)
        #expect(bench.camera.presence == .restoring && values(bench)["brightness"] == 90)
        device.change("brightness", to: .number(40))
        bench.advance(by: .seconds(1))
        #expect(values(bench)["brightness"] == 40)
        #expect(bench.saved.controls == ["brightness": .number(40)])
    }

    @Test func onlyControlsThatACommandSetAreSaved() {
        let (bench, device) = makeBench(.follow)
        bench.advance(by: .seconds(1))
        device.change("brightness", to: .number(40))
        bench.turn()
        #expect(values(bench)["brightness"] == 40 && bench.saved.controls.isEmpty)
    }

    @Test func changesArePublishedAtMostTenTimesASecond() {
        let (bench, device) = makeBench(.follow)
        bench.advance(by: .seconds(1))
        let before = bench.states(.controls).count
        for value in 1...100 {
            device.change("brightness", to: .number(Double(value)))
            bench.advance(by: .milliseconds(10))
        }
        // At 0, 100, …, 1,000 ms.
        #expect(bench.states(.controls).count - before == 11)
        #expect(values(bench)["brightness"] == 100, "the last change is published")
        bench.advance(by: .seconds(10))
        #expect(bench.states(.controls).count - before == 11)
    }

    @Test func aChangeThatSettlesIsPublishedOnce() {
        let (bench, device) = makeBench(.follow)
        bench.advance(by: .seconds(1))
        let before = bench.states(.controls).count
        device.change("brightness", to: .number(3))
        bench.advance(by: .seconds(10))
        #expect(bench.states(.controls).count - before == 1)
    }

    @Test func aCommandIsPublishedAtOnceAlsoBetweenChangesFromOutside() {
        let (bench, device) = makeBench(.follow)
        bench.advance(by: .seconds(1))
        device.change("bias", to: .number(1))
        bench.turn()
        device.change("bias", to: .number(-1))
        bench.send(.controls, #"{"brightness": 4}"#)
        #expect(values(bench)["brightness"] == 4 && values(bench)["bias"] == -1)
        let count = bench.states(.controls).count
        bench.advance(by: .seconds(1))
        #expect(bench.states(.controls).count == count, "the command published the change from outside, too")
    }

    @Test func whatACommandSetIsReassertedAndOtherControlsAreFollowed() {
        let (bench, device) = makeBench(.reassert)
        bench.send(.controls, #"{"brightness": 90}"#)
        bench.advance(by: .seconds(1))
        device.change("brightness", to: .number(40))
        bench.advance(by: .seconds(1))
        #expect(values(bench)["brightness"] == 90)
        #expect(device.controls.first { $0.name == "brightness" }?.value == .number(90))
        device.change("bias", to: .number(1))
        bench.advance(by: .seconds(1))
        #expect(values(bench)["bias"] == 1 && values(bench)["brightness"] == 90)
        #expect(bench.saved.controls == ["brightness": .number(90)])
    }

    @Test func changesWhileReassertingStartNoSecondReassertion() {
        let (bench, device) = makeBench(.reassert)
        bench.send(.controls, #"{"brightness": 90}"#)
        device.held = [.controls]
        for value in 1...50 { device.change("brightness", to: .number(Double(value))) }
        #expect(device.pendingCalls(of: .controls) == 1)
        device.release(.controls)
        bench.advance(by: .seconds(1))
        #expect(values(bench)["brightness"] == 90 && writes(device).count == 2)
    }

    @Test func aChangeDuringAReassertionIsReassertedAfterIt() {
        let (bench, device) = makeBench(.reassert)
        bench.send(.controls, #"{"brightness": 90, "color": 2}"#)
        device.held = [.controls]
        device.change("brightness", to: .number(40))
        // Controls that may enable others are set first, then the others.
        device.release(.controls)
        device.change("color", to: .number(0))
        device.held = []
        device.release(.controls)
        bench.advance(by: .seconds(1))
        #expect(device.controls.first { $0.name == "color" }?.value == .number(2))
        #expect(values(bench)["color"] == 2 && values(bench)["brightness"] == 90)
    }

    /// A control that something else keeps moving is set again once a second, and the log says so.
    @Test func aControlThatKeepsMovingIsReassertedOnceASecond() {
        let log = CollectedLog()
        let bench = CameraBench(CameraSettings(external: .reassert), log: log)
        let device = bench.attach()
        bench.send(.controls, #"{"brightness": 90}"#)
        for turn in 0..<200 {
            device.change("brightness", to: .number(Double(turn % 50)))
            bench.advance(by: .milliseconds(100))
        }
        #expect(19...22 ~= writes(device).count)
        #expect(log.lines.filter { $0.contains("controls were set again 10 times in a row") }.count == 1)
        bench.advance(by: .seconds(2))
        #expect(values(bench)["brightness"] == 90)
    }

    @Test func aReassertionThatFailsIsNotRepeatedWithoutAFurtherChange() {
        let (bench, device) = makeBench(.reassert)
        bench.send(.controls, #"{"brightness": 90}"#)
        device.failures[.controls] = .device("scripted")
        device.change("brightness", to: .number(40))
        bench.advance(by: .seconds(60))
        #expect(writes(device).count == 2 && values(bench)["brightness"] == 40)
    }

    @Test func aReassertionThatWasInterruptedByAnUnplugIsNoObstacleLater() {
        let (bench, device) = makeBench(.reassert)
        bench.send(.controls, #"{"brightness": 90}"#)
        device.held = [.controls]
        device.change("brightness", to: .number(40))
        #expect(device.pendingCalls(of: .controls) == 1)
        device.unplug()
        let second = bench.attach()
        bench.advance(by: .seconds(1))
        #expect(values(bench)["brightness"] == 90)
        second.change("brightness", to: .number(41))
        bench.advance(by: .seconds(1))
        #expect(second.controls.first { $0.name == "brightness" }?.value == .number(90))
        #expect(values(bench)["brightness"] == 90)
    }

    // MARK: Restoring

    @Test func aDeviceThatComesBackGetsWhatACommandSet() {
        let (bench, device) = makeBench(.follow)
        bench.send(.controls, #"{"brightness": 90, "color": 2, "color_effects": 1}"#)
        device.unplug()
        let second = bench.attach()
        // Controls that may enable others come first.
        #expect(writes(second) == [["color": .number(2)], ["brightness": .number(90)]])
        let state = bench.state(.controls)
        #expect(state["values"]["brightness"] == 90 && state["values"]["color_effects"] == 1)
        #expect(state["origin"]["kind"] == "command", "nothing has changed since the command")
    }

    @Test func valuesThatTheDeviceHasAlreadyAreSetAgain() {
        let (bench, device) = makeBench(.follow)
        // A driver may report a cached value.
        bench.send(.controls, #"{"brightness": 128}"#)
        device.unplug()
        #expect(writes(bench.attach()) == [["brightness": .number(128)]])
    }

    @Test func aControlThatIsRefusedDoesNotAffectTheOthers() {
        let (bench, device) = makeBench(.follow)
        bench.send(.controls, #"{"brightness": 90, "bias": 1}"#)
        device.unplug()
        let second = ScriptedCamera(on: bench.loop)
        second.held = [.controls]
        bench.source.attach(second)
        second.fail(.controls, with: .device("Numerical result out of range"))
        for _ in 0..<2 { second.release(.controls) }
        #expect(writes(second).map(\.count) == [2, 1, 1])
        #expect(values(bench)["brightness"] == 90 && values(bench)["bias"] == 1)
        #expect(bench.camera.presence == .ready)
    }

    @Test func valuesOutsideOfAnotherDevicesRangeAreTakenIntoIt() {
        let (bench, device) = makeBench(.follow)
        bench.send(.controls, #"{"brightness": 200, "bias": 1}"#)
        device.unplug()
        let second = bench.attach(controls: [
            Control("brightness", "Brightness", .slider(min: 0, max: 100, step: 1), default: .number(50))
        ])
        #expect(writes(second) == [["brightness": .number(100)]])
        #expect(values(bench)["brightness"] == 100 && values(bench)["bias"] == .null)
        // The first device gets its own values back.
        second.unplug()
        #expect(writes(bench.attach()) == [["brightness": .number(200), "bias": .number(1)]])
    }

    @Test func whatWasSetOutlivesARestart() {
        let (bench, _) = makeBench(.follow)
        bench.send(.controls, #"{"brightness": 90, "autofocus": false, "color_effects": 3}"#)
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        let device = next.attach()
        #expect(device.controls.first { $0.name == "brightness" }?.value == .number(90))
        let state = next.state(.controls)
        #expect(state["values"] == values(bench) && state["origin"]["kind"] == "restore")
    }
}
