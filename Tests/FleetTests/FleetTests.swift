import Contract
import Testing

@testable import Fleet

/// Which messages count, and what they change.
struct FleetTests {
    let door = CameraAddress(agent: "porch", camera: "door")
    let yard = CameraAddress(agent: "porch", camera: "yard")
    var broker = RetainedBroker()

    init() {
        broker.add("porch")
        broker.read()
    }

    // MARK: Listed cameras

    @Test mutating func onlyCamerasThatTheAgentListsCount() {
        #expect(broker.publish("porch/ghost/zoom", "1") == .unlisted)
        #expect(broker.publish("other/door/zoom", "1") == .unlisted)
        #expect(broker.fleet.addresses == [door])
    }

    @Test mutating func aCameraThatIsListedLaterIsRead() {
        broker.publish("porch/yard/zoom", "1")
        broker.publish("porch/yard/info", "1")
        broker.publish("porch/yard/availability", online)
        #expect(broker.fleet[yard] == nil)
        let result = broker.publish("porch/info", "{\"cameras\":[\"door\",\"yard\"]}")
        #expect(result == .change(.agent("porch", node: "info", cameras: [door, yard])))
        #expect(broker.fleet[yard]?.facts.payloads["zoom"] == "1")
        #expect(broker.fleet.unknownAgents.isEmpty)
    }

    @Test mutating func aCameraThatIsListedNoMoreIsRemoved() {
        let result = broker.publish("porch/info", "{\"cameras\":[\"yard\"]}")
        #expect(result == .change(.agent("porch", node: "info", cameras: [door, yard])))
        #expect(broker.fleet.addresses == [yard])
    }

    @Test mutating func anInfoThatCannotBeReadRemovesNone() {
        for payload in ["{", "{}", "{\"cameras\":1}"] { broker.publish("porch/info", payload) }
        #expect(broker.fleet.addresses == [door])
    }

    @Test mutating func whatIsNoNameIsNoCamera() {
        broker.publish("porch/info", "{\"cameras\":[\"door\",\"Door\",\"\",\"a/b\",\"door\"]}")
        #expect(broker.fleet.agents["porch"]?.cameraNames == ["door"])
    }

    @Test mutating func anAgentWithoutMessagesIsRemoved() {
        broker.publish("porch/availability", "")
        #expect(broker.fleet.presence(of: "porch", at: broker.time) == .silent)
        #expect(broker.publish("porch/info", "") == .change(.agent("porch", node: "info", cameras: [door])))
        #expect(broker.fleet.agents.isEmpty && broker.fleet.bytes == 0)
        #expect(broker.publish("porch/info", "") == .other)
    }

    /// In a string an accent after a slash hides the slash.
    @Test mutating func theMessageOfAnotherAgentDoesNotCount() {
        #expect(broker.publish("\u{301}porch/availability", "{\"state\":\"stopped\"}") == .other)
        #expect(broker.publish("porch/\u{301}door/zoom", "1") == .other)
        #expect(broker.fleet.presence(of: "porch", at: broker.time) == .online(reason: nil))
    }

    @Test(arguments: [
        "porch/door/recording", "porch/door/zoom/set", "porch/door/zoom/reply", "porch/door/zoom/live",
        "porch/zoom", "groups/door/zoom", "porch", "porch/door/x/y/z",
    ])
    mutating func otherMessagesChangeNothing(topic: String) {
        #expect(broker.fleet.take("v4l2mqtt/\(topic)", Array("1".utf8), at: broker.time) == .other)
        #expect(broker.fleet[door]?.facts.messages == 3)
    }

    @Test mutating func anEventIsTakenAndNotKept() {
        let before = broker.fleet.bytes
        #expect(broker.publish("porch/door/event", "{}") == .change(.camera(door, node: "event")))
        #expect(broker.fleet[door]?.facts.payloads["event"] == "{}" && broker.fleet.bytes == before)
    }

    // MARK: Presence

