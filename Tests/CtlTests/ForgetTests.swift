import Base
import Ctl
import CtlScript
import Testing

@testable import Bus
@testable import Contract

/// `ctl forget`
struct ForgetTests {
    private let quiet = Duration.seconds(1)

    private func rig(_ camera: String? = nil, json: Bool = false) -> GroupRig {
        GroupRig { CtlSession.forget("porch", camera, below: "homeassistant", options(json: json), $0) }
    }

    /// A message that the broker has retained.
    private func retained(_ topic: String) -> BusInput {
        .message(BusMessage(topic: topic, payload: [1], qos: .atMostOnce, isRetained: true))
    }

    /// Connects, and lets the agent have its time to answer.
    private func absent(_ camera: String? = nil, json: Bool = false, _ states: [BusMessage] = stopped)
        -> GroupRig
    {
        var rig = rig(camera, json: json)
        rig.connect(states, waiting: .milliseconds(300))
        rig.wait(quiet)
        return rig
    }

    private static let stopped = [agentInfo("porch", cameras: "door"), availability("porch", .stopped)]
    private let document = "homeassistant/device/v4l2mqtt_door_AT_porch/config"

    @Test func allBelowTheAgentIsClearedAndReadAgain() {
        var rig = absent()
        #expect(rig.asked == ["v4l2mqtt/porch/refresh/set"])
        for topic in ["info", "availability", "door/zoom", "a/b/c/d/e"] {
            rig.handle(retained("v4l2mqtt/porch/\(topic)"))
        }
        rig.handle(retained(document), retained("v4l2mqtt/porch2/info"), retained("homeassistant/status"))
        rig.wait(quiet)
        let expected = [
            "v4l2mqtt/porch/door/zoom", "v4l2mqtt/porch/a/b/c/d/e", document, "v4l2mqtt/porch/availability",
            "v4l2mqtt/porch/info",
        ]
        #expect(rig.published.map(\.topic) == expected)
        #expect(rig.published.allSatisfy { $0.payload.isEmpty && $0.isRetained } && rig.exitCodes.isEmpty)
        rig.handle(.drained)
        #expect(rig.exitCodes.isEmpty)
        rig.wait(quiet)
        #expect(rig.lines == expected.sorted() + ["Retained messages of porch that are cleared: 5"])
        #expect(rig.exitCodes == [0] && rig.errors.isEmpty)
    }

    @Test func oneCameraIsClearedAndTheAgentStays() {
        var rig = absent("door", json: true)
        rig.handle(retained("v4l2mqtt/porch/door/zoom"), retained("v4l2mqtt/porch/info"))
        rig.handle(retained("v4l2mqtt/porch/door2/zoom"), retained(document))
        rig.wait(quiet)
        rig.handle(.drained)
        rig.wait(quiet)
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/porch/door/zoom", document])
        #expect(
            rig.lines == [#"{"cleared":["\#(document)","v4l2mqtt/porch/door/zoom"],"left":[]}"#])
        #expect(rig.errors == ["The info of porch still lists door. If all of porch is gone, forget porch."])
        #expect(rig.exitCodes == [0])
    }

    /// Of very many retained messages a broker drops some.
    @Test func whatTheBrokerHasDroppedIsClearedNext() {
        var rig = absent()
        for topic in ["v4l2mqtt/porch/door/zoom", "v4l2mqtt/porch/yard/zoom"] {
            rig.handle(retained(topic))
            rig.wait(quiet)
            #expect(rig.published.last?.topic == topic)
            rig.handle(.drained)
        }
        rig.wait(quiet)
        #expect(rig.exitCodes == [0] && rig.published.count == 2)
    }

    @Test func anAgentThatIsOnlineIsRefused() {
        var rig = rig()
        rig.connect([agentInfo("porch", cameras: "door"), availability("porch", .online)])
        #expect(rig.errors == ["porch is online. Stop its agent before you forget it."])
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
    }

    @Test func anAgentThatAnswersIsRefused() {
        var rig = rig()
        rig.connect(Self.stopped, waiting: .milliseconds(300))
        rig.receive(message("porch/refresh/reply", #"{"status":"error"}"#))
        #expect(rig.errors == ["porch is online. Stop its agent before you forget it."])
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
    }

    @Test func aCameraThatAnAgentStillHasIsRefused() {
        let online = [agentInfo("porch", cameras: "door"), availability("porch", .online)]
        var rig = rig("door")
        rig.connect(online)
        #expect(
            rig.errors == ["porch is online with door. Remove it from the configuration of porch."])
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
        rig = self.rig("yard")
        rig.connect(online, waiting: .milliseconds(300))
        rig.handle(retained("v4l2mqtt/porch/yard/zoom"))
        rig.wait(quiet)
        #expect(rig.published.map(\.topic) == ["v4l2mqtt/porch/yard/zoom"])
    }

    @Test func anUnknownAgentIsAnErrorWithTheOthers() {
        var rig = rig()
        rig.connect([], waiting: .zero)
        for _ in 0..<30 where rig.exitCodes.isEmpty {
            rig.receive(availability("hall", .online))
            rig.wait(.milliseconds(200))
        }
        #expect(rig.errors == ["There is no agent porch; there is hall."])
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
    }

    @Test func aCameraOfWhichNothingIsRetainedIsAnError() {
        var rig = absent("yard")
        rig.wait(quiet)
        #expect(rig.errors == ["The broker retains nothing of porch/yard."] && rig.exitCodes == [1])
    }

    @Test func whatTheBrokerRefusesIsLeftAndNamed() {
        var rig = absent(json: true)
        rig.handle(retained("v4l2mqtt/porch/info"), retained("v4l2mqtt/porch/door/zoom/set"))
        rig.wait(quiet)
        rig.handle(.refused(topic: "v4l2mqtt/porch/door/zoom/set", reason: "Not authorized"), .drained)
        rig.handle(retained("v4l2mqtt/porch/door/zoom/set"))
        rig.wait(quiet)
        #expect(
            rig.lines == [#"{"cleared":["v4l2mqtt/porch/info"],"left":["v4l2mqtt/porch/door/zoom/set"]}"#])
        #expect(
            rig.errors == [
                "The broker still retains v4l2mqtt/porch/door/zoom/set; "
                    + "the broker refuses to clear it: Not authorized."
            ])
        #expect(rig.exitCodes == [1])
    }

    @Test func aLostConnectionIsAnError() {
        var rig = absent()
        rig.handle(retained("v4l2mqtt/porch/info"))
        rig.wait(quiet)
        rig.disconnect()
        #expect(rig.errors == ["broker:1883: closed"] && rig.exitCodes == [1])
        rig = absent()
        rig.handle(retained("v4l2mqtt/porch/info"))
        rig.wait(quiet)
        rig.wait(.seconds(6))
        #expect(rig.errors == ["The broker doesn't answer."] && rig.exitCodes == [1])
    }
}
