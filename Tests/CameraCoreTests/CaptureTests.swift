import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Photos: what they show, and what is published of them.
struct CaptureTests {
    let bench = CameraBench()

    init() { bench.attach() }

    @Test func aPhotoIsAnsweredPublishedCountedAndRemembered() throws {
        let reply = bench.send(.capture, #"{"size": {"width": 32}, "id": "shot-1", "client": "tablet"}"#)
        #expect(reply.statuses == [.accepted, .done])
        #expect(reply.replyMessages.allSatisfy { $0["id"] == "shot-1" && $0["client"] == "tablet" })
        let photo = reply.lastMessage["photos"][0]
        #expect(photo["width"] == 32 && photo["sequence"] == 1 && photo["index"] == 1 && photo["of"] == 1)
        #expect(photo["path"] == "captures/camera-1.jpg" && photo["bytes"] == 4)
        let event = try #require(bench.eventMessages("shutter").first)
        #expect(event["photo"] == photo && event["id"] == "shot-1" && event["client"] == "tablet")
        let state = bench.state(.capture)
        #expect(state["last"] == photo && state["pending"] == 0 && state["counter"] == 1)
        #expect(bench.frontEnd.photos == reply.replies.last?.photos)
        #expect(bench.media.stored == ["captures/camera-1.jpg"])
    }

    @Test(arguments: ["", "{}", #"{"count": 1}"#]) func theStatesCountPhotosThatAreStillToBeMade(
        _ json: String
    ) {
        #expect(bench.state(.capture)["last"] == nil && bench.state(.capture)["counter"] == 0)
        bench.media.held = [.encode]
        let reply = bench.send(.capture, json)
        #expect(reply.statuses == [.accepted] && bench.state(.capture)["pending"] == 1)
        bench.media.release(.encode)
        #expect(reply.statuses == [.accepted, .done] && bench.state(.capture)["pending"] == 0)
    }

    /// The last anchor has the view touch the edge of the scene.
    @Test(
        arguments: [1, 1.5, 2, 3, 8],
        [#"{"x": 0.5, "y": 0.5}"#, #"{"x": 0.9, "y": 0.2}"#, #"{"x": 1, "y": 1}"#])
    func aPhotoShowsWhatIsInView(factor: Double, anchor: String) throws {
        bench.send(.zoom, #"{"factor": \#(factor), "anchor": \#(anchor)}"#)
        let photo = bench.photo()
        let zoom = bench.state(.zoom)
        #expect(photo["factor"] == .number(factor) && zoom["factor"] == .number(factor))
        #expect(photo["viewport"] == zoom["viewport"])
        let view = try #require(bench.media.encoded.last?.view)
        let sides = [view.x, view.y, view.width, view.height]
        for (name, side) in zip(["x", "y", "width", "height"], sides) {
            let published = try #require(zoom["viewport"][name].number)
            #expect(abs(published - side) < 1e-5, "\(name)")
        }
    }

    @Test func sizeAndQualityAreTheEncodersLimits() {
        bench.photo(#"{"size": {"width": 40, "height": 9}, "quality": 10}"#)
        bench.photo(#"{"size": {"height": 18}}"#)
        bench.photo()
        #expect(bench.media.encoded.map(\.width) == [40, nil, nil])
        #expect(bench.media.encoded.map(\.height) == [9, 18, nil])
        #expect(bench.media.encoded.map(\.quality) == [10, nil, nil])
    }

    @Test func aLargerPhotoThanTheCameraGivesIsClamped() {
        let large = bench.send(.capture, #"{"size": {"width": 1000}}"#)
        #expect(large.lastMessage["clamped"] == true && large.lastMessage["status"] == "done")
        #expect(bench.send(.capture).lastMessage["clamped"] == nil)
    }

    @Test func aPhotoIsExposedAfterItsRequest() {
        bench.advance(by: .milliseconds(1_001))
        let first = bench.photo()
        #expect(
            first["requested_at"] == .text(bench.timestamp) && first["exposed_at"] == first["requested_at"])
        bench.advance(by: .milliseconds(10))
        let second = bench.photo()
        #expect(second["frame"] == 2, "the frame from before the request was taken")
        #expect(second["exposed_at"].text ?? "" > second["requested_at"].text ?? "")
    }

    @Test func aRecentFrameIsUsedIfItsAgeIsAllowed() {
        #expect(bench.photo()["frame"] == 1)
        bench.advance(by: .milliseconds(500))
        #expect(bench.photo(#"{"max_age_ms": 501}"#)["frame"] == 1)
        #expect(bench.photo(#"{"fresh": false}"#)["frame"] == 1)
        #expect(bench.photo(#"{"max_age_ms": 499}"#)["frame"] == 2)
        bench.advance(by: .milliseconds(500))
        #expect(bench.photo(#"{"fresh": true}"#)["frame"] == 3)
    }

    @Test func theCountGoesOnAfterARestart() {
        bench.photo()
        bench.photo()
        bench.stop()
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.state(.capture)["counter"] == 2 && next.state(.capture)["last"]["sequence"] == 2)
        #expect(next.photo()["sequence"] == 3)
    }

    @Test func aPhotoDoesntFailAConditionOnTheRevision() {
        let rev = bench.send(.zoom, #"{"factor": 2}"#).lastMessage["rev"].number ?? 0
        bench.photo()
        #expect(bench.send(.zoom, #"{"factor": 3, "if_rev": \#(Int(rev))}"#).statuses == [.done])
    }
}
