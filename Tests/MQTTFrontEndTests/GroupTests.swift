import Core
import TestSupport
import Testing

@testable import Bus
@testable import Cameras
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// One command for several cameras: each carries it out and answers it.
struct GroupTests {
    static let group = "v4l2mqtt/groups/outside"
    let bench = AgentBench([
        CameraSettings(id: "door", groups: ["outside", "all"]),
        CameraSettings(id: "yard", groups: ["outside"], zoom: 1...4),
        CameraSettings(id: "hall", groups: ["all"]),
    ])

    /// The final answers by camera.
    private func answers(_ node: String, _ payload: String, isRetained: Bool = false) -> [String: JSONValue] {
        let answers = bench.answers(to: "\(Self.group)/\(node)/set", payload, isRetained: isRetained)
            .filter { $0["status"] != "accepted" }
        return Dictionary(answers.map { ($0["camera"].text ?? "", $0) }) { $1 }
    }

    @Test func eachCameraOfTheGroupCarriesItOutAndAnswers() {
        let published = bench.deliver("\(Self.group)/zoom/set", #"{"factor": 3, "id": "g"}"#)
        let replies = published.filter { $0.topic.hasSuffix("/reply") }
        #expect(
            replies.map(\.topic) == ["v4l2mqtt/porch/door/zoom/reply", "v4l2mqtt/porch/yard/zoom/reply"])
        for reply in replies { #expect(reply.json["status"] == "done" && reply.json["id"] == "g") }
        #expect(
            bench.state(.zoom, of: "door")["factor"] == 3 && bench.state(.zoom, of: "yard")["factor"] == 3)
        #expect(bench.state(.zoom, of: "hall")["factor"] == 1)
    }

