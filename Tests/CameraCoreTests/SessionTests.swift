import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// `session`: qualities and rates, and restarts. ``SessionChangeTests`` has what changes with it, and
/// `Tests/Scenarios/session.scenario` the words of the command and what waits for a recording.
struct SessionTests {
    let bench = CameraBench()

    init() { bench.attach(simulated: .init(opticalMaximum: 2)) }

    static let qualities = [
        "low", "medium", "high", "hd1280x720", "hd1920x1080", "1920x1080", "1280x720", "640x360", "320x180",
    ]

    @Test func atFirstItIsAsConfigured() {
        let state = bench.state(.session)
        #expect(state["quality"] == "high" && state["width"] == 1920 && state["height"] == 1080)
        #expect(state["fps"] == 30 && state["pixel_format"] == "422P" && state["origin"]["kind"] == "restore")
        let info = bench.frontEnd.state(on: .info)
        #expect(info["qualities"].list.map(\.text) == Self.qualities)
    }

    @Test(arguments: [
        ("low", 320, 180), ("medium", 640, 360), ("high", 1920, 1080), ("hd1280x720", 1280, 720),
        ("hd1920x1080", 1920, 1080), ("640x360", 640, 360),
    ])
    func aQualityIsASize(quality: String, width: Int, height: Int) {
        bench.outcome(of: .session, #"{"quality": "320x180"}"#)
        let reply = bench.outcome(
            of: .session, "{\"quality\": \"\(quality)\", \"client\": \"phone\", \"id\": \"s1\"}")
        let session = reply.last?.session
        #expect(session?.quality == quality && session?.width == width && session?.height == height)
        let state = bench.state(.session)
        #expect(state["quality"] == .text(quality) && state["width"] == .number(Double(width)))
        #expect(state["origin"] == ["kind": "command", "client": "phone", "proved": false, "id": "s1"])
    }

    @Test func eachQualityThatInfoListsCanBeHad() {
        for quality in Self.qualities {
            let reply = bench.outcome(of: .session, "{\"quality\": \"\(quality)\"}")
            #expect(reply.last?.session?.quality == quality)
        }
    }

    @Test func aCameraOf4KHasIt() {
        let bench = CameraBench()
        bench.attach(simulated: .init(opticalMaximum: 1, width: 3840, height: 2160))
        #expect(bench.frontEnd.state(on: .info)["qualities"].list.contains("hd4K3840x2160"))
        #expect(bench.outcome(of: .session, "hd4K3840x2160").last?.session?.width == 3840)
    }

    @Test(arguments: [
        #""hd4K3840x2160""#, #""nosuch""#, #""1x1""#, #""640X360""#, #""0640x360""#,
        #"["8k", "hd4K3840x2160"]"#,
    ])
    func whatCannotBeHadIsRefusedWithWhatCan(quality: String) {
        let count = bench.states(.session).count
        let reply = bench.outcome(of: .session, "{\"quality\": \(quality)}")
        #expect(reply.refusal == Refusal(.unsupported, "quality"))
        for name in Self.qualities { #expect(reply.error?.message.contains(name) == true) }
        #expect(bench.states(.session).count == count)
    }

    @Test func aRateThatAnEarlierCommandHadIsNotClampedAgain() {
        #expect(bench.outcome(of: .session, #"{"fps": 1000}"#).last?.clamped == true)
        #expect(bench.outcome(of: .session, #"{"quality": "low"}"#).last?.clamped == nil)
        #expect(bench.outcome(of: .session, #"{"quality": "low", "fps": 1000}"#).last?.clamped == true)
    }

    @Test(arguments: [(15, 15, false), (10.4, 10, false), (200, 30, true), (0.5, 5, true)])
    func aRateIsTakenToTheNearest(wanted: Double, rate: Double, isClamped: Bool) {
        let reply = bench.outcome(of: .session, "{\"quality\": \"low\", \"fps\": \(wanted)}")
        #expect(reply.last?.session?.rate == rate && reply.last?.clamped == (isClamped ? true : nil))
        #expect(bench.state(.session)["fps"] == .number(rate))
    }

    @Test func aChangeOfTheModeIsAskedOfTheDevice() {
        let bench = CameraBench()
        let device = bench.attach()
        device.held = [.mode]
        let reply = bench.send(.session, #"{"quality": "32x18"}"#)
        #expect(reply.answers.isEmpty && device.pendingCalls(of: .mode) == 1)
        #expect(bench.state(.session)["width"] == 64)
        device.release(.mode)
        #expect(reply.statuses == [.done] && bench.state(.session)["width"] == 32)
        #expect(bench.states(.session).count == 2)
    }

    // MARK: Restarts and other devices

    @Test func itIsThereAgainAfterARestart() throws {
        bench.outcome(of: .session, #"{"quality": "medium", "fps": 15}"#)
        let next = CameraBench(boot: 2, saved: try #require(bench.savedState))
        next.attach(simulated: .init(opticalMaximum: 2))
        let state = next.state(.session)
        #expect(state["quality"] == "medium" && state["width"] == 640 && state["fps"] == 15)
        #expect(state["origin"]["kind"] == "restore" && next.states(.session).count == 1)
    }

    @Test func aSessionThatThisDeviceLacksWaitsForOneThatHasIt() {
        bench.outcome(of: .session, "640x360")
        bench.source.detach(.unplugged)
        bench.attach(simulated: .init(opticalMaximum: 1, width: 800, height: 600))
        #expect(bench.state(.session)["width"] == 800 && bench.state(.session)["quality"] == "high")
        #expect(bench.saved.session == SavedSession(quality: "640x360", rate: nil))
        bench.source.detach(.unplugged)
        bench.attach(simulated: .init(opticalMaximum: 2))
        #expect(bench.state(.session)["width"] == 640)
    }

    @Test func aRateAloneKeepsTheWantedQuality() {
        bench.outcome(of: .session, "640x360")
        bench.source.detach(.unplugged)
        bench.attach(simulated: .init(opticalMaximum: 1, width: 800, height: 600))
        bench.outcome(of: .session, #"{"fps": 15}"#)
        #expect(bench.saved.session == SavedSession(quality: "640x360", rate: 15))
    }

    @Test func aModeThatTheDeviceRefusesAtItsRestorationLeavesItUsable() {
        bench.outcome(of: .session, "low")
        bench.source.detach(.unplugged)
        bench.attach(simulated: .init(opticalMaximum: 1, fault: .modeError))
        #expect(bench.camera.presence == .ready && bench.state(.session)["width"] == 1920)
        #expect(bench.saved.session?.quality == "low")
    }
}