    @Test(
        arguments: [
            (online, online, .online(reason: nil)),
            (online, "{\"state\":\"online\",\"reason\":\"private\"}", .online(reason: "private")),
            (online, "{\"state\":\"offline\",\"reason\":\"no_device\"}", .offline(reason: "no_device")),
            (online, "", .unknown), ("{\"state\":\"stopped\"}", online, .agentAway(.stopped)),
            ("{\"state\":\"offline\"}", "", .agentAway(.offline)), ("", online, .silent),
            ("{", online, .silent),
        ] as [(String, String, Presence)])
    mutating func aCameraIsPresentWithItsAgent(agent: String, camera: String, presence: Presence) {
        broker.publish("porch/availability", agent)
        broker.publish("porch/door/availability", camera)
        #expect(broker.fleet.presence(of: door, at: broker.time) == presence)
    }

    /// No message tells that an agent has vanished together with its broker.
    @Test mutating func aCommandEndsWhenItsAgentDoesNotRenewItsAvailability() throws {
        broker.publish("porch/availability", "{\"state\":\"online\",\"boot\":1,\"renew_s\":60}")
        let accepted = #"{"id":"1","status":"accepted","boot":1,"ts":"2026-11-28T00:00:00.000Z"}"#
        let reply = try #require(JSON.value(Reply.self, from: Array(accepted.utf8)))
        var answers = Answers(.each)
        answers.add(door, in: broker.fleet)
        answers.expect("1", until: broker.time + .seconds(5))
        #expect(answers.take(reply, to: "1", of: door) == .accepted)
        for _ in 0..<10 {
            guard let due = earliest(broker.fleet.deadline, answers.deadline) else { break }
            broker.time = max(broker.time, due)
            broker.tick()
            answers.pass(at: broker.time, in: broker.fleet)
        }
        #expect(answers.open == 0)
        #expect(answers.silence(of: door, in: broker.fleet, at: broker.time) == .agentIsSilent)
    }

    @Test mutating func anAgentThatDoesNotRenewItsAvailabilityIsSilent() {
        broker.publish("porch/availability", "{\"state\":\"online\",\"renew_s\":60}")
        let until = broker.time + .seconds(180)
        #expect(broker.fleet.presence(of: "porch", at: until - .seconds(1)) == .online(reason: nil))
        #expect(broker.fleet.presence(of: "porch", at: until) == .silent)
        #expect(broker.fleet.tick(at: until - .seconds(1)).isEmpty)
        #expect(broker.fleet.tick(at: until) == [.agent("porch", node: "", cameras: [door])])
        #expect(broker.fleet.tick(at: until).isEmpty)
        broker.publish("porch/availability", online)
        #expect(broker.fleet.presence(of: "porch", at: until + .seconds(999)) == .online(reason: nil))
    }

    // MARK: Limits

