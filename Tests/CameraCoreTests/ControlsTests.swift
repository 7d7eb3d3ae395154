import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// `controls`: set by commands.
struct ControlsTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    private var values: JSONValue { bench.state(.controls)["values"] }

    @Test func aValueIsSetReadBackAndPublished() {
        let reply = bench.send(.controls, #"{"brightness": 90, "client": "phone", "id": "c1"}"#)
        #expect(reply.statuses == [.done] && reply.message["values"] == values)
        #expect(device.calls.last == .setControls(["brightness": .number(90)]))
        let state = bench.state(.controls)
        #expect(values["brightness"] == 90 && values["autofocus"] == true)
        #expect(state["origin"] == ["kind": "command", "client": "phone", "proved": false, "id": "c1"])
        #expect(state["rev"] == reply.message["rev"])
    }

    @Test func severalAreSetInOneCall() {
        bench.send(.controls, #"{"brightness": 1, "autofocus": false, "color": 2}"#)
        #expect(
            device.calls.last
                == .setControls(["brightness": .number(1), "autofocus": .flag(false), "color": .number(2)]))
    }

    @Test(arguments: [
        (#"{"brightness": 999}"#, "brightness", 255.0, true), (#"{"brightness": -1}"#, "brightness", 0, true),
        (#"{"brightness": 12.4}"#, "brightness", 12, false), (#"{"bias": 0.7}"#, "bias", 1, false),
        (#"{"bias": 7}"#, "bias", 1, true),
    ])
    func aNumberIsTakenToTheNearestValue(payload: String, name: String, value: Double, isClamped: Bool) {
        let reply = bench.send(.controls, payload)
        #expect(reply.statuses == [.done] && reply.last?.clamped == (isClamped ? true : nil))
        #expect(values[name] == .number(value))
    }

    @Test(arguments: [
        (#"{"nosuch": 1}"#, Refusal(.badPayload, "nosuch")),
        (#"{"brightness": 1, "nosuch": 1}"#, Refusal(.badPayload, "nosuch")),
        (#"{"brightness": true}"#, Refusal(.badPayload, "brightness")),
        (#"{"color": 1}"#, Refusal(.badPayload, "color")),
        (#"{"color": 2, "brightness": true}"#, Refusal(.badPayload, "brightness")),
        (#"{"focus": 100}"#, Refusal(.unavailable, "focus")),
        (#"{"brightness": 10, "focus": 100}"#, Refusal(.unavailable, "focus")),
    ])
    func allAreSetOrNone(payload: String, refusal: Refusal) {
        let published = bench.states(.controls).count
        let reply = bench.send(.controls, payload)
        #expect(reply.statuses == [.error] && reply.refusal == refusal)
        #expect(bench.states(.controls).count == published && values["brightness"] == 128)
        #expect(bench.events(.refused).count == 1)
        #expect(bench.saved.controls.isEmpty)
    }

    @Test func anUnknownControlIsRefusedWithTheKnownOnes() {
        let message = bench.send(.controls, #"{"nosuch": 1}"#).error?.message ?? ""
        for name in ["brightness", "autofocus", "focus", "color_effects"] {
            #expect(message.contains(name))
        }
    }

    @Test func aDeviceThatRefusesIsTheReason() {
        device.failures[.controls] = .device("Input/output error")
        let reply = bench.send(.controls, #"{"brightness": 90, "color_effects": 1}"#)
        #expect(reply.refusal == Refusal(.device))
        #expect(reply.error?.message.contains("Input/output error") == true)
        // Nor is the part that needs no device set.
        #expect(values["brightness"] == 128 && values["color_effects"] == 0)
    }

    @Test func anEffectThatTheDeviceLacksIsEmulated() {
        let reply = bench.send(.controls, #"{"color_effects": 2}"#)
        #expect(reply.statuses == [.done] && values["color_effects"] == 2)
        #expect(!device.calls.contains { if case .setControls = $0 { true } else { false } })
        #expect(bench.saved.controls == ["color_effects": .number(2)])
    }

    @Test func aButtonHasNoValueToSave() {
        #expect(bench.send(.controls, #"{"reset": true}"#).statuses == [.done])
        #expect(device.calls.last == .setControls(["reset": .flag(true)]) && values["reset"] == false)
    }

    @Test func requestsAreAnsweredInTheOrderOfTheDevice() {
        device.held = [.controls]
        let first = bench.send(.controls, #"{"brightness": 1, "id": "a"}"#)
        let second = bench.send(.controls, #"{"brightness": 2, "id": "b"}"#)
        #expect(!first.isFinished && !second.isFinished)
        device.release(.controls)
        #expect(first.statuses == [.done] && !second.isFinished && values["brightness"] == 1)
        device.release(.controls)
        #expect(second.statuses == [.done] && values["brightness"] == 2)
    }

    @Test func aDeviceThatGoesFailsWhatItHadToSet() {
        device.held = [.controls]
        let pending = [1, 2].map { bench.send(.controls, "{\"brightness\": \($0)}") }
        device.unplug()
        for reply in pending { #expect(reply.refusal == Refusal(.unavailable)) }
        #expect(bench.send(.controls, #"{"brightness": 3}"#).refusal == Refusal(.unavailable))
        bench.advance(by: .seconds(20))
        for reply in pending { #expect(reply.answers.count == 1) }
    }

    @Test func aStopAnswersWhatTheDeviceIsSetting() {
        device.held = [.controls]
        let reply = bench.send(.controls, #"{"brightness": 7}"#)
        bench.stop()
        #expect(reply.refusal == Refusal(.unavailable))
        let count = bench.frontEnd.messages.count
        device.release(.controls)
        #expect(reply.answers.count == 1 && bench.frontEnd.messages.count == count)
    }
}
