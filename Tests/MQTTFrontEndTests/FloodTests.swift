import Core
import TestSupport
import Testing

@testable import Bus
@testable import Cameras
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// A client that floods is refused what is beyond its share; the others are served meanwhile.
struct FloodTests {
    static let zoom = "v4l2mqtt/porch/door/zoom/set"
    let bench = AgentBench(limits: LimitSettings(commandRate: 10))

    @Test func aFloodIsRefusedOnceASecond() {
        var codes: [JSONValue] = []
        var done = 0
        for _ in 0..<3000 {
            let answers = bench.answers(
                to: Self.zoom, #"{"by": 1, "client": "noisy"}"#, qos: .atMostOnce)
            for answer in answers {
                if answer["status"] == "done" { done += 1 } else { codes.append(answer["error"]["code"]) }
            }
            bench.advance(by: .milliseconds(1))
        }
        #expect(codes == ["rate_limited", "rate_limited", "rate_limited"])
        // Ten in one burst, and ten in each second.
        #expect((39...40).contains(done))
    }

    /// The flood has the name of another client, or none as that client: with QoS 1 this one learns it.
    @Test(arguments: [#", "client": "honest""#, ""])
    func aFloodInTheNameOfAClientLeavesNoCommandWithQoS1Unanswered(client: String) {
        for _ in 0..<100 { bench.deliver(Self.zoom, #"{"by": 1\#(client)}"#, qos: .atMostOnce) }
        for number in 0..<20 {
            let answers = bench.answers(to: Self.zoom, #"{"factor": 2, "id": "\#(number)"\#(client)}"#)
            #expect(answers.map { $0["error"]["code"] } == ["rate_limited"])
            #expect(answers.first?["id"].text == "\(number)")
        }
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
        #expect(bench.answers(to: Self.zoom, "{", qos: .atMostOnce)[0]["error"]["code"] == "rate_limited")
        #expect(bench.deliver(Self.zoom, "{", qos: .atMostOnce).isEmpty)
    }

    @Test func topicsThatAreNotThereCountToo() {
        let topic = "v4l2mqtt/porch/door/nosuch/set"
        for _ in 0..<10 { #expect(bench.answers(to: topic, "{}")[0]["error"]["code"] == "bad_topic") }
        #expect(bench.answers(to: topic, "{}", qos: .atMostOnce)[0]["error"]["code"] == "rate_limited")
        #expect(bench.deliver(topic, "{}", qos: .atMostOnce).isEmpty)
    }

    @Test func aButtonThatIsHeldCanBeReleased() {
        let capture = "v4l2mqtt/porch/door/capture/set"
        bench.deliver(capture, #"{"phase": "began", "client": "noisy"}"#)
        for _ in 0..<100 { bench.deliver(Self.zoom, #"{"by": 1, "client": "noisy"}"#) }
        #expect(bench.state(.capture)["pressed"] == ["primary"])
        let answers = bench.answers(to: capture, #"{"phase": "ended", "client": "noisy"}"#)
        #expect(answers.allSatisfy { $0["status"] != "error" } && bench.state(.capture)["pressed"] == [])
    }

    /// A release without its press takes a photo by itself.
    @Test func aReleaseWithoutItsPressCounts() {
        let release = #"{"phase": "ended", "client": "noisy"}"#
        for _ in 0..<10 {
            #expect(bench.answers(to: Self.capture, release).allSatisfy { $0["status"] != "error" })
        }
        let answers = bench.answers(to: Self.capture, release, qos: .atMostOnce)
        #expect(answers.map { $0["error"]["code"] } == ["rate_limited"])
    }

    // MARK: Photos

    static let capture = "v4l2mqtt/porch/door/capture/set"

    /// The codes of the errors of some captures; "" for those that are accepted.
    private func photos(
        _ count: Int, _ bench: AgentBench, _ payload: String = #""client": "a""#, to topic: String = capture
    ) -> [String] {
        let codes = (0..<count).flatMap { _ in
            let codes = bench.answers(to: topic, "{\(payload)}").map { $0["error"]["code"].text ?? "" }
            bench.advance(by: .milliseconds(100))
            return Set(codes)
        }
        return codes
    }

    @Test func theLimitOfPhotosIsAClientsOwn() {
        let bench = AgentBench(limits: LimitSettings(photoRate: 10))
        let codes = photos(30, bench)
        // One more came up in the meantime.
        #expect(codes.count { $0.isEmpty } == 10 && codes.contains("rate_limited"))
        #expect(photos(1, bench, #""client": "b""#) == [""])
        #expect(bench.answers(to: Self.zoom, #"{"factor": 2, "client": "a"}"#)[0]["status"] == "done")
        bench.advance(by: .seconds(60))
        #expect(photos(1, bench) == [""])
    }

    @Test func thePhotosOfASeriesCountAsFarAsTheyAreDueWithinAMinute() {
        let bench = AgentBench(limits: LimitSettings(photoRate: 10))
        // More than there is room for: the client makes up for it later.
        #expect(photos(1, bench, #""client": "a", "count": 100, "interval_ms": 1000"#) == [""])
        #expect(photos(1, bench) == ["rate_limited"])
        bench.advance(by: .seconds(300))
        #expect(photos(1, bench) == ["rate_limited"])
        bench.advance(by: .seconds(70))
        #expect(photos(1, bench) == [""])
        // One an hour is one in a minute.
        #expect(photos(1, bench, #""client": "b", "count": 24, "interval_ms": 3600000"#) == [""])
        #expect(photos(9, bench, #""client": "b""#).allSatisfy { $0.isEmpty })
    }

    @Test func thePhotosOfAllClientsAreLimited() {
        let bench = AgentBench(limits: LimitSettings(photoRate: 10))
        let codes = (0..<60).flatMap { photos(1, bench, #""client": "c\#($0)""#) }
        #expect(codes.prefix(40).allSatisfy { $0.isEmpty })
        #expect(codes.suffix(10).filter { $0 == "rate_limited" }.count >= 9)
    }

    @Test func thePhotoOfAPressCountsWhenItBegins() {
        let bench = AgentBench(limits: LimitSettings(photoRate: 10))
        for _ in 0..<10 {
            bench.answers(to: Self.capture, #"{"phase": "began", "client": "a"}"#)
            let release = bench.answers(to: Self.capture, #"{"phase": "ended", "client": "a"}"#)
            #expect(release.allSatisfy { $0["status"] != "error" })
            bench.advance(by: .milliseconds(400))
        }
        #expect(photos(1, bench, #""phase": "began", "client": "a""#) == ["rate_limited"])
    }

    @Test func thePhotosOfAGroupCountForEachCamera() {
        let cameras = ["door", "yard"].map { CameraSettings(id: $0, groups: ["all"]) }
        let bench = AgentBench(cameras, limits: LimitSettings(photoRate: 10))
        let codes = photos(6, bench, to: "v4l2mqtt/groups/all/capture/set")
        #expect(codes == ["", "", "", "", "", "rate_limited"])
    }

    // MARK: A new name for each command

    /// All in one instant, as no limit of a client could see: QoS 0, and a new client in each.
    private func flood(_ bench: AgentBench, _ topic: String = FloodTests.zoom, count: Int = 60_000)
        -> [JSONValue]
    {
        var answers: [JSONValue] = []
        for number in 0..<count {
            answers += bench.deliver(
                topic, #"{"factor": \#(number % 7 + 1), "client": "c\#(number)"}"#, qos: .atMostOnce
            ).filter { $0.topic.hasSuffix("/reply") }.map(\.json)
        }
        return answers
    }

    @Test func aFloodWithNewNamesIsDroppedUnread() {
        let answers = flood(AgentBench())
        // A fifth of 4,000 commands are carried out; of the others one is answered.
        #expect(answers.filter { $0["status"] == "done" }.count == 800)
        #expect(answers.filter { $0["error"]["code"] == "rate_limited" }.count == 1)
        #expect(answers.count == 801)
    }

    @Test func commandsWithQoS1AreCarriedOutDuringAFloodWithNewNames() {
        let bench = AgentBench()
        for number in 0..<50 {
            _ = flood(bench, count: 1_200)
            let answers = bench.answers(
                to: Self.zoom, #"{"factor": 2, "id": "\#(number)", "client": "honest"}"#)
            #expect(answers.map { $0["status"] } == ["done"])
        }
    }

    /// A sender with QoS 1 learns in any case whether its command was carried out.
    @Test func aFloodWithQoS1LeavesNoCommandUnanswered() {
        let bench = AgentBench()
        var codes: [String: Int] = [:]
        for number in 0..<10_000 {
            let answers = bench.answers(to: Self.zoom, #"{"factor": 2, "client": "c\#(number)"}"#)
            #expect(answers.count == 1)
            codes[answers[0]["error"]["code"].text ?? "", default: 0] += 1
        }
        #expect(codes == ["": 4_000, "rate_limited": 6_000])
    }

    @Test(arguments: [QualityOfService.atMostOnce, .atLeastOnce])
    func privacyIsSwitchedOnDuringAFlood(qos: QualityOfService) {
        let bench = AgentBench()
        for number in 0..<10_000 {
            bench.deliver(Self.zoom, #"{"factor": 2, "client": "c\#(number)"}"#, qos: qos)
        }
        let answers = bench.answers(to: "v4l2mqtt/porch/door/privacy/set", "ON")
        #expect(answers.last?["status"] == "done" && bench.state(.privacy)["state"] == "ON")
    }

    @Test func provedClientsAreServedDuringAFloodOfOthers() {
        let bench = AgentBench(clients: ClientSettings(mode: .proved))
        let answers = flood(bench)
        #expect(answers.count { $0["error"]["code"] == "unproved" } == 800 && answers.count == 801)
        for number in 0..<50 {
            _ = flood(bench, Self.zoom + "/stranger", count: 1_200)
            // Also with QoS 0.
            let answer = bench.deliver(Self.zoom + "/honest", #"{"factor": 2}"#, qos: .atMostOnce)
                .first { $0.topic == "replies/honest/porch/door/zoom" }
            #expect(answer?.json["status"] == "done", "command \(number)")
        }
    }

    @Test func anAccountNameIsNoProofWithoutTheModeThatRequiresIt() {
        let bench = AgentBench()
        var answers = 0
        for number in 0..<10_000 {
            answers += bench.deliver("\(Self.zoom)/c\(number)", "2", qos: .atMostOnce)
                .count { $0.topic.hasSuffix("/reply") }
        }
        #expect(answers == 801)
    }

    @Test(arguments: [
        "v4l2mqtt/porch/door/nosuch/set", "v4l2mqtt/porch/zoom/set", "v4l2mqtt/porch/door/touch/set",
    ])
    func otherTopicsAreLimitedToo(topic: String) {
        let answers = flood(AgentBench(), topic)
        // Samples cost a fifth.
        #expect(answers.count == (topic.contains("touch") ? 3_996 : 801))
        #expect(answers.last?["error"]["code"] == "rate_limited")
    }

    @Test func aRefusalOfAnUnreadMessageHasItsSender() {
        let bench = AgentBench(limits: LimitSettings(totalCommandRate: 10))
        for _ in 0..<10 { bench.deliver(Self.zoom, "2") }
        let answers = bench.answers(to: Self.zoom, #"{"factor": 3, "id": "i", "client": "c"}"#)
        #expect(answers.map { $0["error"]["code"] } == ["rate_limited"])
        #expect(answers.first?["id"] == "i" && answers.first?["client"] == "c")
        #expect(bench.state(.zoom)["factor"] == 2)
    }

    @Test func largePayloadsAreRefusedUnreadByTheirBytes() {
        let bench = AgentBench()
        let large = "{\"x\":\"" + String(repeating: "x", count: 54_000) + "\"}"
        var codes: [String: Int] = [:]
        for _ in 0..<200 {
            for answer in bench.answers(to: Self.zoom, large) {
                codes[answer["error"]["code"].text ?? "", default: 0] += 1
            }
        }
        // 4,000 KiB in a second. With QoS 1, each refusal is answered.
        #expect(codes == ["too_large": 76, "rate_limited": 124])
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
