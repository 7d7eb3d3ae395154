import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Shutter buttons that record: by their action, or while they are held.
struct ShutterRecordingTests {
    private static let long = ShutterSettings(longPress: .milliseconds(500))

    private func button(_ bench: CameraBench, _ button: ButtonRole = .primary) -> ShutterButton {
        ShutterButton(bench: bench, client: "phone", button: button, isRemote: true)
    }

    // MARK: Actions

    @Test func infoHasTheButtonsActions() {
        let byDefault = CameraBench.shutter(ShutterSettings()).frontEnd.state(on: .info)["shutter"]
        #expect(byDefault == ["primary": "photo", "secondary": "photo", "long_press_ms": 500])
        let settings = ShutterSettings(primary: .record, secondary: .photo, longPress: nil)
        let info = CameraBench.shutter(settings).frontEnd.state(on: .info)["shutter"]
        #expect(info == ["primary": "record", "secondary": "photo"])
    }

    @Test(arguments: ButtonRole.allCases) func aButtonStartsAndEndsARecording(role: ButtonRole) {
        let bench = CameraBench.shutter(
            ShutterSettings(primary: .record, secondary: .record, longPress: nil))
        let button = button(bench, role)
        button.press()
        #expect(bench.state(.recording)["state"] == "idle", "it records at the release")
        #expect(button.release()["recording"] == nil)
        let state = bench.state(.recording)
        #expect(state["state"] == "recording" && state["origin"]["client"] == "phone")
        button.press()
        let recording = button.release()["recording"]
        #expect(recording["reason"] == "stopped" && recording["path"] == state["path"])
        #expect(bench.state(.recording)["last"] == recording)
    }

    /// A client does not know at the release whether the press records.
    @Test func theFormOfAPhotoHasNoEffectOnARecording() {
        let bench = CameraBench.shutter(Self.long)
        let button = button(bench)
        button.press()
        bench.advance(by: .seconds(1))
        let form = #""reply": "image", "size": {"width": 32}, "quality": 70"#
        let ended = button.send(.ended, form: form)
        bench.advance(by: .milliseconds(100))
        #expect(ended.statuses == [.accepted, .done] && ended.photos.isEmpty)
        #expect(ended.lastMessage["recording"]["reason"] == "stopped")
        #expect(ended.lastMessage["recording"]["width"] == 64)
    }

    @Test func eachButtonHasAnActionOfItsOwn() {
        let bench = CameraBench.shutter(
            ShutterSettings(primary: .photo, secondary: .record, longPress: nil))
        let (first, second) = (button(bench), button(bench, .secondary))
        second.release()
        #expect(first.release()["photos"].list.count == 1)
        #expect(second.release()["recording"]["reason"] == "stopped")
    }

    @Test func aQuickPressOfARecordingButtonDoesntWaitForTheExposure() {
        let bench = CameraBench.shutter(ShutterSettings(primary: .record, longPress: nil))
        let began = button(bench).send(.began)
        let ended = button(bench).send(.ended)
        bench.advance(by: .milliseconds(50))
        #expect(began.statuses == [.accepted, .superseded] && ended.statuses == [.accepted, .done])
        #expect(bench.state(.recording)["state"] == "recording")
    }

    // MARK: Long presses

    @Test(arguments: ButtonRole.allCases) func aPressRecordsWhileItIsHeld(role: ButtonRole) {
        let bench = CameraBench.shutter(Self.long)
        let button = button(bench, role)
        button.press()
        bench.advance(by: .milliseconds(199))
        #expect(bench.state(.recording)["state"] == "idle")
        bench.advance(by: .milliseconds(301))
        #expect(bench.state(.recording)["state"] == "recording")
        #expect(bench.state(.recording)["origin"]["client"] == "phone")
        let ended = button.send(.ended)
        #expect(ended.statuses == [.accepted])
        bench.advance(by: .milliseconds(100))
        #expect(ended.statuses == [.accepted, .done])
        let recording = ended.lastMessage["recording"]
        #expect(recording["reason"] == "stopped" && recording == bench.state(.recording)["last"])
        #expect(bench.state(.recording)["state"] == "idle" && bench.pressedButtons == [])
        let actions: [JSONValue] = ["recording_started", "recording_finished"]
        #expect(button.events("sound").map { $0["action"] } == actions)
        #expect(button.events("shutter").isEmpty, "a photo was taken as well")
        #expect(button.release()["photos"].list.count == 1)
    }

