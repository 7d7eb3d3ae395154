import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Whether a camera is there, and what it is: `availability` and `info`.
struct AvailabilityTests {
    let bench = CameraBench()

    private var availability: (JSONValue, JSONValue) {
        (bench.availability["state"], bench.availability["reason"])
    }

    @Test func untilTheSourceReportsNothingIsPublishedOfItself() {
        #expect(bench.frontEnd.messages.isEmpty && bench.camera.presence == .unknown)
        #expect(bench.send(.zoom, #"{"factor": 2}"#).error?.message == "The camera isn't ready yet.")
        bench.camera.publishUnknownPresence()
        #expect(availability == ("offline", "not_ready"))
    }

    /// A lens that is slow: what an earlier run published is out of date until it is restored.
    @Test func aCameraThatIsBeingRestoredIsNotReady() {
        var saved = SavedCamera()
        saved.factor = 3
        let bench = CameraBench(saved: saved)
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: bench.loop)
        device.held = [.lens]
        bench.source.attach(device)
        bench.turn()
        #expect(bench.camera.presence == .restoring)
        bench.camera.publishUnknownPresence()
        #expect(bench.availability["state"] == "offline" && bench.availability["reason"] == "not_ready")
        device.held = []
        device.release(.lens)
        bench.turn()
        #expect(bench.availability["state"] == "online")
    }

    @Test func aCameraThatIsKnownIsNotAnnouncedAsUnknown() {
        bench.attach()
        bench.camera.publishUnknownPresence()
        #expect(bench.availability["state"] == "online")
    }

    @Test(arguments: [
        (CameraAbsence.notFound, "not_found"), (.unplugged, "unplugged"), (.replaced, "replaced"),
        (.unusable("it gives no frames"), "unusable"),
    ])
    func theReasonOfAnAbsenceIsPublished(absence: CameraAbsence, reason: String) {
        bench.source.detach(absence)
        #expect(availability == ("offline", .text(reason)))
        #expect(bench.send(.capture).refusal == Refusal(.unavailable))
    }

    @Test func whatIsWrongWithTheDeviceIsPublishedAndAnswered() {
        bench.source.detach(.notFound)
        #expect(bench.availability["error"] == .null)
        bench.source.detach(CameraAbsence(kind: .notFound, problem: "/dev/video7 does not exist"))
        #expect(availability == ("offline", "not_found"))
        #expect(bench.availability["error"] == "/dev/video7 does not exist")
        #expect(
            bench.send(.capture).error?.message == "The camera was not found: /dev/video7 does not exist.")
    }

    @Test func whatNeedsNoDeviceIsDoneWithoutOne() {
        bench.source.detach(.notFound)
        #expect(bench.send(.lease, #"{"take": true, "client": "desk"}"#).statuses == [.done])
        #expect(bench.send(.preview, "OFF").statuses == [.done])
        #expect(bench.state(.lease)["client"] == "desk")
    }

    @Test func anAbsentCameraPublishesTheStatesThatDontDescribeTheDevice() {
        bench.source.detach(.notFound)
        for node in [Node.lease, .presets, .desired, .recording, .preview, .privacy, .media] {
            #expect(bench.states(node).count == 1, "\(node)")
        }
        for node in [Node.zoom, .controls, .session] { #expect(bench.states(node).isEmpty, "\(node)") }
        #expect(bench.frontEnd.states(on: .info).isEmpty)
    }

    @Test func aDeviceThatComesGoesAndComesIsAnnouncedEachTime() {
        let device = bench.attach()
        #expect(bench.availability["state"] == "online")
        device.unplug()
        #expect(availability == ("offline", "unplugged"))
        #expect(bench.send(.zoom, #"{"factor": 2}"#).error?.message == "The camera was unplugged.")
        bench.attach()
        #expect(
            bench.frontEnd.states(on: .availability).map { $0["state"] } == ["online", "offline", "online"])
    }

    @Test func aStopIsTheLastThingThatIsPublished() {
        bench.attach()
        bench.stop()
        #expect(availability == ("offline", "stopped"))
        let count = bench.frontEnd.messages.count
        #expect(bench.send(.zoom, #"{"factor": 2}"#).error == .stopping)
        #expect(bench.frontEnd.messages.count == count)
    }

    @Test func frontEndsSeeTheStatesBeforeTheAnnouncement() {
        bench.attach()
        let kinds = bench.frontEnd.messages.map(\.kind)
        let announced = kinds.firstIndex(of: .state(.availability)) ?? -1
        for node in [Node.zoom, .controls, .session, .presets, .lease] {
            #expect((kinds.firstIndex(of: .state(.node(node))) ?? .max) < announced, "\(node)")
        }
    }

    // MARK: Info

    @Test func infoDescribesTheCamera() {
        let bench = CameraBench(CameraSettings(zoom: 1...8, position: "front", kind: "wide"))
        bench.attach(opticalMax: 4)
        let info = bench.frontEnd.state(on: .info)
        #expect(info["model"] == "Scripted camera" && info["serial"] == "scripted-1")
        #expect(info["position"] == "front" && info["kind"] == "wide")
        #expect(info["nodes"].list.compactMap(\.text) == Node.allCases.map(\.name) + ["refresh"])
        #expect(info["zoom"]["min"] == 1 && info["zoom"]["max"] == 8 && info["zoom"]["handover"] == [4])
        #expect(info["zoom"]["upscale_from"] == 4)
        #expect(
            info["zoom"]["actuators"] == [
                ["kind": "simulated", "max": 4], ["kind": "crop", "max": 2],
            ])
        let controls = info["controls"].list.compactMap { $0["name"].text }
        #expect(controls == ["brightness", "bias", "color", "autofocus", "reset", "focus", "color_effects"])
        #expect(info["controls"][5]["enabled"] == false)
        #expect(info["controls"][5]["reason"] == "autofocus is on")
    }

    @Test func infoOfAnAbsentCameraIsThatOfTheBroker() {
        bench.attach(opticalMax: 4)
        bench.source.detach(.unplugged)
        #expect(bench.frontEnd.states(on: .info).count == 1)
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.source.detach(.notFound)
        #expect(next.frontEnd.states(on: .info).isEmpty)
        next.attach(opticalMax: 2)
        #expect(next.frontEnd.state(on: .info)["zoom"]["upscale_from"] == 2, "the device is another one")
    }

    @Test func infoIsPublishedAgainOnlyWhenItChanges() {
        let bench = CameraBench()
        bench.attach(simulated: .init(opticalMaximum: 1, width: 320, height: 180))
        #expect(bench.frontEnd.states(on: .info).count == 1)
        bench.send(.controls, #"{"brightness": 5}"#)
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        #expect(bench.frontEnd.states(on: .info).count == 1, "values aren't part of it")
        bench.source.detach(.unplugged)
        bench.attach(simulated: .init(opticalMaximum: 1, width: 320, height: 180))
        #expect(bench.frontEnd.states(on: .info).count == 1, "it is the same camera")
        bench.send(.controls, #"{"autofocus": false}"#)
        #expect(bench.frontEnd.states(on: .info).count == 2, "another control can be set now")
    }
}
