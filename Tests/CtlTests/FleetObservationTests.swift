import Base
import Ctl
import Testing

@testable import Bus
@testable import Contract

/// When the retained messages of a broker are complete, and what a lost connection changes.
@Suite struct FleetObservationTests {
    private struct Rig {
        var observation: FleetObservation
        var names: [String] = []
        var now = ContinuousClock.now

        init(
            _ selection: CtlOptions = options(), timeout: Duration = .seconds(5), asks: Bool = false,
            nodes: [String] = [], group: FleetObservation.GroupRequest? = nil
        ) {
            observation = FleetObservation(
                selection, timeout: timeout, asks: asks, needsCameraInfo: group != nil, nodes: nodes,
                group: group.map { (name: "stage", request: $0) }, at: now)
        }

        mutating func handle(_ inputs: BusInput?...) {
            for input in inputs {
                for action in observation.handle(input, at: now) { names.append(Self.name(action)) }
            }
        }

        mutating func wait(_ duration: Duration) {
            let end = now + duration
            while let deadline = observation.deadline, deadline <= end {
                now = max(now, deadline)
                handle(nil)
            }
            now = end
        }

        private static func name(_ action: FleetObservation.Action) -> String {
            switch action {
            case .connected: "connected"
            case .disconnected(let reason): "disconnected: \(reason)"
            case .received: "received"
            case .settled: "settled"
            case .ask(let topic, let payload): "ask \(topic) \(String(decoding: payload, as: UTF8.self))"
            case .failed(let error): error.message
            }
        }

        var cameras: [String] { observation.fleet.addresses.map(\.description) }
    }

    private let lost = BusInput.connection(.disconnected(reason: "broker:1883: closed", retryIn: .seconds(1)))
    private let door = BusInput.message(agentInfo("porch", cameras: "door"))
    private let hall = BusInput.message(agentInfo("hall", cameras: "door"))

    @Test func itSettlesAfterAPeriodWithoutMessages() {
        var rig = Rig()
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        rig.wait(.milliseconds(200))
        rig.handle(door)
        rig.wait(.milliseconds(299))
        #expect(rig.names == ["connected", "received"])
        rig.wait(.milliseconds(1))
        #expect(rig.names == ["connected", "received", "settled"])
        rig.wait(.seconds(3600))
        #expect(rig.names.count == 3)
        #expect(rig.cameras == ["porch/door"])
    }

    @Test func itSettlesOnABusyBusToo() {
        var rig = Rig()
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        for _ in 0..<49 {
            rig.wait(.milliseconds(100))
            rig.handle(door)
        }
        #expect(!rig.names.contains("settled"))
        rig.wait(.milliseconds(100))
        #expect(rig.names.last == "settled")
    }

    @Test func theFirstAnswerIsLimited() {
        var silent = Rig(timeout: .milliseconds(800))
        silent.wait(.milliseconds(799))
        #expect(silent.names == [])
        silent.wait(.milliseconds(1))
        #expect(silent.names == ["The broker doesn't answer."])
        var unsubscribed = Rig()
        unsubscribed.handle(.connection(.connected(session)), lost, .connection(.connected(session)))
        unsubscribed.wait(.seconds(5))
        #expect(unsubscribed.names.last == "The broker doesn't answer.")
        unsubscribed.handle(.connection(.connected(session)), door, lost)
        #expect(unsubscribed.names.count == 4, "a failed observation has ended")
    }

    @Test func aFirstConnectionThatFailsEndsIt() {
        var rig = Rig()
        rig.handle(lost)
        #expect(rig.names == ["broker:1883: closed"])
        var refused = Rig()
        refused.handle(.connection(.connected(session)), .connection(.subscriptionRefused(filter: "a/#")))
        #expect(refused.names == ["connected", "The broker refuses the subscription to a/#."])
    }

