import Base
import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Commands with a time: accepted when they come, carried out then.
struct WaitingCommandsTests {
    let bench = CameraBench()

    init() { bench.attach(opticalMax: 4) }

    /// The JSON field of a time from now.
    private func at(_ time: Duration) -> String { #""at": "\#(bench.timestamp(after: time))""# }

    private func send(_ node: Node, _ fields: String, after time: Duration) -> CollectingReplyAddress {
        bench.send(node, "{\(fields), \(at(time))}")
    }

    private func error(_ reply: CollectingReplyAddress) -> JSONValue { reply.lastMessage["error"] }

    // MARK: The time

    @Test(arguments: [
        (Node.zoom, #""factor": 3"#), (.capture, #""count": 1"#), (.recording, #""on": true"#),
        (.session, #""quality": "low""#), (.controls, #""brightness": 10"#),
        (.presets, #""save": "here""#),
    ])
    func aCommandIsAcceptedAndCarriedOutAtItsTime(node: Node, fields: String) {
        let reply = send(node, fields, after: .seconds(2))
        #expect(reply.statuses == [.accepted])
        let states = bench.states(node).count
        bench.advance(by: .milliseconds(1_999))
        #expect(reply.statuses == [.accepted] && bench.states(node).count == states)
        bench.advance(by: .milliseconds(81))
        #expect(bench.states(node).count > states && reply.statuses.last == .done)
    }

    @Test func commandsAreCarriedOutInTheOrderOfTheirTimes() {
        _ = send(.zoom, #""factor": 2"#, after: .seconds(2))
        _ = send(.zoom, #""factor": 3"#, after: .seconds(1))
        bench.advance(by: .seconds(1))
        #expect(bench.state(.zoom)["factor"] == 3)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.zoom)["factor"] == 2)
    }

    @Test func commandsOfTheSameTimeAreCarriedOutInTheirOrder() {
        let time = at(.seconds(1))
        for factor in [2, 3, 4] { bench.send(.zoom, "{\"factor\": \(factor), \(time)}") }
        bench.advance(by: .seconds(1))
        #expect(bench.state(.zoom)["factor"] == 4)
    }

    @Test func aTimeThatHasPassedIsStale() {
        let reply = send(.zoom, #""factor": 2, "id": "late""#, after: .milliseconds(-1))
        #expect(reply.statuses == [.error])
        #expect(error(reply)["code"] == "stale" && error(reply)["field"] == "at")
        #expect(bench.events(.refused).last?.id == "late")
    }

    @Test func aTimeIsAtMostAnHourAhead() {
        #expect(send(.zoom, #""factor": 2"#, after: .seconds(3_600)).statuses == [.accepted])
        let reply = send(.zoom, #""factor": 2"#, after: .seconds(3_601))
        #expect(error(reply)["code"] == "bad_payload" && error(reply)["field"] == "at")
    }

    @Test func withoutASynchronisedClockATimeNeedsAnyClock() {
        bench.wallClock.isSynchronized = false
        let refused = send(.zoom, #""factor": 2"#, after: .seconds(1))
        #expect(error(refused)["code"] == "unavailable" && error(refused)["field"] == "at")
        let no = send(.zoom, #""factor": 2, "at_any_clock": false"#, after: .seconds(1))
        #expect(no.statuses == [.error])
        let reply = send(.zoom, #""factor": 2, "at_any_clock": true"#, after: .seconds(1))
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.accepted, .done] && bench.state(.zoom)["factor"] == 2)
    }

    // MARK: What is checked at the time

    @Test func theLeaseIsCheckedAtTheTime() {
        let before = send(.zoom, #""factor": 2, "client": "a""#, after: .seconds(1))
        bench.send(.lease, #"{"take": true, "client": "b", "ttl_ms": 5000}"#)
        let during = send(.zoom, #""factor": 3, "client": "a""#, after: .seconds(6))
        bench.advance(by: .seconds(1))
        #expect(error(before)["code"] == "held")
        bench.advance(by: .seconds(5))
        #expect(during.statuses == [.accepted, .done])
    }

    @Test func theRevisionIsCheckedAtTheTime() throws {
        let rev = try #require(bench.state(.zoom)["rev"].number)
        let reply = send(.zoom, #""factor": 2, "if_rev": \#(Int(rev) + 1)"#, after: .seconds(2))
        let conflict = send(.zoom, #""factor": 2, "if_rev": \#(Int(rev))"#, after: .seconds(3))
        bench.send(.zoom, "3")
        bench.advance(by: .seconds(3))
        #expect(reply.statuses == [.accepted, .done])
        #expect(error(conflict)["code"] == "conflict" && conflict.lastMessage["state"]["factor"] == 2)
    }

    @Test func privacyIsCheckedAtTheTime() {
        let during = send(.zoom, #""factor": 2"#, after: .seconds(1))
        bench.send(.privacy, "ON")
        let after = send(.zoom, #""factor": 3"#, after: .seconds(10))
        #expect(after.statuses == [.accepted])
        bench.advance(by: .seconds(2))
        #expect(error(during)["code"] == "private")
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(8))
        #expect(after.statuses == [.accepted, .done] && bench.state(.zoom)["factor"] == 3)
    }

    @Test func theTimeToLiveIsThatOfTheWayToTheAgent() {
        let ts = #""ts": "\#(bench.timestamp)", "ttl_ms": 500"#
        let reply = send(.zoom, #""factor": 2, \#(ts)"#, after: .seconds(2))
        bench.advance(by: .seconds(2))
        #expect(reply.statuses == [.accepted, .done])
    }

    // MARK: The end of waiting

    @Test func aCommandIsCancelledByItsID() {
        let waiting = send(.zoom, #""factor": 2, "id": "w", "client": "a""#, after: .seconds(1))
        let cancel = bench.send(.zoom, #"{"cancel": "w", "client": "a", "id": "c"}"#)
        #expect(waiting.statuses == [.accepted, .error] && error(waiting)["code"] == "cancelled")
        #expect(cancel.statuses == [.done])
        bench.advance(by: .seconds(2))
        #expect(bench.state(.zoom)["factor"] == 1 && waiting.answers.count == 2)
        // The id is free again.
        #expect(
            send(.zoom, #""factor": 2, "id": "w", "client": "a""#, after: .seconds(1)).statuses == [.accepted]
        )
    }

    @Test(arguments: [
        (Node.zoom, #"{"cancel": "w", "client": "b"}"#), (.zoom, #"{"cancel": "w"}"#),
        (.zoom, #"{"cancel": "other", "client": "a"}"#), (.controls, #"{"cancel": "w", "client": "a"}"#),
    ])
    func onlyItsClientCancelsACommandAndOnItsNode(node: Node, cancel: String) {
        let waiting = send(.zoom, #""factor": 2, "id": "w", "client": "a""#, after: .seconds(1))
        let reply = bench.send(node, cancel)
        #expect(error(reply)["code"] == "bad_payload" && error(reply)["field"] == "cancel")
        bench.advance(by: .seconds(1))
        #expect(waiting.statuses == [.accepted, .done])
    }

    @Test func aCommandThatIsCarriedOutCannotBeCancelled() {
        _ = send(.zoom, #""factor": 2, "id": "w""#, after: .seconds(1))
        bench.advance(by: .seconds(1))
        #expect(bench.send(.zoom, #"{"cancel": "w"}"#).statuses == [.error])
    }

    @Test func aDeviceThatGoesFailsTheCommandsThatNeedIt() {
        let zoom = send(.zoom, #""factor": 2"#, after: .seconds(2))
        let off = send(.recording, #""on": false"#, after: .seconds(2))
        bench.device?.unplug()
        #expect(error(zoom)["code"] == "unavailable" && off.statuses == [.accepted])
        #expect(send(.zoom, #""factor": 2"#, after: .seconds(1)).statuses == [.error])
        bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(2))
        #expect(off.statuses == [.accepted, .done] && bench.state(.zoom)["factor"] == 1)
    }

    @Test func anAgentThatStopsFailsAllCommandsThatWait() {
        let replies = [Node.zoom, .capture].map { node in
            send(node, node == .zoom ? #""factor": 2"# : #""count": 1"#, after: .seconds(2))
        }
        bench.camera.beginStop()
        for reply in replies {
            #expect(reply.statuses == [.accepted, .error] && error(reply)["code"] == "unavailable")
        }
        #expect(!bench.wallClock.isObserved)
    }

    @Test func aRepetitionOfACommandThatWaitsIsADuplicate() {
        let first = send(.zoom, #""by": 2, "id": "w""#, after: .seconds(900))
        #expect(error(send(.zoom, #""by": 2, "id": "w""#, after: .seconds(900)))["code"] == "duplicate")
        // Ids are remembered for ten minutes, and those of commands that wait for longer.
        bench.advance(by: .seconds(700))
        #expect(error(send(.zoom, #""by": 2, "id": "w""#, after: .seconds(200)))["code"] == "duplicate")
        bench.advance(by: .seconds(200))
        #expect(first.statuses == [.accepted, .done] && bench.state(.zoom)["factor"] == 2)
        // Also for ten minutes after they were carried out.
        bench.advance(by: .seconds(500))
        #expect(error(bench.send(.zoom, #"{"by": 2, "id": "w"}"#))["code"] == "duplicate")
    }

    // MARK: Limits

    @Test func eightCommandsOfAClientWait() {
        let waiting = (0..<8).map { _ in send(.zoom, #""factor": 2, "client": "a""#, after: .seconds(1)) }
        #expect(waiting.allSatisfy { $0.statuses == [.accepted] })
        let ninth = send(.zoom, #""factor": 2, "client": "a", "id": "9""#, after: .seconds(1))
        #expect(error(ninth)["code"] == "busy")
        #expect(send(.zoom, #""factor": 2, "client": "b""#, after: .seconds(1)).statuses == [.accepted])
        bench.advance(by: .seconds(1))
        // The one that was refused may be sent again.
        #expect(
            send(.zoom, #""factor": 2, "client": "a", "id": "9""#, after: .seconds(1)).statuses == [.accepted]
        )
    }

    @Test func sixtyFourCommandsWaitAndAClientWithManyMakesRoom() {
        let waiting = (0..<64).map {
            send(.zoom, #""factor": 2, "client": "c\#($0 / 8)""#, after: .seconds(1))
        }
        #expect(waiting.allSatisfy { $0.statuses == [.accepted] })
        let newcomer = send(.zoom, #""factor": 2, "client": "new""#, after: .seconds(1))
        #expect(newcomer.statuses == [.accepted])
        let evicted = waiting.filter(\.isFinished)
        #expect(evicted.count == 1 && error(evicted[0])["code"] == "busy")
    }

    // MARK: The clock

    @Test func aClockThatIsSetForwardBringsACommandNearer() {
        let reply = send(.zoom, #""factor": 2"#, after: .seconds(10))
        bench.wallClock.step(by: 4)
        bench.advance(by: .milliseconds(5_999))
        #expect(reply.statuses == [.accepted])
        bench.advance(by: .milliseconds(1))
        #expect(reply.statuses == [.accepted, .done])
    }

    @Test(arguments: [true, false]) func aClockThatIsSetBackDelaysACommand(isReported: Bool) {
        let reply = send(.zoom, #""factor": 2"#, after: .seconds(10))
        bench.wallClock.step(by: -4, isReported: isReported)
        bench.advance(by: .milliseconds(13_999))
        #expect(reply.statuses == [.accepted])
        bench.advance(by: .milliseconds(1))
        #expect(reply.statuses == [.accepted, .done])
    }

    @Test(arguments: [(0.9, Reply.Status.done), (1.1, .error)])
    func aTimeThatPassesUnnoticedIsStaleAfterASecond(late: Double, status: Reply.Status) {
        let reply = send(.zoom, #""factor": 2"#, after: .seconds(10))
        bench.wallClock.step(by: 10 + late)
        bench.advance(by: .milliseconds(1))
        #expect(reply.statuses == [.accepted, status])
        if status == .error { #expect(error(reply)["code"] == "stale" && error(reply)["field"] == "at") }
    }

    @Test func theClockIsObservedOnlyWhileCommandsWait() {
        #expect(!bench.wallClock.isObserved)
        _ = send(.zoom, #""factor": 2"#, after: .seconds(1))
        #expect(bench.wallClock.isObserved)
        bench.advance(by: .seconds(1))
        #expect(!bench.wallClock.isObserved)
    }

    // MARK: Precision

    /// The loop is late, as it was busy: the ramp is where it would be without that.
    @Test(arguments: [#""factor": 4, "rate": 1"#, #""move": {"velocity": 1, "timeout_ms": 2000}"#])
    func aRampBeginsAtItsTimeHoweverLateTheTimerFires(fields: String) throws {
        let reply = send(.zoom, fields, after: .seconds(1))
        // The timer can't fire meanwhile.
        bench.clock.advance(by: .milliseconds(1_250))
        bench.turn()
        #expect(reply.statuses == [.accepted, .accepted])
        bench.advance(by: .milliseconds(1_749))
        #expect(bench.state(.zoom)["ramping"] == true)
        bench.advance(by: .milliseconds(1))
        #expect(bench.state(.zoom)["factor"] == 4 && bench.time == .seconds(3))
    }

    @Test func aPhotoIsOfTheFirstFrameAtItsTime() throws {
        // Frames come each 1/30 s, and the first one at the first request.
        let reply = send(.capture, #""count": 1"#, after: .milliseconds(4_010))
        bench.advance(by: .milliseconds(4_009))
        #expect(reply.statuses == [.accepted])
        bench.advance(by: .milliseconds(40))
        #expect(reply.statuses == [.accepted, .accepted, .done])
        let offset = try #require(reply.lastMessage["photos"][0]["at_offset_ms"].number)
        #expect((0...33.334).contains(offset))
        #expect(bench.frontEnd.photos.last?.offset == offset)
        #expect(bench.photo()["at_offset_ms"] == .null)
    }

    /// A frame that came while the loop was busy is the photo, not a later one.
    @Test func aLateLoopStillTakesTheFrameOfTheTime() throws {
        bench.attach(simulated: .init(opticalMaximum: 1, frameRate: 10, width: 64, height: 36))
        bench.advance(by: .milliseconds(50))
        let reply = send(.capture, #""count": 1"#, after: .milliseconds(1_000))
        bench.advance(by: .milliseconds(999))
        bench.clock.advance(by: .milliseconds(60))
        bench.turn()
        let offset = try #require(reply.lastMessage["photos"][0]["at_offset_ms"].number)
        #expect(offset == 50)
    }

    @Test func framesComeBeforeAPhotoOrARecording() throws {
        for (node, fields) in [(Node.capture, #""count": 1"#), (.recording, #""on": true"#)] {
            let device = bench.attach()
            let reply = send(node, fields, after: .seconds(10))
            bench.advance(by: .milliseconds(6_999))
            #expect(device.frameRequests.isEmpty)
            bench.advance(by: .milliseconds(2_900))
            #expect(device.frameRequests.count == 3 && reply.statuses == [.accepted])
        }
    }

    @Test func nothingWakesTheDeviceForOtherCommands() {
        let device = bench.attach()
        _ = send(.zoom, #""factor": 2"#, after: .seconds(5))
        _ = send(.recording, #""on": false"#, after: .seconds(5))
        bench.advance(by: .seconds(4))
        #expect(device.frameRequests.isEmpty)
    }

    @Test func aRecordingBeginsWithTheFirstFrameAtItsTime() throws {
        let start = bench.clock.now
        let device = bench.attach()
        _ = send(.recording, #""on": true"#, after: .seconds(5))
        bench.advance(by: .milliseconds(4_990))
        bench.clock.advance(by: .milliseconds(30))
        bench.turn()
        #expect(device.frameRequests.contains(start.advanced(by: .seconds(5))))
    }

    @Test func aPhotoWaitsForTheZoomThatBelongsToIt() throws {
        bench.attach(simulated: .init(opticalMaximum: 1, width: 64, height: 36))
        let reply = send(.capture, #""zoom": {"factor": 2, "rate": 1}"#, after: .seconds(1))
        bench.advance(by: .seconds(3))
        let photo = reply.lastMessage["photos"][0]
        #expect(photo["factor"] == 2)
        #expect(try #require(photo["at_offset_ms"].number) >= 1_000)
    }
}

extension ScriptedCamera {
    /// The times for which frames were requested.
    fileprivate var frameRequests: [ContinuousClock.Instant] {
        calls.compactMap { if case .frame(let time) = $0 { time } else { nil } }
    }
}
