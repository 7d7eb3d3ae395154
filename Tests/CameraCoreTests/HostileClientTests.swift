import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// A client can't keep another one out for more than a minute, except by a lease or by privacy: where the
/// camera alone decides. `MQTTFrontEndTests/InventedNamesTests` has the rest.
struct HostileClientTests {
    let bench = CameraBench()

    init() { bench.attach() }

    private static let minute = Duration.seconds(60)

    @Test func slowZoomsOfOthersDelayACaptureByLessThanAMinute() {
        let slow = (0..<16).map { number in
            bench.send(
                .capture,
                #"{"zoom": {"factor": \#(number % 2 * 7 + 1), "rate": 0.001}, "client": "c\#(number)"}"#)
        }
        let honest = bench.send(.capture, #"{"client": "honest"}"#)
        bench.advance(by: Self.minute)
        #expect(honest.statuses == [.accepted, .done])
        #expect(slow.allSatisfy { $0.statuses.count == 2 }, "each has its final answer")
    }

    @Test func aSlowZoomKeepsItsTimeWhileOnlyItsClientWaits() {
        let slow = bench.send(.capture, #"{"zoom": {"factor": 8, "rate": 0.11}, "client": "a"}"#)
        bench.advance(by: .seconds(1))
        let next = bench.send(.capture, #"{"client": "a"}"#)
        bench.advance(by: .seconds(28))
        #expect(slow.statuses == [.accepted, .done] && next.statuses == [.accepted, .done])
    }

    @Test func theZoomOfACaptureThatTakesTooLongIsStopped() {
        let slow = bench.send(.capture, #"{"zoom": {"factor": 8, "rate": 0.01}, "client": "a"}"#)
        bench.advance(by: .seconds(31))
        #expect(slow.error?.code == .busy && bench.state(.zoom)["ramping"] == false)
        #expect(bench.photo(#"{"client": "b"}"#)["sequence"] == 1)
    }

    @Test func zoomsDuringEachExposureDelayAnAnswerByLessThanAMinute() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 8)
        device.held = [.frame]
        let honest = bench.send(.capture, #"{"client": "honest"}"#)
        for step in 0..<1_000 where honest.statuses.count < 2 {
            bench.send(.zoom, #"{"factor": \#(2 - step % 2), "client": "c\#(step)"}"#)
            bench.advance(by: .milliseconds(100))
            device.release(.frame)
        }
        #expect(honest.error?.code == .busy && bench.time < Self.minute)
        // The client ends the contest by a lease.
        device.held = []
        bench.send(.lease, #"{"take": true, "client": "honest"}"#)
        let again = bench.send(.capture, #"{"client": "honest"}"#)
        for step in 0..<50 {
            bench.send(.zoom, #"{"factor": \#(2 - step % 2), "client": "c\#(step)"}"#)
            bench.advance(by: .milliseconds(30))
        }
        #expect(again.statuses == [.accepted, .done])
    }

    /// `desired` has one place, which the highest version takes.
    @Test func aDesiredVersionThatWaitsKeepsNoOtherOut() {
        bench.source.detach(.unplugged)
        let waiting = (0..<40).map {
            bench.send(.desired, #"{"version": 1, "zoom": {"factor": 2}, "client": "c\#($0)"}"#)
        }
        #expect(waiting.last?.error?.code == .busy)
        let honest = bench.send(.desired, #"{"version": 2, "zoom": {"factor": 3}, "client": "honest"}"#)
        #expect(honest.statuses == [.accepted] && waiting[0].statuses.last == .superseded)
    }

    @Test func aRecordingOfAnotherClientCanBeEnded() {
        bench.send(.recording, #"{"on": true, "max_duration_s": 86400, "client": "c"}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.send(.session, #"{"quality": "low", "client": "honest"}"#).error?.code == .busy)
        bench.send(.recording, #"{"on": false, "client": "honest"}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["state"] == "idle")
    }
}
