import Core
import TestSupport
import Testing

@testable import Bus
@testable import Cameras
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// Topics of the bus that are shutter buttons.
struct RemoteButtonTests {
    static let buttons = [
        RemoteButton(topic: "home/bell", press: ["single", "twice", "1"]),
        RemoteButton(topic: "home/panel", press: ["tap"], isRemote: false),
        RemoteButton(
            topic: "home/remote", field: ["action"], began: ["down"], ended: ["up"],
            cancelled: ["lost", "slid_off"]),
        RemoteButton(topic: "home/remote", field: ["action"], press: ["film"], role: .secondary),
        RemoteButton(topic: "zigbee2mqtt/remote", field: ["action"], press: ["single", "1", "true"]),
        RemoteButton(topic: "shelly/events", field: ["params", "button", "event"], press: ["push"]),
    ]

    static func camera(_ id: String = "door", longPress: Duration? = nil) -> CameraSettings {
        CameraSettings(
            id: id, shutter: ShutterSettings(secondary: .record, longPress: longPress, buttons: buttons))
    }

    let bench = AgentBench([camera()])

    private func answers(_ topic: String, _ payload: String, to camera: String = "door") -> [JSONValue] {
        let count = bench.bus.messages(on: "v4l2mqtt/porch/\(camera)/capture/reply").count
        bench.deliver(topic, payload)
        bench.advance(by: .seconds(1))
        return bench.bus.messages(on: "v4l2mqtt/porch/\(camera)/capture/reply").dropFirst(count).map(\.json)
    }

    private func events(_ kind: JSONValue) -> [JSONValue] {
        bench.bus.messages(on: "v4l2mqtt/porch/door/event").map(\.json).filter { $0["event"] == kind }
    }