    @Test func aLostConnectionIsReportedAndWhatTheBrokerLostDisappears() {
        var rig = Rig()
        rig.handle(.connection(.connected(session)), .connection(.subscribed), door, hall)
        rig.wait(.seconds(1))
        rig.handle(.message(refused("porch/door", "toy")), lost)
        #expect(rig.names.last == "disconnected: broker:1883: closed")
        rig.wait(.seconds(3600))
        #expect(rig.cameras == ["hall/door", "porch/door"], "the earlier state is kept meanwhile")
        rig.handle(.connection(.connected(session)), .connection(.subscribed), door)
        #expect(rig.cameras == ["hall/door", "porch/door"])
        rig.wait(.milliseconds(300))
        #expect(rig.names.last == "settled")
        #expect(rig.cameras == ["porch/door"])
        let lines = FleetView().lines(rig.observation.fleet, columns: 200, rows: 10, now: Timestamp.now)
        let newest = lines[1].text(columns: 200, hasColours: false)
        #expect(
            newest.contains("porch/door busy (toy): The camera is busy."), "no retained message has this")
    }

    // MARK: Missing messages

    @Test func anAgentOfWhichMessagesAreMissingIsAskedOnce() {
        var rig = Rig(asks: true)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        rig.handle(.message(availability("porch", .online, boot: 1)))
        rig.handle(.message(availability("hall", .stopped)))
        rig.names = []
        rig.wait(.milliseconds(300))
        let asked = [#"ask v4l2mqtt/porch/refresh/set {"client":"ctl"}"#]
        #expect(rig.names == asked + [#"ask v4l2mqtt/porch/refresh/set/ctl {"client":"ctl"}"#])
        rig.wait(.milliseconds(999))
        #expect(rig.names.count == 2)
        rig.handle(.message(agentInfo("porch", cameras: "door")))
        rig.wait(.milliseconds(300))
        #expect(rig.names.suffix(2) == ["received", "settled"])
    }

    @Test func anAgentThatDoesNotAnswerIsWaitedForASecond() {
        var rig = Rig(options(agent: "porch"), asks: true)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        rig.wait(.milliseconds(300))
        #expect(rig.names.count { $0.hasPrefix("ask v4l2mqtt/porch/refresh/set") } == 2)
        rig.wait(.seconds(1))
        #expect(rig.names.last == "settled")
    }

    /// It publishes its messages once in ten seconds, and has just done so for another client.
    @Test(arguments: ["v4l2mqtt/porch/refresh/reply", "replies/ctl/porch/refresh"])
    func anAgentThatHasAnsweredIsWaitedForTenSeconds(topic: String) {
        let done = BusMessage(
            topic: topic,
            payload: Array(#"{"status":"done","node":"refresh","boot":1,"ts":"\#(timestamp)"}"#.utf8),
            qos: .atLeastOnce, isRetained: false)
        for publishes in [true, false] {
            var rig = Rig(options(agent: "porch"), asks: true)
            rig.handle(.connection(.connected(session)), .connection(.subscribed))
            rig.wait(.milliseconds(300))
            rig.handle(.message(done))
            rig.wait(.milliseconds(10_700))
            #expect(!rig.names.contains("settled"))
            if publishes {
                rig.handle(.message(availability("porch", .online, boot: 1)), door)
                #expect(!rig.names.contains("settled"))
            }
            rig.wait(.milliseconds(300))
            #expect(rig.names.last == "settled")
        }
    }

    private var askedGroup: String {
        #"ask v4l2mqtt/groups/stage/refresh/set {"id":"ctl-test-refresh","client":"ctl"}"#
    }

    /// What the broker sends shows no camera of which it has nothing.
    @Test func aGroupIsAskedAndItsCamerasHaveASecond() {
        var rig = Rig(asks: true, group: .always)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        for message in member("hall") { rig.handle(.message(message)) }
        rig.names = []
        rig.wait(.milliseconds(300))
        #expect(rig.names == [askedGroup])
        rig.wait(.milliseconds(900))
        rig.handle(.message(refreshAnswer(of: "attic")))
        rig.names = []
        rig.wait(.milliseconds(300))
        // Its agent is asked at once: the answer to the group may wait for `mqtt.spread_s`.
        #expect(rig.names.count { $0.hasPrefix("ask v4l2mqtt/attic/refresh/set") } == 2)
        for message in member("attic") { rig.handle(.message(message)) }
        rig.wait(.milliseconds(300))
        #expect(rig.names.last == "settled" && rig.cameras == ["attic/door", "hall/door"])
    }

    @Test(arguments: [true, false]) func aGroupIsAskedWhenSomethingIsMissing(isMissing: Bool) {
        var rig = Rig(asks: true, group: .whenIncomplete)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        for message in member("hall") { rig.handle(.message(message)) }
        if isMissing { rig.handle(.message(availability("porch", .online, boot: 1))) }
        rig.wait(.milliseconds(300))
        #expect(rig.names.contains(askedGroup) == isMissing)
        #expect(rig.names.contains("settled") != isMissing)
    }

    /// An agent that has published everything for another client publishes again after ten seconds.
    @Test func aCameraThatHasAnsweredForItsGroupIsWaitedFor() {
        var rig = Rig(asks: true, group: .whenIncomplete)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        rig.wait(.milliseconds(300))
        rig.handle(.message(refreshAnswer(of: "hall")))
        rig.wait(.milliseconds(10_500))
        #expect(!rig.names.contains("settled"))
        for message in member("hall") { rig.handle(.message(message)) }
        rig.wait(.milliseconds(300))
        #expect(rig.names.last == "settled")
    }

    /// As `ctl list` needs them.
    private static let listed = ["availability", "info", "zoom", "recording", "desired"]

    /// A camera with all its retained messages, but those of some nodes.
    private func camera(_ agent: String, without missing: Set<String> = []) -> [BusInput] {
        let states: [(node: String, payload: [UInt8])] = [
            ("availability", JSON.bytes(Availability(.online))), ("info", info),
            ("zoom", JSON.bytes(zoomState(2))), ("recording", JSON.bytes(recordingState(.idle))),
            ("desired", Array("null".utf8)),
        ]
        return [.message(agentInfo(agent, cameras: "door")), .message(availability(agent, .online))]
            + states.filter { !missing.contains($0.node) }.map {
                .message(message("\(agent)/door/\($0.node)", $0.payload))
            }
    }

    /// An agent answers a request with its own `info` at once, and with all else up to ten seconds later.
    @Test func theCamerasOfAnAgentThatHasAnsweredAreWaitedForToo() {
        var rig = Rig(options(agent: "porch"), asks: true, nodes: Self.listed)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        rig.wait(.milliseconds(300))
        rig.handle(.message(refreshAnswer(of: "porch")))
        for message in camera("porch", without: ["info"]) { rig.handle(message) }
        rig.wait(.milliseconds(10_500))
        #expect(!rig.names.contains("settled"))
        for message in camera("porch") { rig.handle(message) }
        rig.wait(.milliseconds(300))
        #expect(rig.names.last == "settled" && rig.observation.incompleteNote == nil)
    }

    private func settled(_ inputs: [BusInput]) -> Rig {
        var rig = Rig(asks: true, nodes: Self.listed)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        for input in inputs { rig.handle(input) }
        rig.wait(.seconds(20))
        #expect(rig.names.last == "settled")
        return rig
    }

    private func note(_ inputs: [BusInput]) -> String? { settled(inputs).observation.incompleteNote }

    @Test(arguments: listed) func aCameraOfWhichAMessageIsMissingIsIncomplete(node: String) {
        #expect(note(camera("porch") + camera("hall")) == nil)
        #expect(
            note(camera("porch") + camera("hall", without: [node]))
                == "Incomplete: not all retained messages of 1 camera have come. The broker may drop what it can't send at once."
        )
    }

    @Test func nothingIsExpectedOfACameraThatIsAway() {
        let away = availability("hall/door", .offline, reason: "not_found")
        #expect(note(camera("hall", without: Set(Self.listed)) + [.message(away)]) == nil)
        #expect(
            note(camera("hall", without: Set(Self.listed)) + [.message(availability("hall", .offline))])
                == nil)
    }

    /// Its device has not been opened since the agent started.
    @Test func aPrivateCameraMayHaveNoInfo() {
        let closed = BusInput.message(availability("hall/door", .online, reason: "private"))
        #expect(note(camera("hall", without: ["availability", "info"]) + [closed]) == nil)
        #expect(note(camera("hall", without: ["availability", "info", "zoom"]) + [closed]) != nil)
        var rig = Rig(asks: true, nodes: ["info"], group: .whenIncomplete)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        for message in member("attic") { rig.handle(.message(message)) }
        for input in camera("hall", without: ["availability", "info"]) + [closed] { rig.handle(input) }
        rig.wait(.milliseconds(300))
        #expect(rig.names.last == "settled", "no agent is asked")
    }

    /// At most 100 agents are asked.
    @Test func agentsThatAreOnlineAndSayNothingElseAreIncomplete() {
        let agents = (1...103).map { "agent\($0 + 100)" }
        let online = agents.map { BusInput.message(availability($0, .online)) }
        #expect(
            note(Array(online.prefix(1)))
                == "Incomplete: not all retained messages of 1 agent have come. The broker may drop what it can't send at once."
        )
        let asked = settled(Array(online.prefix(100))).observation
        #expect(asked.incompleteNote?.contains("messages of 100 agents have") == true)
        #expect(asked.unaskedNote == nil)
        let all = settled(online).observation
        #expect(all.incompleteNote?.contains("messages of 103 agents have") == true)
        #expect(all.unaskedNote?.contains("messages of 3 agents have") == true)
        let listed = agents.dropFirst(101).map { BusInput.message(agentInfo($0, cameras: "door", "yard")) }
        #expect(note(online + listed)?.contains("messages of 4 cameras and 101 agents have") == true)
    }

    /// The broker has dropped again what the agent has published for the request.
    @Test func camerasOfAnAgentThatHasAnsweredAreIncomplete() {
        var rig = Rig(asks: true, nodes: Self.listed)
        rig.handle(.connection(.connected(session)), .connection(.subscribed))
        rig.handle(.message(availability("porch", .online)))
        rig.wait(.milliseconds(300))
        rig.handle(.message(refreshAnswer(of: "porch")))
        for message in camera("porch", without: ["zoom"]) { rig.handle(message) }
        rig.wait(.seconds(20))
        #expect(rig.observation.incompleteNote?.contains("messages of 1 camera have") == true)
        rig.handle(.message(zoom("porch/door", zoomState(2))))
        #expect(rig.observation.incompleteNote == nil, "it came later")
    }

    @Test func nothingIsExpectedOfAnAgentThatIsGone() {
        // Without a will: the broker has forgotten its availability.
        var gone = camera("porch", without: ["zoom"])
        gone.remove(at: 1)
        #expect(note(gone) == nil && note([.message(zoom("porch/door", zoomState(2)))]) == nil)
        var rig = settled([.message(availability("porch", .online))])
        rig.handle(.message(availability("porch", .offline)))
        #expect(rig.observation.incompleteNote == nil)
    }

    @Test func whereEverythingIsKnownOrNothingIsAskedForThereIsNoRequest() {
        for asks in [true, false] {
            var rig = Rig(asks: asks)
            rig.handle(.connection(.connected(session)), .connection(.subscribed))
            rig.handle(.message(availability("porch", .online, boot: 1)))
            if asks { rig.handle(.message(agentInfo("porch", cameras: "door"))) }
            rig.wait(.milliseconds(300))
            #expect(rig.names.last == "settled")
        }
    }
}
