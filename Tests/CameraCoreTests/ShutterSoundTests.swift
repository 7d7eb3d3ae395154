import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// The sounds of remote shutter buttons, whose users don't see the camera.
struct ShutterSoundTests {
    private func button(_ bench: CameraBench, _ button: ButtonRole = .primary) -> ShutterButton {
        ShutterButton(bench: bench, client: "remote", button: button, isRemote: true)
    }

    @Test(arguments: [true, false]) func onlyARemoteButtonHasASound(isRemote: Bool) {
        var button = button(.shutter())
        button.isRemote = isRemote
        button.press()
        #expect(button.events("sound").isEmpty, "the press itself is silent")
        button.release()
        #expect(button.events("sound").map { $0["sound"] } == (isRemote ? ["default"] : []))
    }

    @Test(arguments: [true, false]) func eitherPhaseMayNameTheButtonRemote(isFirst: Bool) {
        var button = button(.shutter())
        button.isRemote = isFirst
        button.press()
        button.isRemote = !isFirst
        button.release()
        #expect(button.events("sound").count == 1)
    }

    @Test func theSoundNamesItsActionAndComesBeforeThePhoto() {
        let button = button(.shutter(), .secondary)
        button.press()
        button.send(.ended, id: "shot-9")
        button.bench.advance(by: .milliseconds(100))
        let sound = button.events("sound")[0]
        #expect(sound["sound"] == "default" && sound["action"] == "photo" && sound["button"] == "secondary")
        #expect(sound["client"] == "remote" && sound["id"] == "shot-9")
        #expect(button.bench.events().map(\.event) == [.sound, .shutter])
    }

    @Test func theSoundComesBeforeThePhotoIsEncoded() {
        let button = button(.shutter())
        button.press()
        button.bench.media.held = [.encode]
        button.send(.ended)
        button.bench.advance(by: .milliseconds(100))
        #expect(button.events("sound").count == 1 && button.events("shutter").isEmpty)
    }

    @Test(arguments: ["none", "bell"]) func anotherSoundOrNone(sound: String) {
        let button = button(.shutter(ShutterSettings(longPress: nil, sound: sound)))
        button.release()
        #expect(button.events("sound").map { $0["sound"] } == [.text(sound)])
    }

    @Test func withoutAPhotoThereIsNoSound() {
        let bench = CameraBench()
        bench.attach().failures = [.frame: .device("no frame came")]
        let button = button(bench)
        button.press()
        let ended = button.send(.ended)
        #expect(ended.error?.code == .device && button.events("sound").isEmpty)
    }

    @Test func aRecordingHasASoundAtBothEnds() {
        let bench = CameraBench.shutter(ShutterSettings(primary: .record, longPress: nil))
        let button = button(bench)
        button.press()
        button.release()
        button.press()
        button.release()
        #expect(button.events("sound").map { $0["action"] } == ["recording_started", "recording_finished"])
        #expect(bench.events().map(\.event) == [.recordingStarted, .sound, .recordingFinished, .sound])
    }

    @Test func aRecordingWithoutAFrameHasNoSound() {
        let bench = CameraBench.shutter(ShutterSettings(primary: .record, longPress: nil))
        bench.media.failures = [.recordingFrame: CommandError(.device, "The frame is damaged.")]
        let button = button(bench)
        let ended = button.send(.ended)
        bench.advance(by: .milliseconds(100))
        #expect(ended.statuses == [.accepted, .error] && button.events("sound").isEmpty)
    }
}