    @Test func aGroupIsMadePrivate() {
        let replies = answers("privacy", #"{"state": "ON", "client": "desk"}"#)
        #expect(replies["door"]?["status"] == "done" && replies["yard"]?["status"] == "done")
        #expect(bench.state(.privacy, of: "door")["client"] == "desk")
        #expect(bench.state(.privacy, of: "hall")["state"] == "OFF")
    }

    @Test func eachCameraAnswersForItself() {
        let replies = answers("zoom", #"{"factor": 6}"#)
        #expect(replies["door"]?["factor"] == 6 && replies["door"]?["clamped"] == .null)
        #expect(replies["yard"]?["factor"] == 4 && replies["yard"]?["clamped"] == true)
    }

    @Test func allAnswersGoToTheResponseTopic() {
        let answers = bench.answers(to: "\(Self.group)/zoom/set", "2", responseTopic: "replies/phone")
        #expect(answers.map { $0["camera"] } == ["door", "yard"])
    }

    @Test func oneRefusesAndTheOtherObeys() {
        bench.deliver("v4l2mqtt/porch/yard/lease/set", #"{"take": true, "client": "desk"}"#)
        let replies = answers("zoom", #"{"factor": 2, "client": "phone"}"#)
        #expect(replies["door"]?["status"] == "done" && replies["yard"]?["error"]["code"] == "held")
    }

    @Test(arguments: [
        ("pinch", #"{"gesture": "g", "phase": "ended", "id": "1"}"#), ("viewport", #"{"by": {"dx": 0.1}}"#),
        ("controls", #"{"brightness": 100}"#), ("capture", #"{"size": {"width": 64}}"#),
        ("lease", #"{"release": true}"#), ("desired", #"{"version": 1, "zoom": {"factor": 1}}"#),
        ("session", "low"), ("presets", #"{"save": "a"}"#), ("recording", "OFF"), ("preview", "OFF"),
        (
            "touch",
            #"{"gesture": "g", "id": "2", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "ended"}]}"#
        ),
    ])
    func everyNodeTakesTheCommandsOfAGroup(node: String, payload: String) {
        let replies = answers(node, payload)
        #expect(replies.mapValues { $0["status"] } == ["door": "done", "yard": "done"])
    }

    @Test func aWrongCommandIsRefusedByEach() {
        let replies = answers("zoom", #"{"factor": 0}"#)
        #expect(replies.mapValues { $0["error"]["code"] } == ["door": "bad_payload", "yard": "bad_payload"])
    }

    @Test func aRetainedCommandIsRefusedByEach() {
        let replies = answers("zoom", #"{"factor": 3}"#, isRetained: true)
        #expect(replies.mapValues { $0["error"]["code"] } == ["door": "stale", "yard": "stale"])
    }

    // MARK: Desired states

    private func desired(_ camera: String = "door") -> JSONValue { bench.state(.desired, of: camera) }

    @Test func aRetainedDesiredStateOfAGroupIsAppliedOnceByEach() {
        let command = #"{"version": 3, "zoom": {"factor": 3}}"#
        let first = answers("desired", command, isRetained: true)
        #expect(first.mapValues { $0["status"] } == ["door": "done", "yard": "done"])
        #expect(desired()["group"] == "outside" && desired()["version"] == 3 && desired("hall") == .null)
        bench.deliver("v4l2mqtt/porch/door/zoom/set", "2")
        // The broker delivers it again at each connection.
        _ = answers("desired", command, isRetained: true)
        #expect(bench.state(.zoom, of: "door")["factor"] == 2)
        let older = answers("desired", #"{"version": 2}"#, isRetained: true)
        #expect(older.mapValues { $0["error"]["code"] } == ["door": "stale", "yard": "stale"])
    }

    @Test func aVersionOfAGroupOnTheTopicOfACameraIsKnownWhenTheGroupsCopyComes() {
        bench.deliver(
            "v4l2mqtt/porch/door/desired/set", #"{"version": 5, "group": "outside", "zoom": {"factor": 3}}"#)
        bench.deliver("v4l2mqtt/porch/door/zoom/set", "2")
        let copy = #"{"version": 5, "group": "outside", "zoom": {"factor": 3}}"#
        let replies = answers("desired", copy, isRetained: true)
        #expect(replies.mapValues { $0["status"] } == ["door": "done", "yard": "done"])
        #expect(bench.state(.zoom, of: "door")["factor"] == 2, "the camera had it already")
        #expect(bench.state(.zoom, of: "yard")["factor"] == 3)
    }

    @Test func aVersionForAnotherGroupIsRefused() {
        for (topic, group) in [("groups/outside", "all"), ("porch/yard", "all"), ("porch/hall", "outside")] {
            let replies = bench.answers(
                to: "v4l2mqtt/\(topic)/desired/set", #"{"version": 1, "group": "\#(group)"}"#)
            #expect(!replies.isEmpty)
            for reply in replies {
                #expect(reply["error"]["code"] == "bad_payload" && reply["error"]["field"] == "group")
            }
        }
    }

    @Test func whatIsRetainedForGroupsIsSubscribedBeforeWhatIsForCameras() throws {
        let settings = AgentSettings(
            agent: "porch", cameras: [CameraSettings(id: "door", groups: ["outside"])])
        let retained = MQTTFrontEnd.filters(settings).filter { $0.kind == .includingRetained }.map(\.filter)
        #expect(
            retained == [
                "v4l2mqtt/groups/outside/+/set", "v4l2mqtt/groups/outside/+/set/+",
                "v4l2mqtt/porch/+/+/set", "v4l2mqtt/porch/+/+/set/+", "v4l2mqtt/porch/+/set",
                "v4l2mqtt/porch/+/set/+",
            ])
    }

    @Test func aNodeThatIsNotThereIsRefusedByEach() {
        let replies = answers("nosuch", "{}")
        #expect(replies.mapValues { $0["error"]["code"] } == ["door": "bad_topic", "yard": "bad_topic"])
    }

    @Test func aGroupOfNoCameraIsOfAnotherAgent() {
        #expect(bench.deliver("v4l2mqtt/groups/inside/zoom/set", "5").isEmpty)
    }

    @Test func aFloodToAGroupCountsOnceForEachCommand() {
        let bench = AgentBench(
            [CameraSettings(id: "door", groups: ["all"]), CameraSettings(id: "yard", groups: ["all"])],
            limits: LimitSettings(commandRate: 10))
        for _ in 0..<10 {
            let answers = bench.answers(to: "v4l2mqtt/groups/all/zoom/set", #"{"by": 1, "client": "c"}"#)
            #expect(answers.map { $0["status"] } == ["done", "done"])
        }
        let (topic, command) = ("v4l2mqtt/groups/all/zoom/set", #"{"by": 1, "client": "c"}"#)
        let refused = bench.answers(to: topic, command, qos: .atMostOnce)
        #expect(refused.map { $0["error"]["code"] } == ["rate_limited", "rate_limited"])
        #expect(bench.answers(to: topic, command, qos: .atMostOnce).isEmpty)
    }
}
