import TestSupport
import Testing

@testable import Cameras
@testable import Contract

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
        let waiting = (0..<17).map { _ in bench.send(.capture, #"{"client": "c"}"#) }
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

    // MARK: Shares of clients

    @Test func aClientThatWaitsManyTimesMakesRoomForAnother() {
        bench.media.held = [.store]
        let many = (0..<17).map { _ in bench.send(.capture, #"{"client": "many"}"#) }
        let other = bench.send(.capture, #"{"client": "other"}"#)
        #expect(other.statuses == [.accepted])
        #expect(many.last?.statuses == [.accepted, .error] && many.last?.error?.code == .busy)
        bench.media.held = []
        bench.media.release(.store)
        bench.advance(by: .seconds(1))
        #expect(other.statuses == [.accepted, .done])
        #expect(many.dropLast().allSatisfy { $0.statuses == [.accepted, .done] })
    }

    @Test func clientsTakeTurns() {
        bench.media.held = [.store]
        for number in 0..<5 { bench.send(.capture, #"{"client": "many", "id": "m\#(number)"}"#) }
        bench.send(.capture, #"{"client": "other", "id": "o0"}"#)
        bench.send(.capture, #"{"client": "other", "id": "o1"}"#)
        bench.media.held = []
        bench.media.release(.store)
        bench.advance(by: .seconds(1))
        let order = bench.eventMessages("shutter").map { $0["id"] }
        #expect(order == ["m0", "m1", "o0", "m2", "o1", "m3", "m4"])
    }

    /// A photo an hour for a day, in each of them.
    private func startSeries(
        _ count: Int, id: String = "s", _ client: (Int) -> String
    ) -> [CollectingReplyAddress] {
        (0..<count).map { number in
            let series = bench.send(
                .capture,
                #"{"count": 25, "interval_ms": 3600000, "client": "\#(client(number))", "id": "\#(id)\#(number)"}"#
            )
            bench.advance(by: .milliseconds(200))
            return series
        }
    }

    @Test func seriesThatWaitTakeNoRoomFromPhotos() {
        let series = startSeries(16) { _ in "stranger" }
        #expect(series.allSatisfy { $0.statuses == [.accepted] } && bench.state(.capture)["counter"] == 16)
        #expect(bench.photo(#"{"client": "other"}"#)["sequence"] == 17)
        // One more series of the same client is refused.
        #expect(startSeries(1, id: "more") { _ in "stranger" }[0].error?.code == .busy)
        // For one of another client, the newest makes room, with its photos.
        let other = startSeries(1) { _ in "other" }[0]
        #expect(other.statuses == [.accepted])
        #expect(series[15].statuses == [.accepted, .superseded])
        #expect(series[15].lastMessage["photos"].list.count == 1)
    }

    @Test func noCaptureEndsForASeriesThatIsRefused() {
        _ = startSeries(16) { _ in "stranger" }
        bench.media.held = [.store]
        let many = (0..<17).map { _ in bench.send(.capture, #"{"client": "many"}"#) }
        #expect(bench.send(.capture, #"{"count": 2, "client": "stranger"}"#).error?.code == .busy)
        #expect(many.allSatisfy { $0.statuses == [.accepted] })
    }

    @Test func seriesOfManyNamesMakeRoomTheOldestFirst() {
        let series = startSeries(16) { "c\($0)" }
        #expect(startSeries(1) { _ in "other" }[0].statuses == [.accepted])
        #expect(series[0].statuses == [.accepted, .superseded] && series[1].statuses == [.accepted])
    }

    // MARK: The end of captures

    @Test func aClientEndsItsCaptures() {
        let series = startSeries(2) { _ in "a" }
        let other = startSeries(1) { _ in "b" }[0]
        bench.media.held = [.encode]
        let present = bench.send(.capture, #"{"client": "a"}"#)
        let waiting = bench.send(.capture, #"{"client": "a"}"#)
        let stop = bench.send(.capture, #"{"stop": true, "client": "a"}"#)
        #expect(stop.statuses == [.done])
        for reply in series + [present, waiting] { #expect(reply.statuses == [.accepted, .superseded]) }
        #expect(series.allSatisfy { $0.lastMessage["photos"].list.count == 1 })
        #expect(waiting.lastMessage["photos"] == .null)
        #expect(other.statuses == [.accepted] && bench.state(.capture)["pending"] == 24)
        bench.media.held = []
        bench.media.release(.encode)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.capture)["counter"] == 3)
    }

    @Test func oneCaptureIsEndedByItsID() {
        let series = startSeries(3) { _ in "a" }
        #expect(bench.send(.capture, #"{"stop": true, "capture": "s1", "client": "b"}"#).statuses == [.done])
        #expect(series.allSatisfy { $0.statuses == [.accepted] }, "it's of another client")
        #expect(bench.send(.capture, #"{"stop": true, "capture": "s1", "client": "a"}"#).statuses == [.done])
        #expect(series.map(\.statuses) == [[.accepted], [.accepted, .superseded], [.accepted]])
        // Its id isn't remembered as that of a command: it can be sent again.
        #expect(bench.send(.capture, #"{"stop": true, "capture": "s1", "client": "a"}"#).statuses == [.done])
    }

    @Test func thePhotoThatIsBeingStoredIsTheLastOfAStoppedSeries() {
        bench.media.held = [.store]
        let series = bench.send(.capture, #"{"count": 3, "client": "a"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(bench.send(.capture, #"{"stop": true, "client": "a"}"#).statuses == [.done])
        #expect(series.statuses == [.accepted])
        bench.media.held = []
        bench.media.release(.store)
        bench.advance(by: .seconds(1))
        #expect(series.statuses == [.accepted, .superseded])
        #expect(series.lastMessage["photos"].list.count == 1 && bench.state(.capture)["counter"] == 1)
    }

    @Test func aPhotoThatIsBeingStoredIsDone() {
        bench.media.held = [.store]
        let photo = bench.send(.capture, #"{"client": "a"}"#)
        bench.advance(by: .milliseconds(100))
        bench.send(.capture, #"{"stop": true, "client": "a"}"#)
        bench.media.held = []
        bench.media.release(.store)
        bench.advance(by: .seconds(1))
        #expect(photo.statuses == [.accepted, .done])
    }

    @Test func aStopNeedsNoDevice() {
        bench.source.detach(.unplugged)
        #expect(bench.send(.capture, #"{"stop": true}"#).statuses == [.done])
    }

    @Test func aRepeatedCaptureIsDoneOnce() {
        #expect(bench.send(.capture, #"{"id": "1", "client": "c"}"#).statuses == [.accepted, .done])
        let again = bench.send(.capture, #"{"id": "1", "client": "c"}"#)
        #expect(again.statuses == [.error] && again.error?.code == .duplicate)
        #expect(bench.state(.capture)["counter"] == 1)
    }
}
