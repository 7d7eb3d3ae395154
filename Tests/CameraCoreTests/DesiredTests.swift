import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// The state that a fleet manager sets for a camera: applied once for each version.
struct DesiredTests {
    let camera = ZoomBench()

    var desired: JSONValue { camera.bench.state(.desired) }

    @Test func atFirstNothingIsDesired() { #expect(camera.bench.states(.desired) == [.null]) }

    @Test func zoomAndControlsAreApplied() {
        let parts = #""zoom": {"factor": 4}, "controls": {"brightness": 90}"#
        camera.done(.desired, #"{"version": 3, \#(parts), "client": "fleet", "id": "d-1"}"#)
        #expect(camera.zoom["factor"] == 4)
        #expect(
            camera.zoom["origin"] == ["kind": "desired", "client": "fleet", "proved": false, "id": "d-1"])
        camera.bench.advance(by: .seconds(1))
        let controls = camera.bench.state(.controls)
        #expect(controls["values"]["brightness"] == 90 && controls["origin"] == camera.zoom["origin"])
        #expect(desired["version"] == 3 && desired["outcome"] == "applied" && desired["error"] == nil)
    }

    @Test func eachCommandGetsOneAnswerAndEachRefusalIsOneEvent() {
        let first = camera.send(.desired, #"{"version": 1}"#)
        let second = camera.send(.desired, #"{"version": 2, "zoom": {}}"#)
        camera.bench.advance(by: .seconds(1))
        #expect(first.statuses == [.done] && second.statuses == [.error])
        #expect(second.error?.code == .badPayload && camera.bench.events().count == 1)
    }

    @Test func aVersionIsAppliedOnce() {
        let command = #"{"version": 1, "zoom": {"factor": 4}}"#
        camera.done(.desired, command)
        camera.zoom(to: 5)
        camera.done(.desired, command)
        #expect(camera.zoom["factor"] == 5)
    }

    @Test func aNewerVersionIsAppliedAndAnOlderOneRefused() {
        camera.done(.desired, #"{"version": 2, "zoom": {"factor": 4}}"#)
        camera.refused(.desired, #"{"version": 1, "zoom": {"factor": 7}}"#, .stale, field: "version")
        #expect(camera.zoom["factor"] == 4)
        camera.done(.desired, #"{"version": 7, "zoom": {"position": 0}}"#)
        #expect(camera.zoom["factor"] == 1 && desired["version"] == 7)
    }

    @Test func theHighestVersionDoesNotEndTheCount() {
        camera.done(.desired, #"{"version": 5}"#)
        camera.refused(.desired, #"{"version": 9223372036854775807}"#, .badPayload, field: "version")
        camera.refused(.desired, #"{"version": 1006}"#, .badPayload, field: "version")
        #expect(desired["version"] == 5)
        camera.done(.desired, #"{"version": 1005}"#)
    }

    @Test func aResetBeginsANewCount() {
        // The first version may be any.
        camera.done(.desired, #"{"version": 9223372036854775807, "client": "stranger"}"#)
        camera.refused(.desired, #"{"version": 6}"#, .stale, field: "version")
        let reset = #"{"version": 6, "reset": true, "zoom": {"factor": 4}}"#
        camera.done(.desired, reset)
        #expect(desired["version"] == 6 && camera.zoom["factor"] == 4)
        // A broker delivers it again.
        camera.zoom(to: 5)
        camera.done(.desired, reset)
        #expect(camera.zoom["factor"] == 5)
        camera.done(.desired, #"{"version": 7, "zoom": {"factor": 2}}"#)
        camera.done(.desired, #"{"version": 9000, "reset": true}"#)
        #expect(desired["version"] == 9000)
    }

    /// A broker delivers a retained command again after each start.
    @Test(arguments: [true, false]) func aVersionIsAppliedOnceOverRestarts(isCleanStop: Bool) {
        let command = #"{"version": 5, "zoom": {"factor": 4}}"#
        camera.done(.desired, command)
        camera.zoom(to: 6)
        if isCleanStop { camera.bench.stop() }
        let next = ZoomBench(saved: camera.bench.saved)
        #expect(next.bench.state(.desired)["version"] == 5)
        #expect(next.bench.state(.desired)["outcome"] == "applied")
        next.done(.desired, command)
        #expect(next.zoom["factor"] == 6)
    }

    @Test func aVersionWaitsForTheDevice() {
        let bench = CameraBench()
        bench.source.detach(.notFound)
        let reply = bench.send(.desired, #"{"version": 1, "zoom": {"factor": 4}}"#)
        bench.advance(by: .seconds(60))
        #expect(reply.statuses == [.accepted] && bench.state(.desired)["outcome"] == "applying")
        bench.attach(opticalMax: 2)
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.accepted, .done] && bench.state(.zoom)["factor"] == 4)
        #expect(bench.state(.desired)["outcome"] == "applied")
    }

    @Test func anExpiredVersionIsNotApplied() {
        let earlier = camera.timestamp(after: .seconds(-60))
        camera.refused(
            .desired, #"{"version": 5, "zoom": {"factor": 4}, "ts": "\#(earlier)", "ttl_ms": 1000}"#, .stale)
        #expect(camera.zoom["factor"] == 1 && desired == .null)
    }

    // MARK: The same version with other contents

    /// Two fleet managers have chosen the same version: one of them has to be told.
    @Test(arguments: [
        #""zoom": {"factor": 5}"#, #""zoom": {"factor": 4, "rate": 1}"#, "",
        #""zoom": {"factor": 4}, "controls": {"brightness": 9}"#, #""session": {"fps": 15}"#,
    ])
    func aKnownVersionWithOtherContentsIsRefused(contents: String) {
        camera.done(.desired, #"{"version": 7, "zoom": {"factor": 4}}"#)
        let payload = contents.isEmpty ? #"{"version": 7}"# : #"{"version": 7, \#(contents)}"#
        let error = camera.refused(.desired, payload, .stale, field: "version")
        #expect(
            error["message"] == "Version 7 is known with other contents; a change needs a higher version.")
        #expect(camera.zoom["factor"] == 4 && desired["version"] == 7 && desired["outcome"] == "applied")
        camera.refused(
            .desired, #"{"version": 7, "reset": true, "zoom": {"factor": 5}}"#, .stale, field: "version")
        camera.done(.desired, #"{"version": 7, "zoom": {"factor": 4}}"#)
    }

    /// Not the bytes count, nor who sends them.
    @Test(arguments: [
        #"{"controls": {"focus": 7, "autofocus": false}, "zoom": {"factor": 2.0}, "version": 7}"#,
        #"{"version": 7, "zoom":{"factor":2},"controls":{"autofocus":false,"focus":7.0},"client":"b","id":"z"}"#,
        #"{"version": 7, "reset": true, "zoom": {"factor": 2e0}, "controls": {"autofocus": false, "focus": 7}}"#,
    ])
    func theSameContentsInAnotherFormAreTheSame(payload: String) {
        camera.done(
            .desired,
            #"{"version": 7, "zoom": {"factor": 2}, "controls": {"autofocus": false, "focus": 7}, "client": "a"}"#
        )
        camera.done(.desired, payload)
    }

    @Test func otherContentsAreKnownOverARestart() {
        camera.done(.desired, #"{"version": 5, "zoom": {"factor": 4}}"#)
        camera.refused(.desired, #"{"version": 6, "controls": {"nosuch": 4}}"#, .badPayload)
        let next = ZoomBench(saved: camera.bench.savedAtStop)
        next.refused(.desired, #"{"version": 6, "zoom": {"factor": 2}}"#, .stale, field: "version")
        next.refused(.desired, #"{"version": 6, "controls": {"nosuch": 4}}"#, .badPayload)
    }

    /// An earlier version of the program has saved it.
    @Test func withoutADigestAnyContentsAreThoseThatAreKnown() {
        camera.done(.desired, #"{"version": 5, "zoom": {"factor": 4}}"#)
        var saved = camera.bench.savedAtStop
        saved.outcomes = saved.outcomes.map {
            var outcome = $0
            #expect(outcome.contents != nil)
            outcome.contents = nil
            return outcome
        }
        let next = ZoomBench(saved: saved)
        next.done(.desired, #"{"version": 5, "zoom": {"factor": 2}}"#)
        #expect(next.zoom["factor"] == 4)
    }

    @Test func otherContentsDoNotDisturbAVersionThatIsBeingApplied() {
        let pending = applySlowly(5)
        camera.refused(.desired, #"{"version": 5, "zoom": {"factor": 2}}"#, .stale, field: "version")
        #expect(pending.statuses == [.accepted] && camera.zoom["ramping"] == true)
    }

    /// The same on a camera's own topic and on that of the group: `ctl desired apply` sends both.
    @Test func eachGroupKnowsItsOwnContents() {
        let camera = ZoomBench(settings: Self.inGroups)
        camera.done(.desired, #"{"version": 3, "zoom": {"factor": 2}}"#)
        camera.done(.desired, #"{"version": 3, "group": "outside", "zoom": {"factor": 3}}"#)
        camera.done(.desired, #"{"version": 3, "zoom": {"factor": 2}}"#)
        camera.refused(
            .desired, #"{"version": 3, "group": "outside", "zoom": {"factor": 2}}"#, .stale,
            field: "version")
    }

    // MARK: Failures

    @Test func controlsThatFailLeaveTheZoomAsItIs() {
        let controls = #"{"autofocus": true, "focus": 100, "brightness": 1}"#
        camera.refused(
            .desired, #"{"version": 1, "zoom": {"factor": 4}, "controls": \#(controls)}"#, .unavailable,
            field: "controls.focus")
        #expect(desired["outcome"] == "failed" && desired["error"]["code"] == "unavailable")
        #expect(camera.zoom["factor"] == 1)
        #expect(camera.bench.state(.controls)["values"]["brightness"] == 128)
    }

    @Test func aControlThatDoesNotExistIsNamed() {
        camera.refused(
            .desired, #"{"version": 1, "controls": {"sharpness": 1}}"#, .badPayload,
            field: "controls.sharpness")
    }

    @Test func aDeviceThatRefusesIsAFailure() {
        let camera = ZoomBench(.init(opticalMaximum: 2, width: 64, height: 36, fault: .writeError))
        camera.refused(.desired, #"{"version": 1, "zoom": {"factor": 4}}"#, .device)
        let state = camera.bench.state(.desired)
        #expect(state["outcome"] == "failed" && state["error"]["code"] == "device")
    }

    @Test func aFailedVersionIsAnsweredWithItsErrorAgain() {
        let errors = (0..<2).map { _ in
            camera.refused(.desired, #"{"version": 30, "session": {"quality": "nope"}}"#, .unsupported)
        }
        #expect(errors[0] == errors[1])
        #expect(camera.bench.events(.refused).count == 1, "the repetition is no further refusal")
    }

    // MARK: Versions that take time

    /// Sends a version that takes minutes, and waits until it is being applied.
    func applySlowly(_ version: Int = 1) -> CollectingReplyAddress {
        let pending = camera.send(
            .desired, #"{"version": \#(version), "zoom": {"factor": 8, "rate": 0.02}}"#)
        camera.bench.advance(by: .seconds(1))
        #expect(pending.statuses == [.accepted])
        #expect(desired["outcome"] == "applying" && desired["version"] == .number(Double(version)))
        return pending
    }

    @Test func aZoomOfAnotherClientSupersedesIt() {
        let pending = applySlowly()
        camera.zoom(to: 2)
        #expect(pending.statuses == [.accepted, .superseded] && desired["outcome"] == "superseded")
    }

    @Test func aNewerVersionSupersedesIt() {
        let pending = applySlowly()
        camera.done(.desired, #"{"version": 2, "zoom": {"factor": 3}}"#)
        #expect(pending.statuses == [.accepted, .superseded])
        #expect(desired["version"] == 2 && desired["outcome"] == "applied")
    }

    @Test(arguments: [nil, 1]) func theSameVersionAgainDoesNotDisturbIt(before: Int?) {
        if let before { camera.done(.desired, #"{"version": \#(before)}"#) }
        let pending = applySlowly(5)
        let again = camera.send(.desired, #"{"version": 5, "zoom": {"factor": 8, "rate": 0.02}}"#)
        camera.bench.advance(by: .seconds(1))
        #expect(again.statuses == [.accepted] && pending.statuses == [.accepted])
        #expect(desired["outcome"] == "applying" && camera.zoom["ramping"] == true)
        camera.done(.zoom, #"{"stop": true}"#)
        #expect(again.final?.status == .superseded && pending.final?.status == .superseded)
    }

    @Test(arguments: [nil, 1]) func anOlderVersionDoesNotDisturbIt(before: Int?) {
        if let before { camera.done(.desired, #"{"version": \#(before)}"#) }
        let pending = applySlowly(5)
        camera.refused(.desired, #"{"version": 3, "zoom": {"factor": 2}}"#, .stale, field: "version")
        #expect(pending.statuses == [.accepted] && desired["version"] == 5)
        #expect(camera.zoom["ramping"] == true)
    }

    // MARK: Groups

    private static let inGroups = CameraSettings(id: "door", groups: ["outside", "all"])

    private func known(_ state: JSONValue, _ group: JSONValue) -> JSONValue {
        if state["group"] == group { return state }
        return state["others"].list.first { $0["group"] == group } ?? .null
    }

    @Test func eachGroupHasItsOwnCountAndTheNewestIsPublished() {
        let camera = ZoomBench(settings: Self.inGroups)
        camera.done(.desired, #"{"version": 40, "zoom": {"factor": 2}}"#)
        camera.done(.desired, #"{"version": 3, "group": "outside", "zoom": {"factor": 3}}"#)
        camera.done(.desired, #"{"version": 1, "group": "all", "zoom": {"factor": 4}}"#)
        #expect(camera.zoom["factor"] == 4)
        let state = camera.bench.state(.desired)
        #expect(state["group"] == "all" && state["version"] == 1 && state["outcome"] == "applied")
        #expect(known(state, .null)["version"] == 40 && known(state, "outside")["version"] == 3)
        // Each version is known: nothing is applied again.
        camera.zoom(to: 5)
        camera.done(.desired, #"{"version": 3, "group": "outside", "zoom": {"factor": 3}}"#)
        camera.done(.desired, #"{"version": 40, "zoom": {"factor": 2}}"#)
        camera.refused(.desired, #"{"version": 2, "group": "outside"}"#, .stale, field: "version")
        #expect(camera.zoom["factor"] == 5)
        camera.done(.desired, #"{"version": 41, "zoom": {"factor": 2}}"#)
        #expect(camera.zoom["factor"] == 2 && camera.bench.state(.desired)["group"] == .null)
    }

    @Test func theCountsOfGroupsOutliveTheAgentWhileTheCameraBelongsToThem() {
        let camera = ZoomBench(settings: Self.inGroups)
        camera.done(.desired, #"{"version": 7, "group": "outside", "controls": {"brightness": 9}}"#)
        camera.done(.desired, #"{"version": 4}"#)
        camera.done(.desired, #"{"version": 2, "group": "all"}"#)
        let saved = camera.bench.savedAtStop
        #expect(JSON.value(SavedCamera.self, from: JSON.bytes(saved)) == saved)
        let next = ZoomBench(settings: Self.inGroups, saved: saved)
        let (before, after) = (camera.bench.state(.desired), next.bench.state(.desired))
        #expect(before["group"] == "all" && after["group"] == "all" && before["others"] == after["others"])
        next.refused(.desired, #"{"version": 6, "group": "outside"}"#, .stale, field: "version")
        let outsider = ZoomBench(settings: CameraSettings(id: "door", groups: ["all"]), saved: saved)
        #expect(known(outsider.bench.state(.desired), "outside") == .null)
        outsider.refused(.desired, #"{"version": 8, "group": "outside"}"#, .badPayload, field: "group")
    }

    /// The first one only has its zoom under way when the other begins.
    @Test func aZoomOfAnotherCountSupersedesTheFirst() {
        let camera = ZoomBench(settings: Self.inGroups)
        let slow = camera.send(
            .desired, #"{"version": 1, "group": "outside", "zoom": {"factor": 8, "rate": 0.02}}"#)
        camera.bench.advance(by: .seconds(1))
        camera.done(.desired, #"{"version": 1, "zoom": {"factor": 3}}"#)
        #expect(slow.statuses == [.accepted, .superseded])
        let state = camera.bench.state(.desired)
        #expect(known(state, "outside")["outcome"] == "superseded")
        #expect(known(state, .null)["outcome"] == "applied" && camera.zoom["factor"] == 3)
    }

    @Test func controlsOfAnotherCountDoNotEndTheZoomOfTheFirst() {
        let camera = ZoomBench(settings: Self.inGroups)
        let slow = camera.send(
            .desired, #"{"version": 1, "group": "outside", "zoom": {"factor": 8, "rate": 0.02}}"#)
        camera.bench.advance(by: .seconds(1))
        camera.done(.desired, #"{"version": 1, "controls": {"brightness": 9}}"#)
        let state = camera.bench.state(.desired)
        #expect(state["group"] == "outside" && state["outcome"] == "applying")
        #expect(slow.statuses == [.accepted] && known(state, .null)["outcome"] == "applied")
    }

    /// A version of one count takes nothing away from that of another, and they are applied in the order in
    /// which they came.
    @Test func versionsOfSeveralCountsThatWaitForTheDeviceAreAllApplied() {
        let bench = CameraBench(Self.inGroups)
        bench.source.detach(.notFound)
        let replies = [
            #"{"version": 5, "group": "outside", "session": {"quality": "32x18"}, "controls": {"brightness": 1}}"#,
            #"{"version": 9, "controls": {"brightness": 2}, "zoom": {"factor": 2}}"#,
            #"{"version": 1, "group": "all", "zoom": {"factor": 3}}"#,
        ].map { bench.send(.desired, $0) }
        let device = bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(5))
        #expect(replies.map(\.final?.status) == [.done, .done, .done])
        #expect(bench.state(.session)["width"] == 32 && bench.state(.zoom)["factor"] == 3)
        #expect(device.controls.first { $0.name == "brightness" }?.value == .number(2))
        let state = bench.state(.desired)
        #expect(state["group"] == "all" && state["others"].list.count == 2)
    }

    @Test func aVersionWaitsUntilTheControlsOfTheOneBeforeAreSet() {
        let bench = CameraBench(Self.inGroups)
        let device = bench.attach(opticalMax: 4)
        bench.send(.recording, "ON")
        bench.advance(by: .seconds(1))
        let first = bench.send(
            .desired,
            #"{"version": 1, "group": "all", "session": {"quality": "32x18"}, "controls": {"brightness": 1}}"#
        )
        let second = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 2}}"#)
        #expect(first.statuses == [.accepted] && second.statuses == [.accepted])
        device.held = [.mode]
        bench.send(.recording, "OFF")
        bench.advance(by: .seconds(1))
        #expect(second.statuses == [.accepted])
        device.release(.mode)
        bench.advance(by: .seconds(5))
        #expect([first, second].map(\.final?.status) == [.done, .done])
        #expect(device.controls.first { $0.name == "brightness" }?.value == .number(2))
    }

    @Test func aNewerVersionReplacesTheOneOfItsCountOnly() {
        let bench = CameraBench(Self.inGroups)
        bench.source.detach(.notFound)
        let first = bench.send(.desired, #"{"version": 1, "group": "outside", "zoom": {"factor": 2}}"#)
        let own = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 2}}"#)
        let second = bench.send(.desired, #"{"version": 2, "group": "outside", "zoom": {"factor": 3}}"#)
        bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(5))
        #expect(
            [first, own, second].map(\.final?.status) == [.superseded, .done, .done])
        #expect(bench.state(.zoom)["factor"] == 3)
    }

    @Test func aVersionThatFailsTakesNothingFromTheOthers() {
        let camera = ZoomBench(settings: Self.inGroups)
        camera.done(.desired, #"{"version": 1, "controls": {"brightness": 2}}"#)
        camera.refused(
            .desired, #"{"version": 1, "group": "outside", "controls": {"sharpness": 1}}"#, .badPayload,
            field: "controls.sharpness")
        let state = camera.bench.state(.desired)
        #expect(state["group"] == "outside" && state["error"]["field"] == "controls.sharpness")
        #expect(known(state, .null)["outcome"] == "applied")
    }

    // MARK: Leases

    private static let lease = #"{"take": true, "client": "desk", "ttl_ms": 60000}"#

    @Test func aLeaseThatIsTakenWhileAVersionWaitsForTheDeviceRefusesIt() {
        let bench = CameraBench()
        bench.source.detach(.notFound)
        let command =
            #"{"version": 1, "zoom": {"factor": 4}, "controls": {"brightness": 9}, "client": "fleet"}"#
        let reply = bench.send(.desired, command)
        #expect(bench.send(.lease, Self.lease).statuses == [.done])
        let device = bench.attach(opticalMax: 2)
        #expect(reply.statuses == [.accepted, .error] && reply.error?.code == .held)
        #expect(bench.state(.desired)["outcome"] == "failed")
        #expect(bench.state(.desired)["error"]["code"] == "held")
        #expect(bench.state(.zoom)["factor"] == 1)
        #expect(device.controls.first { $0.name == "brightness" }?.value == .number(128))
    }

    @Test(arguments: [
        #""client": "desk", "zoom": {"factor": 4}"#, #""client": "fleet", "controls": {"brightness": 9}"#,
    ])
    func aLeaseOfTheSameClientOrOnlyOnTheZoomRefusesNoWaitingVersion(members: String) {
        let bench = CameraBench()
        bench.source.detach(.notFound)
        let reply = bench.send(.desired, #"{"version": 1, \#(members)}"#)
        bench.send(.lease, Self.lease)
        bench.attach(opticalMax: 4)
        #expect(reply.statuses == [.accepted, .done])
    }

    @Test func aLeaseThatIsTakenDuringARecordingRefusesTheVersionThatWaitsForItsEnd() {
        let bench = CameraBench()
        bench.attach(opticalMax: 4)
        bench.send(.recording, "ON")
        bench.advance(by: .seconds(1))
        let reply = bench.send(
            .desired, #"{"version": 1, "session": {"quality": "32x18"}, "zoom": {"factor": 4}}"#)
        bench.send(.lease, Self.lease)
        bench.send(.recording, "OFF")
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.accepted, .error] && reply.error?.code == .held)
        #expect(bench.state(.session)["width"] == 64 && bench.state(.zoom)["factor"] == 1)
    }

    @Test func aLeaseThatIsTakenWhileTheSessionChangesRefusesTheZoom() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        device.held = [.mode]
        let reply = bench.send(
            .desired, #"{"version": 1, "session": {"quality": "32x18"}, "zoom": {"factor": 4}}"#)
        bench.send(.lease, Self.lease)
        device.release(.mode)
        #expect(reply.final?.status == .error && reply.error?.code == .held)
        #expect(bench.state(.session)["width"] == 32 && bench.state(.zoom)["factor"] == 1)
    }
}
