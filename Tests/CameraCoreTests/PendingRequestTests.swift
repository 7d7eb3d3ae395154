import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Requests that a device holds when it goes, or when the agent stops, get their answer.
struct PendingRequestTests {
    /// How a device may go.
    enum End: CaseIterable { case replaced, unplugged, stopped, replacedWithAnswers }

    private func end(_ bench: CameraBench, _ end: End) {
        switch end {
        case .replaced, .replacedWithAnswers: bench.attach()
        case .unplugged: bench.source.detach(.unplugged)
        case .stopped: bench.stop()
        }
    }

    private func bench(_ end: End) -> (CameraBench, ScriptedCamera) {
        let bench = CameraBench()
        let device = ScriptedCamera(on: bench.loop)
        if end == .replacedWithAnswers {
            bench.source.attach(MisbehavingCamera(device, [.answersAtClose]))
        } else {
            bench.source.attach(device)
        }
        return (bench, device)
    }

    @Test(arguments: End.allCases) func aControlIsBeingSet(how: End) {
        let (bench, device) = bench(how)
        device.held = [.controls]
        let reply = bench.send(.controls, #"{"brightness": 200, "id": "1"}"#)
        #expect(reply.answers.isEmpty)
        end(bench, how)
        #expect(reply.statuses == [.error] && reply.error?.code == .unavailable)
    }

    @Test(arguments: End.allCases) func aPresetIsBeingShown(how: End) {
        let (bench, device) = bench(how)
        #expect(bench.send(.presets, #"{"save": "desk"}"#).statuses == [.done])
        device.held = [.controls]
        let reply = bench.send(.presets, #"{"go": "desk"}"#)
        #expect(reply.answers.isEmpty)
        end(bench, how)
        #expect(reply.statuses == [.error] && reply.error?.code == .unavailable)
    }

    @Test(arguments: [End.unplugged, .replacedWithAnswers])
    func controlsAreReassertedAgainAfterAnEndDuringReassertion(how: End) {
        let bench = CameraBench(CameraSettings(external: .reassert))
        let first = ScriptedCamera(on: bench.loop)
        let faults: Set<MisbehavingCamera.Fault> = how == .unplugged ? [] : [.answersAtClose]
        bench.source.attach(MisbehavingCamera(first, faults))
        #expect(bench.send(.controls, #"{"brightness": 200}"#).statuses == [.done])
        first.held = [.controls]
        first.change("brightness", to: .number(10))
        #expect(first.pendingCalls(of: .controls) == 1)
        bench.source.detach(.unplugged)
        let second = bench.attach()
        bench.advance(by: .seconds(1))
        second.change("brightness", to: .number(20))
        #expect(second.controls.first { $0.name == "brightness" }?.value == .number(200))
    }
}
