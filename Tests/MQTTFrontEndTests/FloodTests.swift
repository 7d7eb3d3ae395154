import CameraCore
import Cameras
import MQTTBus
import MQTTFrontEnd
import Messages
import Settings
import TestSupport
import Testing

/// A client that floods is refused what is beyond its share; the others are served meanwhile.
struct FloodTests {
    static let zoom = "v4l2mqtt/porch/door/zoom/set"
    let bench = AgentBench(commandRate: 10)

    @Test func aFloodIsRefusedOnceASecond() {
        var codes: [JSONValue] = []
        var done = 0
        for _ in 0..<3000 {
            for answer in bench.answers(to: Self.zoom, #"{"by": 1, "client": "noisy"}"#) {
                if answer["status"] == "done" { done += 1 } else { codes.append(answer["error"]["code"]) }
            }
            bench.advance(by: .milliseconds(1))
        }
        #expect(codes == ["rate_limited", "rate_limited", "rate_limited"])
        // Ten in one burst, and ten in each second.
        #expect((39...40).contains(done))
    }

    @Test func anotherClientIsServedMeanwhileAndAStopIsNeverRefused() {
        for _ in 0..<100 { bench.deliver(Self.zoom, #"{"by": 1, "client": "noisy"}"#) }
        for number in 0..<5 {
            let answers = bench.answers(to: Self.zoom, "{\"factor\": \(1 + number), \"client\": \"calm\"}")
            #expect(answers.map { $0["status"] } == ["done"])
            let stop = bench.answers(to: Self.zoom, #"{"stop": true, "client": "noisy"}"#)
            #expect(stop.map { $0["status"] } == ["done"])
        }
    }

    @Test(arguments: [
        ("pinch", #"{"gesture": "g", "phase": "changed", "scale": 1.1, "client": "noisy", "id": "a"}"#),
        ("recording", #"{"on": false, "client": "noisy"}"#),
        ("preview", #"{"stop": true, "client": "noisy"}"#),
    ])
    func samplesAndWhatEndsSomethingDontCount(node: String, payload: String) {
        for _ in 0..<100 {
            let answers = bench.answers(to: "v4l2mqtt/porch/door/\(node)/set", payload)
            #expect(answers.allSatisfy { $0["error"]["code"] != "rate_limited" })
        }
        let answers = bench.answers(to: Self.zoom, #"{"by": 1, "client": "noisy"}"#)
        #expect(answers.first?["status"] == "done")
    }

    @Test func whatCannotBeReadCountsToo() {
        for _ in 0..<10 {
            #expect(bench.answers(to: Self.zoom, "{")[0]["error"]["code"] == "bad_payload")
        }
        #expect(bench.answers(to: Self.zoom, "{")[0]["error"]["code"] == "rate_limited")
        #expect(bench.deliver(Self.zoom, "{").isEmpty)
    }

    @Test func topicsThatAreNotThereCountToo() {
        let topic = "v4l2mqtt/porch/door/nosuch/set"
        for _ in 0..<10 { #expect(bench.answers(to: topic, "{}")[0]["error"]["code"] == "bad_topic") }
        #expect(bench.answers(to: topic, "{}")[0]["error"]["code"] == "rate_limited")
        #expect(bench.deliver(topic, "{}").isEmpty)
    }

    @Test func aButtonThatIsHeldCanBeReleased() {
        let capture = "v4l2mqtt/porch/door/capture/set"
        bench.deliver(capture, #"{"phase": "began", "client": "noisy"}"#)
        for _ in 0..<100 { bench.deliver(Self.zoom, #"{"by": 1, "client": "noisy"}"#) }
        #expect(bench.state(.capture)["pressed"] == ["primary"])
        let answers = bench.answers(to: capture, #"{"phase": "ended", "client": "noisy"}"#)
        #expect(answers.allSatisfy { $0["status"] != "error" } && bench.state(.capture)["pressed"] == [])
    }

    @Test func refusalsGiveWayToAnswersWhenTheBrokerIsSlow() {
        bench.bus.hasCapacity = false
        let published = bench.deliver(Self.zoom, #"{"factor": 0}"#)
        #expect(published.map(\.topic) == ["v4l2mqtt/porch/door/zoom/reply"])
        bench.bus.hasCapacity = true
        #expect(bench.deliver(Self.zoom, #"{"factor": 0}"#).count == 2)
        // While there is no connection, events wait with the answers.
        (bench.bus.hasCapacity, bench.bus.isConnected) = (false, false)
        #expect(bench.deliver(Self.zoom, #"{"factor": 0}"#).count == 2)
    }
}
