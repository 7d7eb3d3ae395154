import Core
import TestSupport
import Testing

@testable import Bus
@testable import Cameras
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// The way from a message to a camera: topics, payloads, retained messages and response topics.
struct CommandRouterTests {
    let bench = AgentBench()
    static let zoom = "v4l2mqtt/porch/door/zoom/set"
    static let reply = "v4l2mqtt/porch/door/zoom/reply"

    @Test func aCommandIsCarriedOutAndAnswered() {
        let published = bench.deliver(Self.zoom, #"{"factor": 2, "id": "1", "client": "phone"}"#)
        let answer = published.first { $0.topic == Self.reply }
        #expect(answer?.json["status"] == "done" && answer?.json["id"] == "1")
        #expect(answer?.json["camera"] == "door" && answer?.json["node"] == "zoom")
        #expect(answer?.isRetained == false && answer?.properties == nil)
        #expect(bench.state(.zoom)["factor"] == 2)
    }

    @Test(arguments: [
        (QualityOfService.atMostOnce, QualityOfService.atMostOnce), (.atLeastOnce, .atLeastOnce),
        (.exactlyOnce, .atLeastOnce),
    ])
    func anAnswerHasTheQoSOfItsCommand(sent: QualityOfService, answered: QualityOfService) {
        let published = bench.deliver(Self.zoom, "2", qos: sent)
        #expect(published.first { $0.topic == Self.reply }?.qos == answered)
    }

    @Test func everyNodeHasItsTopic() {
        for node in Node.allCases where node != .pinch && node != .touch {
            let answers = bench.answers(to: "v4l2mqtt/porch/door/\(node.name)/set", "[]")
            #expect(answers.map { $0["node"] } == [.text(node.name)], "\(node)")
        }
    }

    @Test func aPayloadThatCannotBeReadIsRefusedWithWhatWasWrong() {
        let published = bench.deliver(Self.zoom, #"{"factor": "wide", "id": "7"}"#)
        let answer = published.first { $0.topic == Self.reply }?.json ?? .null
        #expect(answer["status"] == "error" && answer["id"] == "7")
        #expect(answer["error"]["code"] == "bad_payload" && answer["error"]["field"] == "factor")
        #expect((answer["error"]["message"].text ?? "").count > 10)
        let event = published.first { $0.topic == "v4l2mqtt/porch/door/event" }?.json ?? .null
        #expect(event["event"] == "refused" && event["error"] == answer["error"])
        #expect(bench.state(.zoom)["factor"] == 1)
    }

    /// The order of the checks is part of the contract: the rate first, then the stop, then the message.
    @Test(arguments: [
        (zoom, "2", false), (zoom, "{", false), (zoom, "2", true),
        ("v4l2mqtt/porch/door/nosuch/set", "2", false),
    ])
    func aStoppingAgentRefusesWhateverTheMessageIs(topic: String, payload: String, isRetained: Bool) {
        bench.cameras["door"]?.beginStop()
        let answers = bench.answers(to: topic, payload, isRetained: isRetained)
        #expect(answers.map { $0["error"]["code"] } == ["unavailable"])
        #expect(answers.map { $0["error"]["message"] } == ["The agent is stopping."])
    }

    @Test func aPayloadBeyond16KiBIsTooLarge() {
        let command = #"{"factor":2}"#
        let limit = command + String(repeating: " ", count: 16_384 - command.utf8.count)
        #expect(bench.answers(to: Self.zoom, limit + " ")[0]["error"]["code"] == "too_large")
        #expect(bench.answers(to: Self.zoom, limit)[0]["status"] == "done")
    }

    // MARK: Response topics

    @Test func anAnswerGoesToTheResponseTopic() {
        let published = bench.deliver(
            Self.zoom, "2", responseTopic: "replies/phone", correlation: [1, 2, 3])
        let answer = published.first { $0.topic == "replies/phone" }
        #expect(answer?.json["status"] == "done")
        #expect(answer?.properties?.correlation == [1, 2, 3])
        #expect(answer?.properties?.contentType == "application/json")
        #expect(!published.contains { $0.topic == Self.reply })
    }

    @Test(arguments: [
        "v4l2mqtt/porch/door/zoom", "v4l2mqtt/porch/door/zoom/set", "v4l2mqtt/other/door/zoom/set",
        "v4l2mqtt/groups/all/zoom/set", "replies/+", "replies/#", "", "v4l2mqtt/\u{301}door/zoom/set",
        "replies/", "replies",
        "answers/phone", "homeassistant/status", "v4l2mqtt/other/door/zoom/reply",
        "v4l2mqtt/groups/all/zoom/reply", "$SYS/broker/reply",
    ])
    func aResponseTopicThatIsNoneIsRefusedOnTheReplyTopic(topic: String) {
        let published = bench.deliver(Self.zoom, "2", responseTopic: topic)
        let answer = published.first { $0.topic == Self.reply }?.json ?? .null
        #expect(answer["error"]["code"] == "bad_topic")
        #expect(!published.contains { $0.topic == topic } && bench.state(.zoom)["factor"] == 1)
    }

    @Test func aReplyTopicOfTheAgentMayBeTheResponseTopic() {
        let topic = "v4l2mqtt/porch/door/phone/reply"
        #expect(bench.answers(to: Self.zoom, "2", responseTopic: topic)[0]["status"] == "done")
    }

    @Test func theConfigurationSaysWhereAnswersMayGo() {
        let bench = AgentBench(responseTopics: ["answers/", "site/phones/"])
        for topic in ["answers/1", "site/phones/7", "v4l2mqtt/porch/door/zoom/reply"] {
            #expect(bench.answers(to: Self.zoom, "2", responseTopic: topic)[0]["status"] == "done")
        }
        let published = bench.deliver(Self.zoom, "3", responseTopic: "replies/phone")
        let error = published.first { $0.topic == Self.reply }?.json["error"] ?? .null
        #expect(error["code"] == "bad_topic" && error["message"].text?.contains("below answers/") == true)
        #expect(bench.state(.zoom)["factor"] == 2)
    }

    @Test func aPhotoIsAnAnswerOnlyOnAResponseTopic() {
        let capture = "v4l2mqtt/porch/door/capture/set"
        bench.deliver(capture, #"{"reply": "image"}"#)
        bench.advance(by: .seconds(1))
        let answer = bench.bus.last(on: "v4l2mqtt/porch/door/capture/reply")
        #expect(answer["status"] == "done" && answer["photos"].list.count == 1)
        bench.deliver(
            capture, #"{"reply": "image", "id": "p"}"#, responseTopic: "replies/phone", correlation: [9])
        bench.advance(by: .seconds(1))
        let photo = bench.bus.messages(on: "replies/phone").last
        #expect(photo?.properties?.contentType == "image/jpeg" && photo?.properties?.correlation == [9])
        #expect(photo?.properties?.user.contains { $0.name == "id" && $0.value == "p" } == true)
    }

    // MARK: Retained commands

    @Test(arguments: [
        ("zoom", #"{"factor": 5}"#), ("pinch", #"{"gesture": "g", "phase": "began"}"#), ("capture", "{}"),
        ("controls", #"{"brightness": 1}"#), ("viewport", #"{"by": {"dx": 1}}"#),
        ("lease", #"{"take": true, "client": "c"}"#), ("session", "low"), ("recording", "ON"),
        ("touch", #"{"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]}"#),
    ])
    func aRetainedCommandIsRefusedAsStale(node: String, payload: String) {
        let states = bench.bus.messages.count { $0.isRetained }
        let answers = bench.answers(to: "v4l2mqtt/porch/door/\(node)/set", payload, isRetained: true)
        #expect(answers.map { $0["error"]["code"] } == ["stale"])
        #expect(bench.bus.messages.count { $0.isRetained } == states, "it changed nothing")
    }

    @Test func aRetainedDesiredStateIsApplied() {
        let topic = "v4l2mqtt/porch/door/desired/set"
        let answers = bench.answers(to: topic, #"{"version": 1, "zoom": {"factor": 3}}"#, isRetained: true)
        #expect(answers.last?["status"] == "done" && bench.state(.zoom)["factor"] == 3)
    }

    // MARK: Other topics

    @Test(arguments: [
        ("door", "nosuch"), ("nosuch", "zoom"), ("nosuch", "nosuch"), ("door", "Zoom"), ("door", ""),
        ("", "zoom"),
    ])
    func aCameraOrANodeThatIsNotThereIsABadTopic(camera: String, node: String) {
        let topic = "v4l2mqtt/porch/\(camera)/\(node)/set"
        let published = bench.deliver(topic, #"{"factor": 5, "id": "x", "client": "phone"}"#)
        let answer = published.first { $0.topic == "v4l2mqtt/porch/\(camera)/\(node)/reply" }?.json ?? .null
        #expect(answer["error"]["code"] == "bad_topic" && answer["id"] == "x")
        #expect(answer["camera"] == .text(camera) && answer["node"] == .text(node))
        let message = answer["error"]["message"].text ?? ""
        #expect(message.contains(camera == "door" ? "zoom, " : "door"), "it names the nodes or the camera")
        #expect(bench.state(.zoom)["factor"] == 1)
    }

    @Test func aTopicThatIsALevelShortIsABadTopic() {
        let answer = bench.answers(to: "v4l2mqtt/porch/door/set", "5").first ?? .null
        #expect(answer["error"]["code"] == "bad_topic" && answer["camera"] == .null)
        #expect(answer["error"]["message"].text?.contains("v4l2mqtt/porch/door/zoom/set") == true)
    }

    @Test(arguments: [
        "v4l2mqtt/porch/door/zoom", "v4l2mqtt/porch/door/zoom/set/phone/more", "v4l2mqtt/other/door/zoom/set",
        "home/lamp/set", "v4l2mqtt/groups/outside/zoom", "v4l2mqtt/porch\u{301}/door/zoom/set",
    ])
    func whatIsNoCommandIsNotAnswered(topic: String) {
        #expect(bench.deliver(topic, "5").isEmpty && bench.otherMessages.isEmpty)
    }

    @Test func aTopicOfAnotherSubscriptionIsItsOwn() {
        #expect(bench.deliver(AgentBench.otherTopic, "5").isEmpty)
        #expect(bench.otherMessages.map(\.payload) == [Array("5".utf8)] && bench.wildcardMessages.isEmpty)
        #expect(bench.deliver("home/lamp", "6").isEmpty)
        #expect(bench.otherMessages.count == 1 && bench.wildcardMessages.map(\.topic) == ["home/lamp"])
    }

    @Test func retainedMessagesOfUnknownTopicsAreAnsweredAsStale() {
        let answers = bench.answers(to: "v4l2mqtt/porch/door/nosuch/set", "5", isRetained: true)
        #expect(answers[0]["error"]["code"] == "stale")
    }

    @Test func theSubscriptionsCoverCommandsGroupsAndButtons() {
        let settings = AgentSettings(
            agent: "porch",
            cameras: [
                CameraSettings(
                    id: "door", groups: ["outside", "all"],
                    shutter: ShutterSettings(buttons: [RemoteButton(topic: "home/bell", press: ["1"])])),
                CameraSettings(id: "yard", groups: ["outside"]),
            ])
        #expect(
            MQTTFrontEndFilters.names(settings) == [
                "v4l2mqtt/groups/all/+/set", "v4l2mqtt/groups/all/+/set/+",
                "v4l2mqtt/groups/outside/+/set", "v4l2mqtt/groups/outside/+/set/+",
                "v4l2mqtt/porch/+/+/set", "v4l2mqtt/porch/+/+/set/+", "v4l2mqtt/porch/+/set",
                "v4l2mqtt/porch/+/set/+", "home/bell",
            ])
    }
}
