import Cameras
import Messages
import TestSupport
import Testing

/// Captures one after the other: series, the order of several clients, and the limit of the queue.
struct CaptureQueueTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    @Test(arguments: [0, 100]) func aSeriesHasItsNumberOfPhotosAndOneAnswer(interval: Int) {
        let reply = bench.send(
            .capture,
            #"{"count": 3, "interval_ms": \#(interval), "size": {"width": 32}, "id": "s", "client": "c"}"#)
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.accepted, .done])
        let photos = reply.lastMessage["photos"].list
        #expect(photos.map { $0["index"] } == [1, 2, 3] && photos.allSatisfy { $0["of"] == 3 })
        #expect(photos.map { $0["sequence"] } == [1, 2, 3])
        #expect(photos.map { $0["frame"] } == [1, 2, 3])
        #expect(photos.map { $0["path"] } == (1...3).map { .text("captures/camera-\($0).jpg") })
        #expect(photos.allSatisfy { $0["width"] == 32 })
        let events = bench.eventMessages("shutter")
        #expect(
            events.map { $0["photo"] } == photos
                && events.allSatisfy { $0["id"] == "s" && $0["client"] == "c" })
    }

    @Test func theStatesOfASeriesCountDown() {
        bench.send(.capture, #"{"count": 3, "interval_ms": 100}"#)
        bench.advance(by: .seconds(1))
        var pending: [JSONValue] = []
        for state in bench.states(.capture) where pending.last != state["pending"] {
            pending.append(state["pending"])
        }
        #expect(pending == [0, 3, 2, 1, 0])
        #expect(bench.state(.capture)["counter"] == 3)
    }

    @Test func otherCapturesHaveTheirTurnBetweenTwoPhotosOfASeries() {
        let series = bench.send(.capture, #"{"count": 3, "interval_ms": 1000}"#)
        bench.advance(by: .milliseconds(500))
        #expect(bench.photo()["sequence"] == 2)
        bench.advance(by: .seconds(3))
        #expect(series.lastMessage["photos"].list.map { $0["sequence"] } == [1, 3, 4])
    }

    @Test func capturesOfSeveralClientsAreDoneInTheirOrder() {
        bench.media.held = [.encode]
        let replies = (0..<12).map { bench.send(.capture, #"{"client": "c\#($0 % 3)", "id": "\#($0)"}"#) }
        #expect(replies.allSatisfy { $0.statuses == [.accepted] })
        #expect(bench.state(.capture)["pending"] == 12)
        #expect(bench.media.pendingCalls(of: .encode) == 1, "two photos are encoded at the same time")
        for (number, reply) in replies.enumerated() {
            bench.media.release(.encode)
            bench.advance(by: .milliseconds(100))
            #expect(reply.statuses == [.accepted, .done])
            #expect(reply.lastMessage["photos"][0]["sequence"] == .number(Double(number + 1)))
        }
    }

    @Test func sixteenCapturesWaitAndOneMoreIsRefused() {
        bench.media.held = [.store]
        let waiting = (0..<17).map { _ in bench.send(.capture) }
        let refused = bench.send(.capture, #"{"id": "18", "client": "c"}"#)
        #expect(refused.statuses == [.error] && refused.error?.code == .busy)
        #expect(bench.eventMessages("refused").map { $0["id"] } == ["18"])
        #expect(bench.state(.capture)["pending"] == 17)
        bench.media.held = []
        bench.media.release(.store)
        bench.advance(by: .seconds(1))
        #expect(waiting.allSatisfy { $0.statuses == [.accepted, .done] })
        // A refused command may be sent again with its id.
        #expect(bench.send(.capture, #"{"id": "18", "client": "c"}"#).statuses.first == .accepted)
    }

    @Test func aRepeatedCaptureIsDoneOnce() {
        #expect(bench.send(.capture, #"{"id": "1", "client": "c"}"#).statuses == [.accepted, .done])
        let again = bench.send(.capture, #"{"id": "1", "client": "c"}"#)
        #expect(again.statuses == [.error] && again.error?.code == .duplicate)
        #expect(bench.state(.capture)["counter"] == 1)
    }
}
