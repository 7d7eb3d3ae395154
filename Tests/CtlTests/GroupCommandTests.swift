import Base
import Ctl
import CtlScript
import Fleet
import FoundationEssentials
import Testing

@testable import Bus
@testable import Contract
@testable import Settings

/// One command to the cameras of a group, without a broker and in virtual time.
@Suite struct GroupCommandTests {
    private static let agents = ["attic", "cellar", "hall"]
    private static let id = "ctl-test-1"

    private static var zoom: CtlOperation {
        .command(.zoom, ["factor": .number(2)])
    }

    private func rig(
        _ operation: CtlOperation = zoom, _ options: CtlOptions = options(),
        retained: [BusMessage] = agents.flatMap { member($0) }
    ) -> GroupRig {
        var rig = GroupRig(operation, options)
        rig.connect(retained)
        return rig
    }

    @Test func oneMessageGoesToTheGroupAndAllAnswersMakeTheSummary() {
        var rig = rig()
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/groups/stage/zoom/set"])
        #expect(rig.published[0].payload == #"{"id":"ctl-test-1","client":"ctl","factor":2}"#)
        for agent in Self.agents {
            #expect(rig.exitCodes == [])
            rig.receive(answer(of: agent, "zoom", id: Self.id))
        }
        #expect(rig.exitCodes == [0] && rig.errors == [])
        #expect(rig.lines == ["stage: 3 done, 0 refused, 0 silent"])
    }

    @Test func refusedAndSilentCamerasAreNamedAndCounted() {
        var rig = rig()
        rig.receive(
            answer(of: "attic", "zoom", id: Self.id),
            answer(of: "hall", "zoom", id: Self.id, .error, error: CommandError(.held, "A lease.")),
            // An answer to another command, and one that comes twice.
            answer(of: "cellar", "zoom", id: "other", .error, error: CommandError(.busy, "Another one.")),
            answer(of: "attic", "zoom", id: Self.id))
        rig.wait(.seconds(5))
        #expect(rig.lines == ["stage: 1 done, 1 refused (held 1), 1 silent"])
        #expect(rig.errors == ["cellar/door: no answer was received", "hall/door: held: A lease."])
        #expect(rig.exitCodes == [1])
    }

