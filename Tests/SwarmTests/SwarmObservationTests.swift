import Messages
import Swarm
import Testing

/// What is counted of the messages of a swarm.
struct SwarmObservationTests {
    private static let plan = SwarmPlan(
        agents: 3, processes: 1, name: "swarm", baseTopic: "cameras/all", discoveryPrefix: "swarm/discovery")
    private var observation = SwarmObservation(plan)

    private mutating func receive(_ topic: String, _ text: String, at seconds: Double = 0) {
        observation.receive(topic, Array(text.utf8), at: .seconds(seconds))
    }

    @Test mutating func agentsAreOnlineOnceTheySaySo() {
        receive("cameras/all/swarm-0/availability", #"{"state": "offline", "boot": 1}"#)
        receive("cameras/all/swarm-1/availability", #"{"state": "online", "boot": 1}"#, at: 1)
        receive("cameras/all/swarm-1/availability", #"{"state": "online", "boot": 1}"#, at: 2)
        receive("cameras/all/swarm-1/camera/availability", #"{"state": "online"}"#)
        #expect(observation.online.count == 1 && observation.online.missing == 2)
        receive("cameras/all/swarm-2/availability", #"{"state": "online", "boot": 1}"#, at: 4)
        receive("cameras/all/swarm-0/availability", #"{"state": "online", "boot": 1}"#, at: 8)
        #expect(observation.online.isComplete)
        #expect(observation.online.statistics(since: .seconds(1)) == .init(first: 0, median: 3, last: 7))
    }

    @Test mutating func messagesOfOtherAgentsAreNotCounted() {
        for topic in [
            "cameras/all/porch/availability", "cameras/all/swarm-3/availability",
            "cameras/swarm-1/availability",
            "swarm/discovery/device/v4l2mqtt_camera_AT_swarm-1/config", "cameras/all",
        ] {
            receive(topic, #"{"state": "online", "boot": 1}"#)
        }
        #expect(observation.counts.total == 0 && observation.online.count == 0)
    }

    @Test mutating func documentsAreCountedAnew() {
        for agent in 0..<3 { receive(Self.plan.document(agent), "{}") }
        #expect(observation.documents.isComplete)
        observation.awaitDocuments()
        #expect(observation.documents.count == 0)
        receive(Self.plan.document(1), "")
        #expect(observation.documents.count == 0, "a removal is no document")
        receive(Self.plan.document(1), "{}")
        #expect(observation.documents.count == 1 && observation.counts.total == 5)
    }

    @Test mutating func finalAnswersToTheCommandAreCounted() {
        func reply(_ status: String, _ id: String, _ more: String = "") -> String {
            #"{"status": "\#(status)", "id": "\#(id)", "boot": 1, "ts": "2026-01-01T00:00:00.000Z"\#(more)}"#
        }
        func topic(_ agent: Int) -> String { "cameras/all/swarm-\(agent)/camera/zoom/reply" }
        receive(topic(0), reply("done", "a"))
        observation.awaitAnswers(to: "b")
        receive(topic(0), reply("done", "a"))
        receive(topic(0), reply("accepted", "b"))
        #expect(observation.answers.count == 0)
        receive(topic(0), reply("done", "b"))
        receive(topic(1), reply("error", "b", #", "error": {"code": "unavailable", "message": "gone"}"#))
        receive(topic(2), reply("superseded", "b"))
        #expect(observation.answers.count == 1)
        #expect(observation.refusals == ["unavailable": 1, "superseded": 1])
    }

    @Test mutating func whatOneAgentRetainsIsTheLastPayloadOfEachTopic() {
        receive("cameras/all/swarm-0/info", "12345")
        receive("cameras/all/swarm-0/info", "123")
        receive("cameras/all/swarm-0/camera/image", "")
        receive("cameras/all/swarm-0/camera/event", "1234567")
        receive("cameras/all/swarm-1/info", "12345")
        receive(Self.plan.document(0), "1234")
        #expect(observation.retained.values.sorted() == [3, 4] && observation.documentBytes == 4)
    }
}
