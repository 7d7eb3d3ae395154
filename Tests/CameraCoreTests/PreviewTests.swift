import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Previews: who has a lease, until when, and what the state shows of it.
struct PreviewTests {
    let bench = CameraBench()

    init() { bench.attach() }

    private var frames: Int { bench.frontEnd.frames.count }

    /// The frames of the next second.
    private func framesPerSecond() -> Int {
        let before = frames
        bench.advance(by: .seconds(1))
        return frames - before
    }

    @Test func withoutALeaseNothingRuns() {
        #expect(bench.states(.preview) == [nil])
        #expect(framesPerSecond() == 0 && bench.media.previewing.isEmpty)
    }

    @Test func framesComeAndTheStateHasTheClientAndTheEnd() {
        bench.advance(by: .seconds(7))
        let reply = bench.send(
            .preview, #"{"fps": 20, "width": 32, "seconds": 60, "client": "phone", "id": "1"}"#)
        #expect(reply.statuses == [.done] && reply.lastMessage["id"] == "1")
        let state = bench.state(.preview)
        #expect(state["fps"] == 20 && state["width"] == 32 && state["clients"] == ["phone"])
        #expect(state["until"] == CameraBench.timestamp(at: .seconds(67)))
        bench.turn()
        #expect(frames == 1, "the first frame is published immediately")
        #expect(15...21 ~= framesPerSecond() && bench.media.previewing == ["camera"])
    }

    @Test(arguments: ["", "ON", "{}"]) func byDefaultFiveFramesASecondComeForHalfAMinute(payload: String) {
        #expect(bench.send(.preview, payload).statuses == [.done])
        let state = bench.state(.preview)
        #expect(state["fps"] == 5 && state["width"] == 640 && state["clients"] == [])
        #expect(state["until"] == CameraBench.timestamp(at: .seconds(30)))
        #expect(5...6 ~= framesPerSecond() && framesPerSecond() == 5)
    }

    @Test func aLeaseEndsByItself() {
        bench.send(.preview, #"{"fps": 30, "seconds": 1}"#)
        bench.advance(by: .milliseconds(990))
        #expect(bench.state(.preview)["live"] == true)
        bench.advance(by: .milliseconds(20))
        #expect(bench.state(.preview) == nil && bench.media.previewing.isEmpty)
        #expect(framesPerSecond() == 0)
    }

    @Test func aLeaseIsRenewed() {
        let first = #"{"fps": 10, "seconds": 3, "client": "phone", "id": "1"}"#
        bench.send(.preview, first)
        bench.advance(by: .seconds(2))
        // The same command once more, also with the same id.
        #expect(bench.send(.preview, first).statuses == [.done])
        #expect(bench.state(.preview)["until"] == CameraBench.timestamp(at: .seconds(5)))
        bench.advance(by: .seconds(2))
        #expect(framesPerSecond() > 8)
        #expect(bench.states(.preview).dropFirst().dropLast().allSatisfy { $0 != nil })
        bench.advance(by: .seconds(1))
        #expect(bench.state(.preview) == nil)
    }

    @Test func severalClientsShareTheLargestRateAndWidth() {
        bench.send(.preview, #"{"fps": 30, "width": 64, "seconds": 10, "client": "phone"}"#)
        bench.send(.preview, #"{"fps": 10, "width": 160, "seconds": 60, "client": "desk"}"#)
        var state = bench.state(.preview)
        #expect(state["fps"] == 30 && state["width"] == 160 && state["clients"] == ["desk", "phone"])
        #expect(state["proved_clients"] == [])
        #expect(state["until"] == CameraBench.timestamp(at: .seconds(60)))
        #expect(bench.send(.preview, #"{"stop": true, "client": "phone"}"#).statuses == [.done])
        state = bench.state(.preview)
        #expect(state["fps"] == 10 && state["width"] == 160 && state["clients"] == ["desk"])
        bench.advance(by: .seconds(1))
        #expect(9...11 ~= framesPerSecond())
        bench.send(.preview, #"{"stop":true,"client":"desk"}"#)
        #expect(bench.state(.preview) == nil && framesPerSecond() == 0)
        #expect(bench.send(.preview, "OFF").statuses == [.done], "a stop without a lease is done as well")
    }

    @Test func aWiderRequestCountsFromTheNextFrameOn() {
        bench.send(.preview, #"{"fps": 30, "width": 64, "client": "phone"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(bench.media.previewed.allSatisfy { $0.width == 64 })
        let before = bench.media.previewed.count
        bench.send(.preview, #"{"fps": 30, "width": 320, "client": "desk"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(bench.media.previewed.count > before)
        #expect(bench.media.previewed.dropFirst(before).allSatisfy { $0.width == 320 })
    }

    @Test func clientsWithoutANameShareALease() {
        bench.send(.preview, #"{"fps": 30}"#)
        bench.send(.preview, #"{"fps": 10}"#)
        #expect(bench.state(.preview)["fps"] == 10 && bench.state(.preview)["clients"] == [])
        bench.send(.preview, "OFF")
        #expect(bench.state(.preview) == nil)
    }

    @Test func sixtyFourPreviewsCanBeLeasedAtOnce() {
        let fields = #""fps": 0.1, "width": 64"#
        for number in 0..<64 {
            bench.advance(by: .milliseconds(10))
            #expect(bench.send(.preview, #"{\#(fields), "client": "c\#(number)"}"#).statuses == [.done])
        }
        #expect(bench.state(.preview)["clients"].list.count == 64)
        // The lease that was renewed longest ago makes room for one more.
        #expect(bench.send(.preview, #"{\#(fields), "client": "c0"}"#).statuses == [.done])
        #expect(bench.send(.preview, #"{\#(fields), "client": "one more"}"#).statuses == [.done])
        let clients = bench.state(.preview)["clients"].list
        #expect(clients.count == 64 && clients.contains("one more"))
        #expect(clients.contains("c0") && !clients.contains("c1"))
    }

    @Test func withoutAThreadThereIsNoLease() {
        bench.media.beginFailure = CommandError(.device, "No further thread.")
        let reply = bench.send(.preview, "ON")
        #expect(reply.statuses == [.error] && reply.error?.code == .device && bench.state(.preview) == nil)
    }

    @Test func noLeaseEndsForOneThatCannotBegin() {
        for number in 0..<64 {
            bench.advance(by: .milliseconds(10))
            bench.send(.preview, #"{"fps": 0.1, "client": "c\#(number)"}"#)
        }
        bench.media.beginFailure = CommandError(.device, "No further thread.")
        #expect(bench.send(.preview, #"{"client": "one more"}"#).error?.code == .device)
        bench.media.beginFailure = nil
        bench.send(.preview, #"{"fps": 0.1, "client": "c63"}"#)
        #expect(bench.state(.preview)["clients"].list.contains("c0"))
    }

    // MARK: Ends

    @Test func aStopOfTheAgentEndsAllLeases() {
        bench.send(.preview, #"{"seconds": 3600}"#)
        bench.stop()
        #expect(bench.state(.preview) == nil && bench.media.previewing.isEmpty)
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.states(.preview) == [nil])
    }

    @Test func withoutADeviceAPreviewIsRefusedButCanBeStopped() {
        let bench = CameraBench()
        bench.source.detach(.notFound)
        #expect(bench.state(.preview) == nil && bench.states(.preview).count == 1)
        #expect(bench.send(.preview).error?.code == .unavailable)
        #expect(bench.send(.preview, #"{"stop": true}"#).statuses == [.done])
    }

    @Test func aLeaseOutlivesAnUnplug() {
        bench.send(.preview, #"{"fps": 10, "client": "phone"}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.preview)["live"] == true)
        bench.source.detach(.unplugged)
        #expect(bench.state(.preview)["live"] == false && bench.state(.preview)["clients"] == ["phone"])
        #expect(framesPerSecond() == 0)
        bench.attach()
        #expect(framesPerSecond() >= 10 && bench.state(.preview)["live"] == true)
    }

    @Test func aStandingPreviewNeedsNoClient() {
        let bench = CameraBench(standingPreviewRate: 0.5)
        bench.attach()
        bench.advance(by: .seconds(4_000))
        let before = bench.frontEnd.frames.count
        bench.advance(by: .seconds(10))
        #expect(bench.frontEnd.frames.count - before == 5)
        #expect(bench.state(.preview)["clients"] == ["v4l2mqtt"] && bench.state(.preview)["live"] == true)
        bench.send(.preview, #"{"stop": true, "client": "v4l2mqtt"}"#)
        #expect(bench.state(.preview)["clients"] == ["v4l2mqtt"])
    }

    /// Any client can give itself the name that the state shows for the agent.
    @Test func noClientTakesTheLeaseOfTheStandingPreview() {
        let bench = CameraBench(standingPreviewRate: 5)
        bench.attach()
        let standing = bench.state(.preview)
        #expect(standing["fps"] == 5 && standing["clients"] == ["v4l2mqtt"])
        bench.send(.preview, #"{"fps": 1, "width": 64, "seconds": 1, "client": "v4l2mqtt"}"#)
        let state = bench.state(.preview)
        #expect(state["fps"] == 5 && state["width"] == standing["width"])
        #expect(state["until"] == standing["until"] && state["clients"] == ["v4l2mqtt"])
        #expect(bench.send(.preview, #"{"stop": true, "client": "v4l2mqtt"}"#).statuses == [.done])
        #expect(bench.state(.preview)["until"] == standing["until"])
    }

    @Test func aClientWithTheNameOfTheAgentCountsAsAnyOther() {
        let fields = #""fps": 0.1, "width": 64"#
        for number in 0..<64 {
            bench.advance(by: .milliseconds(10))
            bench.send(.preview, #"{\#(fields), "client": "c\#(number)"}"#)
        }
        bench.send(.preview, #"{\#(fields), "client": "v4l2mqtt"}"#)
        let clients = bench.state(.preview)["clients"].list
        #expect(clients.count == 64 && clients.contains("v4l2mqtt") && !clients.contains("c0"))
        bench.advance(by: .milliseconds(10))
        bench.send(.preview, #"{\#(fields), "client": "one more"}"#)
        for number in 2..<64 { bench.send(.preview, #"{\#(fields), "client": "c\#(number)"}"#) }
        bench.send(.preview, #"{\#(fields), "client": "yet another"}"#)
        #expect(!bench.state(.preview)["clients"].list.contains("v4l2mqtt"), "its lease makes room too")
    }

    @Test func aStandingPreviewThatCannotBeginIsTriedAgain() {
        let bench = CameraBench(standingPreviewRate: 0.5)
        bench.media.beginFailure = CommandError(.device, "out of threads")
        bench.attach()
        bench.turn()
        #expect(bench.media.previewBegins == 1 && bench.media.previewing.isEmpty)
        let states = bench.states(.preview).count
        // After 5, 10, 20 and 40 s, then each minute.
        for (end, begins) in [
            (4, 1), (5, 2), (14, 2), (15, 3), (35, 4), (74, 4), (75, 5), (135, 6), (195, 7),
        ] {
            bench.advance(by: .seconds(end) - bench.time)
            #expect(bench.media.previewBegins == begins, "after \(end) s")
        }
        #expect(bench.states(.preview).count == states, "nothing has changed")
        bench.media.beginFailure = nil
        bench.advance(by: .seconds(60))
        #expect(bench.state(.preview)["clients"] == ["v4l2mqtt"] && bench.state(.preview)["live"] == true)
    }

    @Test func aStandingPreviewIsNotTriedAgainAfterTheStop() {
        let bench = CameraBench(standingPreviewRate: 0.5)
        bench.media.beginFailure = CommandError(.device, "out of threads")
        bench.attach()
        bench.turn()
        bench.stop()
        bench.advance(by: .seconds(100))
        #expect(bench.media.previewBegins == 1)
    }
}
