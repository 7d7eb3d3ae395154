import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// The privacy control that some cameras have themselves.
struct PrivacyControlTests {
    private let bench = CameraBench()

    @discardableResult
    private func attachWithControl(_ value: Bool = false, isReadOnly: Bool = false) -> ScriptedCamera {
        bench.attach(
            controls: .scripted + [
                Control(
                    "privacy", "Privacy", .toggle, default: .flag(false), value: .flag(value),
                    disabledBecause: isReadOnly ? "it is read-only" : nil, isReadOnly: isReadOnly,
                    isPrivacy: true)
            ])
    }

    @Test func theCamerasOwnControlIsSetAndReset() {
        let device = attachWithControl()
        let info = bench.frontEnd.state(on: .info)
        #expect(info["privacy"] == ["control": "privacy", "access": "settable"])
        bench.send(.privacy, "ON")
        #expect(device.calls.suffix(2) == [.setControls(["privacy": .flag(true)]), .close])
        // The device keeps the value.
        bench.source.reopens = { nil }
        bench.send(.privacy, "OFF")
        let next = attachWithControl(true)
        #expect(next.calls.first == .setControls(["privacy": .flag(false)]))
        #expect(bench.state(.controls)["values"]["privacy"] == false)
        #expect(bench.savedState?.privacy?.controlBefore == nil)
    }

    @Test func aControlThatWasOnStaysOn() {
        attachWithControl(true)
        bench.send(.privacy, "ON")
        bench.source.reopens = { nil }
        bench.send(.privacy, "OFF")
        attachWithControl(true)
        #expect(bench.state(.controls)["values"]["privacy"] == true)
    }

    @Test func aDeviceThatRefusesItsControlIsClosed() {
        let device = attachWithControl()
        device.failures = [.controls: .device("scripted")]
        #expect(bench.send(.privacy, "ON").statuses == [.done] && device.isClosed)
        #expect(bench.state(.privacy)["state"] == "ON")
    }

    @Test func aSwitchAtTheCameraIsReportedAndNotSet() {
        let device = attachWithControl(isReadOnly: true)
        #expect(bench.frontEnd.state(on: .info)["privacy"]["access"] == "read_only")
        bench.send(.privacy, "ON")
        #expect(device.isClosed && !device.calls.contains(.setControls(["privacy": .flag(true)])))
    }
}