    @Test func aReasonComesOnceWithTheNumberOfCameras() {
        var rig = rig()
        let held = CommandError(.held, "desk has it; wait, or take it with force:true.")
        for agent in Self.agents { rig.receive(answer(of: agent, "zoom", id: Self.id, .error, error: held)) }
        rig.wait(.seconds(1))
        #expect(
            rig.errors == [
                "3 cameras (attic/door, cellar/door, hall/door): held: desk has it; wait, or take it with \"ctl lease take --force\"."
            ])
        #expect(rig.lines == ["stage: 0 done, 3 refused (held 3), 0 silent"] && rig.exitCodes == [1])
    }

    @Test func aSupersededCommandIsRefusedForThisReason() {
        var rig = rig(retained: member("hall"))
        rig.receive(answer(of: "hall", "zoom", id: Self.id, .accepted))
        rig.receive(answer(of: "hall", "zoom", id: Self.id, .superseded))
        #expect(rig.lines == ["stage: 0 done, 1 refused (superseded 1), 0 silent"] && rig.exitCodes == [1])
    }

    @Test func onlyTheCamerasOfTheGroupAreExpected() {
        var rig = rig(retained: member("hall") + member("attic", of: ["all"]) + member("cellar", of: nil))
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        #expect(rig.lines == ["stage: 1 done, 0 refused, 0 silent"])
    }

    @Test func aCameraWhoseAgentIsAwayIsSilentWithoutAWait() {
        var rig = rig(retained: member("hall") + member("attic", .offline) + member("cellar", .stopped))
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        #expect(rig.exitCodes == [1])
        #expect(rig.errors == ["attic/door: the agent is offline", "cellar/door: the agent is stopped"])
    }

    @Test func anAcceptedCommandIsWaitedForWhileTheAgentIsThere() {
        var rig = rig(retained: member("hall") + member("attic") + member("cellar"))
        for agent in Self.agents { rig.receive(answer(of: agent, "zoom", id: Self.id, .accepted)) }
        rig.wait(.seconds(60))
        #expect(rig.exitCodes == [])
        rig.receive(answer(of: "attic", "zoom", id: Self.id), availability("hall", .offline, boot: 1))
        rig.wait(.seconds(4))
        #expect(rig.exitCodes == [])
        rig.receive(availability("cellar", .online, boot: 2))
        rig.wait(.seconds(1))
        #expect(rig.lines == ["stage: 1 done, 0 refused, 2 silent"] && rig.exitCodes == [1])
    }

    @Test func anAgentThatIsBackInTimeIsWaitedFor() {
        var rig = rig(retained: member("hall"))
        rig.receive(
            answer(of: "hall", "zoom", id: Self.id, .accepted), availability("hall", .offline, boot: 1))
        rig.wait(.seconds(4))
        rig.receive(availability("hall", .online, boot: 1))
        rig.wait(.seconds(60))
        #expect(rig.exitCodes == [])
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        #expect(rig.exitCodes == [0])
    }

    @Test func theJSONHasEachAnswer() throws {
        var rig = rig(Self.zoom, options(json: true), retained: member("hall") + member("attic", .offline))
        rig.receive(answer(of: "hall", "zoom", id: Self.id) { $0.factor = 2 })
        #expect(rig.lines.count == 1)
        let summary = try #require(JSON(Array(rig.lines[0].utf8))?.object)
        #expect(summary["done"] == .integer(1) && summary["silent"] == .integer(1))
        #expect(summary["refused"] == .object([:]))
        let cameras = summary["cameras"]?.list?.compactMap(\.object) ?? []
        #expect(cameras.map { $0["agent"]?.text } == ["attic", "hall"])
        #expect(cameras[0]["reason"] == .text("the agent is offline"))
        #expect(cameras[1]["reply"]?.object?["factor"]?.number == 2)
    }

    @Test func thePathsOfPhotosArePrinted() {
        var rig = rig(.command(.capture, [:]), retained: member("hall"))
        rig.receive(answer(of: "hall", "capture", id: Self.id) { $0.photos = [photoFields] })
        #expect(rig.lines == ["hall/door: /p/1.jpg 640x360", "stage: 1 done, 0 refused, 0 silent"])
    }

    @Test func aGroupWithoutCamerasIsAnError() {
        let rig = rig(retained: member("hall", of: ["outside", "all"]))
        #expect(rig.errors == ["No camera belongs to the group stage; there is all, outside."])
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
    }

    @Test func anInfoThatIsMissingIsAskedFor() {
        var retained = member("hall")
        retained.remove(at: 2)
        var rig = GroupRig(Self.zoom)
        rig.connect(retained, waiting: .milliseconds(600))
        #expect(rig.asked == ["v4l2mqtt/hall/refresh/set"])
        rig.receive(member("hall")[2])
        #expect(rig.published.map(\.topic).last == "v4l2mqtt/groups/stage/zoom/set")
    }

    @Test func camerasThatTheBrokerKnowsNothingOfAreFound() {
        var rig = GroupRig(Self.zoom)
        rig.connect([], waiting: .milliseconds(300))
        #expect(rig.published.isEmpty)
        rig.receive(refreshAnswer(of: "hall"), refreshAnswer(of: "attic"))
        rig.wait(.seconds(10))
        #expect(rig.published.isEmpty, "an agent that has answered publishes within ten seconds")
        rig.wait(.seconds(2))
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/groups/stage/zoom/set"])
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        rig.wait(.seconds(5))
        #expect(rig.lines == ["stage: 1 done, 0 refused, 1 silent"] && rig.exitCodes == [1])
    }

    @Test func camerasThatMayBeLeftOutAreAnErrorAfterTheAnswers() {
        var rig = rig(retained: member("hall") + [availability("zombie", .online)])
        rig.wait(.seconds(2))
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        rig.wait(.seconds(1))
        #expect(rig.lines == ["stage: 1 done, 0 refused, 0 silent"])
        #expect(rig.errors == zombieNotes && rig.exitCodes == [1])
    }

    /// It is gone without a will: the broker has forgotten its availability.
    @Test func aSilentAgentOfAnotherGroupIsNoError() {
        var gone = member("cellar", of: ["all"])
        gone.remove(at: 1)
        var rig = rig(retained: member("hall") + gone)
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        rig.wait(.seconds(1))
        #expect(rig.lines == ["stage: 1 done, 0 refused, 0 silent"] && rig.exitCodes == [0])
    }

    /// Its answer shows that it belongs to the group.
    @Test func theAnswerOfACameraThatWasNotKnownCountsForASecond() {
        var rig = GroupRig(Self.zoom)
        rig.connect(member("hall"), waiting: .milliseconds(300))
        #expect(rig.asked == [], "a command doesn't make all cameras publish everything")
        rig.receive(answer(of: "hall", "zoom", id: Self.id))
        rig.wait(.milliseconds(999))
        #expect(rig.exitCodes == [])
        rig.receive(answer(of: "attic", "zoom", id: Self.id, .accepted))
        rig.wait(.seconds(10))
        rig.receive(answer(of: "attic", "zoom", id: Self.id))
        #expect(rig.lines == ["stage: 2 done, 0 refused, 0 silent"] && rig.exitCodes == [0])
    }

    /// The values of the others are not known.
    @Test func controlsAreSetWhenAllCamerasHaveBeenAsked() {
        var rig = GroupRig(.setControls([.init(name: "color_effects", value: "sepia")]))
        rig.connect(member("hall", controls: [effects]), waiting: .milliseconds(300))
        #expect(rig.asked == ["v4l2mqtt/groups/stage/refresh/set"])
        rig.receive(refreshAnswer(of: "attic"))
        for message in member("attic", controls: [autofocus]) { rig.receive(message) }
        rig.wait(.seconds(1))
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/hall/door/controls/set"])
        rig.receive(answer(of: "hall", "controls", id: Self.id))
        #expect(rig.lines == ["stage: 1 done, 1 refused (bad_payload 1), 0 silent"])
    }

    /// An account may have the right to the commands, and none to ask.
    @Test func onlyARefusalOfTheCommandItselfEndsIt() {
        var rig = GroupRig(Self.zoom)
        rig.connect(member("hall") + [availability("zombie", .online)], waiting: .milliseconds(700))
        #expect(rig.asked.contains("v4l2mqtt/zombie/refresh/set"))
        for topic in rig.asked { rig.handle(.refused(topic: topic, reason: "Not authorized.")) }
        rig.wait(.seconds(3))
        #expect(rig.exitCodes == [] && rig.published.count == 1)
        rig.handle(.refused(topic: "v4l2mqtt/groups/stage/zoom/set", reason: "Not authorized."))
        #expect(rig.exitCodes == [1] && rig.errors.last?.hasSuffix("zoom/set: Not authorized.") == true)
    }

    @Test func agentsThatWantProvedClientsGetTheClientInTheTopic() {
        var rig = rig(
            Self.zoom, options(client: "desk"), retained: member("hall", clients: .proved) + member("attic"))
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/groups/stage/zoom/set/desk"])
        var reply = answer(of: "hall", "zoom", id: Self.id)
        reply.topic = "replies/desk/hall/door/zoom"
        rig.receive(reply, answer(of: "attic", "zoom", id: Self.id))
        #expect(rig.exitCodes == [0])
    }

    @Test func controlsAreOneMessageWhenTheirValuesAreTheSame() {
        let both = member("hall", controls: [effects]) + member("attic", controls: [effects])
        let same = rig(.setControls([.init(name: "color_effects", value: "sepia")]), retained: both)
        #expect(same.published.map(\.topic) == ["v4l2mqtt/groups/stage/controls/set"])
        #expect(same.published[0].payload.contains(#""color_effects":2"#))
    }

    @Test func controlsWhoseOptionsDifferAreSentToEachCamera() {
        var others = effects
        others.options = [.init(value: 9, title: "Sepia")]
        var rig = rig(
            .setControls([.init(name: "color_effects", value: "sepia")]),
            retained: member("attic", controls: [effects]) + member("hall", controls: [others])
                + member("cellar", controls: [autofocus]))
        #expect(
            rig.published.map(\.topic) == [
                "v4l2mqtt/attic/door/controls/set", "v4l2mqtt/hall/door/controls/set",
            ])
        #expect(rig.published[1].payload.contains(#""color_effects":9"#))
        rig.receive(
            answer(of: "attic", "controls", id: "ctl-test-1"),
            answer(of: "hall", "controls", id: "ctl-test-2"))
        #expect(rig.lines == ["stage: 2 done, 1 refused (bad_payload 1), 0 silent"])
    }

    @Test func aPinchIsSentAsItsSamples() {
        let gesture = PinchGesture(name: "g", scale: 4, milliseconds: 34, anchor: nil)
        var rig = rig(.pinch(gesture), retained: member("hall") + member("attic"))
        rig.wait(.seconds(1))
        #expect(rig.published.count == 4)
        for number in 1...4 { rig.receive(answer(of: "hall", "pinch", id: "ctl-test-\(number)")) }
        rig.receive(
            answer(of: "attic", "pinch", id: "ctl-test-1", .error, error: CommandError(.held, "A lease.")))
        #expect(rig.lines == ["stage: 1 done, 1 refused (held 1), 0 silent"])
    }

    @Test func aCommandAtATimeSaysHowItIsCancelled() {
        var options = options()
        (options.time, options.commandID) = (.after(.seconds(2)), "take-1")
        options.wallClock = { Date(timeIntervalSince1970: 1_795_251_938.25) }
        var rig = rig(
            .command(.capture, [:]), options, retained: member("hall") + member("attic"))
        #expect(rig.published[0].payload.contains(#""id":"take-1""#))
        #expect(rig.published[0].payload.contains(#""at":"2026-11-21T09:05:40.250Z""#))
        for agent in ["hall", "attic"] { rig.receive(answer(of: agent, "capture", id: "take-1", .accepted)) }
        #expect(rig.errors == [#"The command waits for its time; "v4l2mqtt ctl cancel take-1" cancels it."#])
    }

    @Test func aCancellationIsDoneWhereOneNodeHadTheCommand() {
        var rig = rig(.cancel("take-1"), retained: member("hall") + member("attic"))
        #expect(rig.published.count == 6)
        #expect(rig.published.allSatisfy { $0.payload.contains(#""cancel":"take-1""#) })
        let none = CommandError(.badPayload, "None waits.")
        for number in 1...6 {
            rig.receive(
                answer(of: "hall", "zoom", id: "ctl-test-\(number)", .error, error: none),
                number == 2
                    ? answer(of: "attic", "capture", id: "ctl-test-2")
                    : answer(of: "attic", "zoom", id: "ctl-test-\(number)", .error, error: none))
        }
        #expect(rig.lines == ["stage: 1 done, 1 refused (bad_payload 1), 0 silent"])
    }

    // MARK: Recordings of a given length

    private static var tenSeconds: CtlOperation {
        .record(["on": .flag(true), "max_duration_s": .number(10)])
    }

    /// The cameras of three agents record.
    private func recordingRig(_ options: CtlOptions = options()) -> GroupRig {
        var rig = rig(Self.tenSeconds, options)
        for agent in Self.agents { rig.receive(answer(of: agent, "recording", id: Self.id)) }
        return rig
    }

    private func ended(
        _ agent: String, _ fields: RecordingFields = recording(), id: String = id
    ) -> BusMessage {
        var event = Event(.recordingFinished, boot: 1, ts: timestamp)
        (event.id, event.recording) = (id, fields)
        return message("\(agent)/door/event", JSON.bytes(event))
    }

    @Test func recordingsOfALengthAreWaitedFor() {
        var rig = recordingRig()
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/groups/stage/recording/set"])
        rig.wait(.seconds(10))
        rig.receive(ended("attic"), ended("cellar", id: "other"), ended("hall"))
        #expect(rig.exitCodes == [])
        rig.receive(ended("cellar"))
        let line = "/r/1.mkv, 640x360, 1.9 s, 1 kB, max_duration"
        #expect(
            rig.lines == [
                "attic/door: \(line)", "cellar/door: \(line)", "hall/door: \(line)",
                "stage: 3 done, 0 refused, 0 silent",
            ])
        #expect(rig.errors == [] && rig.exitCodes == [0])
    }

    /// The end may come before the answer to the start.
    @Test func aRecordingThatEndsAtOnceIsDone() {
        var rig = rig(Self.tenSeconds, options(json: true), retained: member("hall"))
        rig.receive(ended("hall"), answer(of: "hall", "recording", id: Self.id))
        #expect(rig.exitCodes == [0])
        let cameras = JSON(Array(rig.lines[0].utf8))?.object?["cameras"]?.list
        #expect(cameras?[0].object?["recording"]?.object?["path"] == .text("/r/1.mkv"))
    }

    /// A recording of several files ends with its last one.
    @Test func aRecordingThatGoesOnInAnotherFileIsWaitedFor() {
        var rig = recordingRig()
        rig.receive(ended("attic", recording(.continued, cause: .zoom)), ended("cellar"))
        rig.receive(ended("hall", recording(.continued, error: CommandError(.device, "It broke."))))
        #expect(rig.exitCodes == [])
        rig.receive(
            ended("attic", recording(path: "/r/2.mkv", earlier: ["/r/1.mkv"])),
            ended("hall", recording(path: "/r/2.mkv", earlier: ["/r/1.mkv"])))
        let end = "640x360, 1.9 s, 1 kB, max_duration"
        #expect(
            rig.lines == [
                "attic/door: /r/1.mkv, continued in the next file", "attic/door: /r/2.mkv, \(end)",
                "cellar/door: /r/1.mkv, \(end)", "stage: 2 done, 1 refused (device 1), 0 silent",
            ])
        #expect(rig.errors == ["hall/door: device: It broke.; the incomplete file is /r/1.mkv"])
        #expect(rig.exitCodes == [1])
    }

    @Test func recordingsThatDoNotEndAsWantedAreCounted() {
        var rig = rig(Self.tenSeconds)
        let full = CommandError(.storageFull, "No room.")
        rig.receive(
            answer(of: "attic", "recording", id: Self.id, .error, error: CommandError(.busy, "It records.")),
            answer(of: "cellar", "recording", id: Self.id), answer(of: "hall", "recording", id: Self.id),
            ended("cellar", recording(.diskFull, error: full)), ended("hall", recording(.privacy)))
        #expect(rig.lines == ["stage: 0 done, 3 refused (busy 1, privacy 1, storage_full 1), 0 silent"])
        #expect(
            rig.errors == [
                "attic/door: busy: It records.",
                "cellar/door: storage_full: No room.; the incomplete file is /r/1.mkv",
                "hall/door: privacy: The recording ended early; its file is /r/1.mkv",
            ])
    }

    @Test func aRecordingWhoseEndIsNotReportedIsSilent() {
        var rig = recordingRig()
        rig.receive(ended("attic"), availability("cellar", .online, boot: 2))
        rig.wait(.seconds(60))
        #expect(rig.exitCodes == [])
        rig.wait(.seconds(10))
        #expect(rig.lines.last == "stage: 1 done, 0 refused, 2 silent" && rig.exitCodes == [1])
        #expect(
            rig.errors == [
                "cellar/door: the agent has restarted",
                "hall/door: the end of the recording was not reported",
            ])
    }

    @Test func anInterruptStopsTheRecordings() {
        var rig = recordingRig()
        rig.interrupt()
        #expect(rig.published.map(\.topic).suffix(1) == ["v4l2mqtt/groups/stage/recording/set"])
        #expect(rig.published[1].payload.contains(#""on":false"#) && rig.exitCodes == [])
        for agent in Self.agents { rig.receive(ended(agent, recording(.stopped))) }
        rig.interrupt()
        #expect(rig.exitCodes == [0])
    }

    /// A camera that has refused to record may be recording for another client.
    @Test func anInterruptStopsNoRecordingOfOthers() {
        var rig = rig(Self.tenSeconds)
        rig.receive(
            answer(of: "attic", "recording", id: Self.id, .error, error: CommandError(.busy, "It records.")),
            answer(of: "cellar", "recording", id: Self.id), ended("cellar"),
            answer(of: "hall", "recording", id: Self.id))
        rig.interrupt()
        #expect(rig.published.map(\.topic).dropFirst() == ["v4l2mqtt/hall/door/recording/set"])
    }

    /// What a camera does that has not answered is not known.
    @Test func aRecordingThatBeginsAfterAnInterruptIsStoppedThen() {
        var rig = rig(Self.tenSeconds, retained: member("attic") + member("hall"))
        rig.receive(answer(of: "attic", "recording", id: Self.id))
        rig.interrupt()
        #expect(rig.published.map(\.topic).dropFirst() == ["v4l2mqtt/attic/door/recording/set"])
        rig.receive(answer(of: "hall", "recording", id: Self.id))
        #expect(rig.published.map(\.topic).last == "v4l2mqtt/hall/door/recording/set")
        rig.receive(ended("attic", recording(.stopped)), ended("hall", recording(.stopped)))
        #expect(rig.exitCodes == [0])
    }

    @Test func aLostConnectionLeavesTheRecordingsAlone() {
        var rig = recordingRig()
        rig.handle(.connection(.disconnected(reason: "broker:1883: closed.", retryIn: .seconds(1))))
        #expect(
            rig.errors == [
                "broker:1883: closed. Where agents still run, the recordings go on until their end."
            ])
    }

    @Test func aConnectionThatIsLostEndsIt() {
        var rig = rig()
        rig.handle(.connection(.disconnected(reason: "broker:1883: closed", retryIn: .seconds(1))))
        #expect(rig.errors == ["broker:1883: closed"] && rig.exitCodes == [1])
    }
}