    @Test(arguments: ["single", #""single""#, "twice", "1", #""1""#])
    func aWordIsAPress(payload: String) {
        let answers = answers("home/bell", payload)
        let last = answers.last ?? .null
        #expect(last["status"] == "done" && last["photos"].list.count == 1)
        #expect(last["client"] == "home/bell" && last["node"] == "capture" && last["camera"] == "door")
        let sounds = events("sound")
        #expect(sounds.map { $0["sound"] } == ["default"] && sounds[0]["action"] == "photo")
        #expect(sounds[0]["button"] == "primary" && events("shutter").count == 1)
    }

    @Test(arguments: [
        ("zigbee2mqtt/remote", #"{"battery": 87, "action": "single"}"#),
        ("zigbee2mqtt/remote", #"{"action": 1}"#), ("zigbee2mqtt/remote", #"{"action": "1"}"#),
        ("zigbee2mqtt/remote", #"{"action": true, "linkquality": 255}"#),
        ("shelly/events", #"{"params": {"button": {"event": "push"}, "ts": 1.5}}"#),
    ])
    func theWordMayStandInAField(topic: String, payload: String) {
        #expect(answers(topic, payload).last?["photos"].list.count == 1)
    }

    @Test func aRemoteThatKnowsThePhasesOfAPress() {
        _ = answers("home/remote", #"{"action": "down"}"#)
        #expect(bench.state(.capture)["pressed"] == ["primary"])
        #expect(answers("home/remote", #"{"action": "up"}"#).last?["photos"].list.count == 1)
        let counter = bench.state(.capture)["counter"]
        _ = answers("home/remote", #"{"action": "down"}"#)
        _ = answers("home/remote", #"{"action": "slid_off"}"#)
        #expect(bench.state(.capture)["pressed"] == [] && bench.state(.capture)["counter"] == counter)
    }

    @Test func aRemoteThatRepeatsItselfTakesOnePhoto() {
        for _ in 0..<2 { _ = answers("home/remote", #"{"action": "down"}"#) }
        #expect(answers("home/remote", #"{"action": "up"}"#).last?["photos"].list.count == 1)
        #expect(bench.state(.capture)["pressed"] == [] && bench.state(.capture)["counter"] == 1)
    }

    @Test func oneTopicServesBothButtons() {
        _ = answers("home/remote", #"{"action": "film"}"#)
        let recording = bench.state(.recording)
        #expect(recording["state"] == "recording" && recording["origin"]["client"] == "home/remote")
        let ended = answers("home/remote", #"{"action": "film"}"#).last ?? .null
        #expect(ended["recording"]["reason"] == "stopped" && bench.state(.recording)["state"] == "idle")
    }

    @Test func aButtonThatIsHeldRecords() {
        let bench = AgentBench([Self.camera(longPress: .milliseconds(200))])
        bench.deliver("home/remote", #"{"action": "down"}"#)
        bench.advance(by: .milliseconds(190))
        #expect(bench.state(.recording)["state"] == "idle")
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["state"] == "recording")
        bench.deliver("home/remote", #"{"action": "up"}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.bus.last(on: "v4l2mqtt/porch/door/capture/reply")["recording"]["reason"] == "stopped")
    }

    @Test func aButtonAtTheCameraNeedsNoSound() {
        #expect(answers("home/panel", "tap").last?["photos"].list.count == 1)
        #expect(events("sound").isEmpty && events("shutter").count == 1)
    }

    @Test func aLongTopicIsKnownByItsEnd() {
        let topic = Array(repeating: "häuser/grün", count: 20).joined(separator: "/")
        let bench = AgentBench([
            CameraSettings(
                id: "door", shutter: ShutterSettings(buttons: [RemoteButton(topic: topic, press: ["go"])]))
        ])
        bench.deliver(topic, "go")
        bench.advance(by: .seconds(1))
        let client = bench.bus.last(on: "v4l2mqtt/porch/door/capture/reply")["client"].text ?? ""
        #expect(topic.hasSuffix(client) && (61...64).contains(client.utf8.count))
    }

    @Test(arguments: [
        ("home/bell", "double"), ("home/bell", ""), ("home/bell", "SINGLE"), ("home/bell", "single single"),
        ("home/bell", "{"), ("home/bell", #"["single"]"#), ("home/bell", #"{"action":"single"}"#),
        ("home/bell", "null"), ("home/bell", String(repeating: "[", count: 9000)),
        ("home/bell", String(repeating: "single", count: 20_000)),
        ("zigbee2mqtt/remote", #"{"battery": 12}"#),
        ("zigbee2mqtt/remote", #"{"action": ""}"#), ("zigbee2mqtt/remote", #"{"action": "double"}"#),
        ("zigbee2mqtt/remote", #"{"action": null}"#), ("zigbee2mqtt/remote", #"{"action": ["single"]}"#),
        ("zigbee2mqtt/remote", #"{"action": {"action": "single"}}"#),
        ("zigbee2mqtt/remote", #"{"Action": "single"}"#), ("zigbee2mqtt/remote", #""single""#),
        ("zigbee2mqtt/remote", #"["action", "single"]"#), ("zigbee2mqtt/remote", #"{"action": 1.5}"#),
        ("zigbee2mqtt/remote", #"{"update": {"state": "single"}}"#),
    ])
    func otherMessagesAreIgnored(topic: String, payload: String) {
        #expect(bench.deliver(topic, payload).isEmpty)
        bench.advance(by: .seconds(1))
        #expect(bench.state(.capture)["counter"] == 0)
    }

    @Test func aPayloadThatIsNoTextIsIgnored() {
        bench.router.received(
            .init(topic: "home/bell", payload: [0xff, 0xfe], qos: .atLeastOnce, isRetained: false))
        bench.advance(by: .seconds(1))
        #expect(bench.state(.capture)["counter"] == 0)
    }

    @Test func aRetainedMessageIsNoPress() {
        #expect(bench.deliver("home/bell", "single", isRetained: true).isEmpty)
        #expect(answers("home/bell", "single").last?["photos"].list.count == 1)
    }

    @Test func aPressIsRefusedOnceWithoutADevice() {
        let bench = AgentBench([Self.camera()], isAttached: false)
        bench.sources["door"]?.detach(.notFound)
        for (topic, payload) in [
            ("home/bell", "single"), ("home/remote", #"{"action": "down"}"#),
            ("home/remote", #"{"action": "up"}"#),
        ] {
            let answers = bench.answers(to: topic, payload)
            #expect(answers.map { $0["error"]["code"] } == ["unavailable"])
        }
    }

    @Test func oneButtonServesTwoCameras() {
        let bench = AgentBench([Self.camera(), Self.camera("yard")])
        bench.deliver("home/bell", "single")
        bench.advance(by: .seconds(1))
        for camera in ["door", "yard"] {
            let answer = bench.bus.last(on: "v4l2mqtt/porch/\(camera)/capture/reply")
            #expect(answer["photos"].list.count == 1)
        }
    }

    @Test func aRemoteThatRepeatsIsLimitedButItsReleaseIsNot() {
        let bench = AgentBench([Self.camera()], limits: LimitSettings(commandRate: 10))
        for _ in 0..<40 { bench.deliver("home/remote", #"{"action": "down"}"#, qos: .atMostOnce) }
        bench.deliver("home/remote", #"{"action": "up"}"#)
        bench.advance(by: .seconds(1))
        let answers = bench.bus.messages(on: "v4l2mqtt/porch/door/capture/reply").map(\.json)
        #expect(answers.count { $0["error"]["code"] == "rate_limited" } == 1)
        #expect(answers.last?["photos"].list.count == 1 && bench.state(.capture)["pressed"] == [])
    }

    // MARK: Admission, in the order of all commands

    @Test func theLimitIsCheckedBeforeTheDevice() {
        let bench = AgentBench([Self.camera()], limits: LimitSettings(commandRate: 10), isAttached: false)
        bench.sources["door"]?.detach(.notFound)
        let codes = (0..<40).flatMap { _ in bench.answers(to: "home/bell", "single") }
            .map { $0["error"]["code"] }
        #expect(codes == Array(repeating: "unavailable", count: 10) + ["rate_limited"])
    }

    @Test func aMessageForTwoCamerasCountsOnce() {
        let bench = AgentBench([Self.camera(), Self.camera("yard")], limits: LimitSettings(commandRate: 10))
        for _ in 0..<10 {
            let answers = bench.answers(to: "home/bell", "single")
            #expect(answers.map { $0["camera"] } == ["door", "yard"])
            #expect(answers.allSatisfy { $0["status"] == "accepted" })
        }
        let refused = bench.answers(to: "home/bell", "single")
        #expect(refused.map { $0["camera"] } == ["door", "yard"])
        #expect(refused.allSatisfy { $0["error"]["code"] == "rate_limited" })
        #expect(bench.answers(to: "home/bell", "single").isEmpty)
    }

    @Test func aStoppingAgentRefusesAPressOnce() {
        bench.cameras["door"]?.beginStop()
        let published = bench.deliver("home/bell", "single")
        #expect(published.map { $0.json["error"]["code"] } == ["unavailable", "unavailable"])
        #expect(published.map(\.topic) == ["capture/reply", "event"].map { "v4l2mqtt/porch/door/\($0)" })
    }
}