    @Test mutating func thereIsALimitOfAgentsAndOfCameras() {
        var limits = FleetLimits()
        (limits.agents, limits.cameras, limits.camerasOfAgent) = (3, 4, 2)
        broker = RetainedBroker(limits: limits)
        for number in 1...4 { broker.add("agent\(number)", ["a", "b", "c"]) }
        broker.read()
        #expect(broker.fleet.agents.count == 3)
        #expect(
            broker.fleet.addresses.map(\.description) == ["agent1/a", "agent1/b", "agent2/a", "agent2/b"])
        #expect(broker.publish("agent4/info", "{}") == .leftOut(reason: "there are 3 agents"))
        broker.publish("agent1/info", "{\"cameras\":[]}")
        broker.publish("agent3/info", "{\"cameras\":[\"c\"]}")
        #expect(broker.fleet.addresses.map(\.description) == ["agent2/a", "agent2/b", "agent3/c"])
    }

    @Test mutating func aMessageThatIsTooLargeIsLeftOutAndNotAwaited() {
        var limits = FleetLimits()
        (limits.info, limits.state) = (100, 50)
        broker = RetainedBroker(limits: limits)
        broker.add("porch")
        broker.retained["porch"]?["door/zoom"] = String(repeating: " ", count: 51)
        broker.read()
        #expect(broker.fleet.unknownAgents.isEmpty && broker.asked.isEmpty)
        #expect(
            broker.publish("porch/door/zoom", String(repeating: " ", count: 51))
                == .leftOut(reason: "51 bytes"))
        #expect(
            broker.publish("porch/info", String(repeating: " ", count: 101)) == .leftOut(reason: "101 bytes"))
        #expect(broker.fleet.addresses == [door])
    }

    @Test mutating func allAgentsAndEachOneHaveALimitOfBytes() {
        var limits = FleetLimits()
        (limits.bytes, limits.bytesOfAgent) = (6 << 20, 3 << 20)
        limits.state = 8 << 20
        broker = RetainedBroker(limits: limits)
        for agent in ["porch", "shed", "gate"] { broker.add(agent) }
        broker.read()
        let large = String(repeating: " ", count: 3 << 20)
        let fitting = String(large.dropFirst(10_000))
        #expect(
            broker.publish("porch/door/zoom", large)
                == .leftOut(reason: "those of its agent together have 3 MiB"))
        broker.publish("porch/door/zoom", fitting)
        broker.publish("shed/door/zoom", fitting)
        #expect(
            broker.publish("gate/door/zoom", large) == .leftOut(reason: "all messages together have 6 MiB"))
        // What becomes smaller makes room.
        broker.publish("porch/door/zoom", "1")
        #expect(
            broker.publish("gate/door/zoom", fitting)
                == .change(.camera(.init(agent: "gate", camera: "door"), node: "zoom")))
        broker.publish("gate/info", "{\"cameras\":[]}")
        broker.publish("shed/info", "{\"cameras\":[]}")
        #expect(broker.fleet.bytes < 1_000)
    }

    @Test mutating func anAgentThatHasTakenItsShareLeavesRoomForLaterOnes() {
        let cameras = (0..<40).map { "camera\($0)" }
        broker.add("porch", cameras)
        let large = String(repeating: " ", count: 512 << 10)
        for camera in cameras { broker.retained["porch"]?["\(camera)/zoom"] = large }
        broker.read()
        #expect((15 << 20...16 << 20).contains(broker.fleet.bytes) && broker.fleet.unknownAgents.isEmpty)
        broker.add("shed")
        broker.publish("shed/availability", online)
        #expect(broker.fleet[.init(agent: "shed", camera: "door")]?.facts.payloads["zoom"] == online)
    }

    // MARK: Followed cameras

    @Test mutating func furtherStatesAreReadOfAFollowedCamera() {
        let needs = FleetNeeds(
            required: ["availability", "info"], followed: ["zoom", "recording", "output"],
            followedLive: ["event", "zoom/live"])
        broker = RetainedBroker(needs)
        broker.add("porch", nodes: ["availability", "info", "zoom", "recording"])
        broker.read()
        let kept = broker.fleet.bytes
        #expect(broker.publish("porch/door/zoom", "1") == .other)
        broker.fleet.follow([door], at: broker.time)
        broker.carryOut()
        #expect(
            broker.fleet[door]?.facts.payloads.keys.sorted() == ["availability", "info", "recording", "zoom"])
        #expect(broker.publish("porch/door/zoom/live", "2") == .change(.camera(door, node: "zoom/live")))
        broker.time += .seconds(2)
        broker.tick()
        // Not each camera has an output.
        #expect(broker.asked.isEmpty)
        broker.fleet.follow([], at: broker.time)
        broker.carryOut()
        #expect(broker.fleet.bytes == kept && broker.fleet[door]?.facts.payloads["zoom"] == nil)
        #expect(broker.filters.allSatisfy { $0.hasPrefix("v4l2mqtt/+/") })
    }

    @Test mutating func aFollowedCameraIsAskedOnceForWhatIsMissing() {
        broker = RetainedBroker(FleetNeeds(required: ["availability"], followed: ["zoom", "recording"]))
        broker.add("porch", nodes: ["availability", "zoom"])
        broker.read()
        broker.fleet.follow([door], at: broker.time)
        broker.carryOut()
        broker.tick()
        #expect(broker.asked.isEmpty)
        broker.time += .seconds(2)
        broker.tick()
        broker.tick()
        #expect(broker.asked == ["porch/door"])
    }
}
