import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Privacy across runs of the agent: the device stays closed.
struct PrivacyRestartTests {
    private let bench = CameraBench()

    /// The state of a camera that was made private.
    static let savedOn: SavedCamera = {
        let bench = CameraBench()
        bench.attach(opticalMax: 4)
        bench.outcome(of: .zoom, "3")
        bench.send(.privacy, #"{"state": "ON", "client": "phone", "id": "1"}"#)
        return bench.savedState ?? SavedCamera()
    }()

    @Test func afterARestartTheDeviceIsNotOpened() {
        let bench = CameraBench(boot: 2, saved: Self.savedOn)
        let device = bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(60))
        #expect(device.calls.isEmpty && bench.source.searches == 0 && bench.source.closes == 1)
        let privacy = bench.state(.privacy)
        #expect(privacy["state"] == "ON" && privacy["client"] == "phone" && privacy["boot"] == 2)
        #expect(privacy["since"] == CameraBench.timestamp(at: .zero))
        #expect(privacy["origin"] == ["kind": "restore"])
        #expect(bench.availability["state"] == "online")
        #expect(bench.observer.changes.contains { if case .presenceKnown = $0 { true } else { false } })
        #expect(bench.frontEnd.messages.contains { $0.kind == .withdrawal })
        #expect(bench.send(.capture).refusal == Refusal(.private))
        bench.send(.privacy, "OFF")
        #expect(bench.camera.presence == .ready && bench.state(.zoom)["factor"] == 3)
    }

    @Test func afterARestartTheCameraIsDescribedWhenItsDeviceIsOpen() {
        let bench = CameraBench(boot: 2, saved: Self.savedOn)
        bench.attach(opticalMax: 4)
        #expect(bench.frontEnd.states(on: .info).isEmpty, "the broker has it")
        bench.send(.privacy, "OFF")
        #expect(bench.frontEnd.state(on: .info)["controls"][0]["enabled"] == true)
    }

    @Test func switchedOffWithoutItsDeviceTheCameraIsNotDescribedAsPrivate() {
        bench.attach(opticalMax: 4)
        bench.source.reopens = { nil }
        for state in ["ON", "OFF"] { bench.send(.privacy, state) }
        bench.source.detach(.notFound)
        let controls = bench.frontEnd.state(on: .info)["controls"].list
        #expect(
            controls.first?["enabled"] == true
                && !controls.contains { $0["reason"] == "the camera is private" })
        bench.attach(opticalMax: 4)
        #expect(bench.frontEnd.states(on: .info).count == 3, "it is the same device")
    }

    /// The agent is killed before the recording has ended.
    @Test func aSwitchThatIsUnderWayIsKept() {
        bench.attach()
        bench.startRecording()
        bench.media.held = [.recordingEnd]
        bench.send(.privacy, "ON")
        #expect(bench.state(.privacy)["state"] == "OFF" && bench.savedState?.privacy?.isOn == true)
    }

    @Test func theStopOfTheAgentAnswersASwitchThatIsUnderWay() {
        bench.attach()
        bench.startRecording()
        bench.media.held = [.recordingEnd]
        let reply = bench.send(.privacy, "ON")
        bench.stop(waitingAtMost: .seconds(1))
        #expect(reply.error == .stopping && bench.savedState?.privacy?.isOn == true)
    }

    @Test func aDamagedTimeIsNotTaken() {
        var saved = Self.savedOn
        saved.privacy?.since = "yesterday"
        #expect(JSON.value(SavedCamera.self, from: JSON.bytes(saved)) == nil)
    }
}