    @Test func aLongPressRecordsBeforeTheExposureHasSettled() {
        let bench = CameraBench.shutter(Self.long)
        bench.media.brightness = nil
        let button = button(bench)
        let began = button.send(.began)
        bench.advance(by: .milliseconds(700))
        let ended = button.send(.ended)
        bench.advance(by: .seconds(2))
        #expect(began.statuses == [.accepted, .superseded] && ended.statuses == [.accepted, .done])
        #expect(ended.lastMessage["recording"]["reason"] == "stopped" && button.events("shutter").isEmpty)
    }

    @Test func aCancelledLongPressEndsItsRecording() {
        let bench = CameraBench.shutter(Self.long)
        let button = button(bench)
        button.press()
        bench.advance(by: .seconds(1))
        #expect(button.release(.cancelled)["recording"] == nil)
        #expect(bench.state(.recording)["state"] == "idle")
        #expect(bench.state(.recording)["last"]["reason"] == "stopped")
    }

    @Test func aLongPressThatNeverEndsStopsItsRecordingAfterTenMinutes() {
        let bench = CameraBench.shutter(Self.long, recordings: RecordingSettings(maximumSeconds: 3_600))
        button(bench).press()
        (bench.source.camera as? ScriptedCamera)?.frameInterval = .seconds(1)
        bench.advance(by: .seconds(590))
        #expect(bench.state(.recording)["state"] == "recording")
        bench.advance(by: .seconds(11))
        #expect(bench.state(.recording)["state"] == "idle" && bench.pressedButtons == [])
    }

    @Test func theReleaseAfterTenMinutesIsAnsweredWithTheRecording() {
        let bench = CameraBench.shutter(Self.long, recordings: RecordingSettings(maximumSeconds: 3_600))
        let button = button(bench)
        button.press()
        (bench.source.camera as? ScriptedCamera)?.frameInterval = .seconds(1)
        bench.advance(by: .seconds(602))
        let recording = button.release()["recording"]
        #expect(recording["reason"] == "stopped" && recording == bench.state(.recording)["last"])
        #expect(bench.state(.capture)["counter"] == 0)
    }

    @Test func theReleaseAfterAnUnplugIsAnsweredWithTheRecording() {
        let bench = CameraBench.shutter(Self.long)
        let button = button(bench)
        button.press()
        bench.advance(by: .seconds(1))
        bench.source.detach(.unplugged)
        bench.advance(by: .seconds(1))
        bench.attach()
        let recording = button.release()["recording"]
        #expect(recording["reason"] == "unplugged" && recording == bench.state(.recording)["last"])
        #expect(bench.state(.capture)["counter"] == 0)
    }

    @Test func aRecordingThatEndsByItselfLeavesTheButtonHeld() {
        let bench = CameraBench.shutter(Self.long, recordings: RecordingSettings(maximumSeconds: 3))
        let button = button(bench)
        button.press()
        bench.advance(by: .seconds(10))
        let last = bench.state(.recording)["last"]
        #expect(bench.state(.recording)["state"] == "idle" && last["reason"] == "max_duration")
        #expect(bench.pressedButtons == ["primary"])
        #expect(button.release()["recording"] == last)
        #expect(button.events("shutter").isEmpty && bench.events(.recordingStarted).count == 1)
    }

    @Test func aLongPressDuringARecordingTakesAPhoto() {
        let bench = CameraBench.shutter(Self.long)
        let path = bench.startRecording()["path"]
        let button = button(bench)
        button.press()
        bench.advance(by: .seconds(1))
        #expect(button.release()["photos"].list.count == 1)
        #expect(bench.state(.recording)["state"] == "recording" && bench.state(.recording)["path"] == path)
    }

    @Test func aLongPressWithoutARecordingIsAnsweredAtItsRelease() {
        let bench = CameraBench.shutter(Self.long)
        bench.media.beginFailure = CommandError(.device, "No further thread.")
        let button = button(bench)
        button.press()
        bench.advance(by: .seconds(1))
        let ended = button.send(.ended)
        #expect(ended.statuses == [.error] && ended.error?.code == .device)
        #expect(bench.state(.recording)["state"] == "idle" && button.events("sound").isEmpty)
    }
}
