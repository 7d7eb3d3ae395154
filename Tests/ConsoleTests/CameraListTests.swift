import Testing

@testable import Bus
@testable import Contract
@testable import Server

@Suite struct CameraListTests {
    private let door = camera("porch/door")

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func aCameraIsKnownByItsMessages() {
        let list = CameraList()
        #expect(list.summary(of: door) == nil)
        #expect(list.take(door, "info", bytes(#"{"model":"Simulated","groups":["outside"]}"#)) == true)
        #expect(list.summary(of: door)?.model == "Simulated")
        #expect(list.summary(of: door)?.groups == ["outside"])
        #expect(list.summary(of: door)?.online == false)
        #expect(list.take(door, "availability", bytes(#"{"state":"online","reason":"private"}"#)) == true)
        #expect(list.summary(of: door)?.online == true)
        #expect(list.summary(of: door)?.reason == "private")
        #expect(
            list.take(door, "availability", bytes(#"{"state":"online","reason":"private"}"#)) == false,
            "it is the same")
        #expect(list.payload(of: door, "info") == bytes(#"{"model":"Simulated","groups":["outside"]}"#))
    }

    @Test func aCameraIsGoneWithItsMessages() {
        let list = CameraList()
        _ = list.take(door, "info", bytes(#"{"model":"Simulated"}"#))
        _ = list.take(door, "availability", bytes(#"{"state":"online"}"#))
        #expect(list.take(door, "info", []) == true)
        #expect(list.summary(of: door) != nil)
        #expect(list.take(door, "availability", []) == true)
        #expect(list.summary(of: door) == nil)
        #expect(list.summaries.isEmpty)
    }

    @Test func anAgentThatIsAwayIsSeenAtItsCameras() {
        let list = CameraList()
        _ = list.take(door, "availability", bytes(#"{"state":"online"}"#))
        #expect(list.summary(of: door)?.agentOnline == false)
        #expect(list.take(agent: "porch", "availability", bytes(#"{"state":"online"}"#)) == [door])
        #expect(list.summary(of: door)?.agentOnline == true)
        #expect(list.take(agent: "porch", "availability", bytes(#"{"state":"online"}"#)) == [])
        #expect(list.take(agent: "cellar", "availability", bytes(#"{"state":"online"}"#)) == [])
        for away in [#"{"state":"offline"}"#, #"{"state":"stopped"}"#, "", "x"] {
            _ = list.take(agent: "porch", "availability", bytes(#"{"state":"online"}"#))
            #expect(list.take(agent: "porch", "availability", bytes(away)) == [door], "\(away)")
            #expect(list.summary(of: door)?.agentOnline == false)
        }
        // A camera that comes later has the state of its agent.
        _ = list.take(agent: "porch", "availability", bytes(#"{"state":"online"}"#))
        _ = list.take(camera("porch/b"), "info", bytes("{}"))
        #expect(list.summary(of: camera("porch/b"))?.agentOnline == true)
    }

    @Test func anAgentThatDoesNotRenewItsAvailabilityIsSilent() {
        let list = CameraList()
        let start = ContinuousClock.now
        let online = bytes(#"{"state":"online","boot":1,"renew_s":60}"#)
        _ = list.take(door, "availability", bytes(#"{"state":"online"}"#))
        #expect(list.summary(of: door)?.agentSilent == true, "its agent has published nothing")
        #expect(list.take(agent: "porch", "availability", online, at: start) == [door])
        #expect(list.summary(of: door)?.agentSilent == nil)
        #expect(list.take(agent: "porch", "availability", online, at: start + .seconds(60)) == [])
        #expect(list.expire(at: start + .seconds(239)) == [])
        #expect(list.isOnline("porch"))
        #expect(list.expire(at: start + .seconds(240)) == [door])
        #expect(list.summary(of: door)?.agentOnline == false && list.summary(of: door)?.agentSilent == true)
        #expect(list.expire(at: start + .seconds(999)) == [])
        #expect(list.take(agent: "porch", "availability", online, at: start + .seconds(999)) == [door])
        #expect(list.summary(of: door)?.agentOnline == true)
        // An agent that is offline is known.
        _ = list.take(agent: "porch", "availability", bytes(#"{"state":"offline","boot":1}"#))
        #expect(list.expire(at: start + .seconds(9_999)) == [])
        #expect(list.summary(of: door)?.agentSilent == nil)
    }

    @Test func anOpenCameraWhoseStatesDoNotComeIsMissedOnce() {
        var states = OpenStates()
        let start = ContinuousClock.now
        let gate = camera("porch/gate")
        _ = states.open([door, gate], at: start)
        #expect(states.takeMissing(at: start + .seconds(1)) == [])
        _ = states.set(door, "zoom", bytes("{}"))
        for node in Node.allCases { _ = states.set(gate, node.name, bytes("{}")) }
        #expect(states.takeMissing(at: start + .seconds(2)) == [door])
        #expect(states.takeMissing(at: start + .seconds(9)) == [])
        _ = states.open([], at: start + .seconds(10))
        _ = states.open([door], at: start + .seconds(10))
        _ = states.open([], at: start + .seconds(11))
        #expect(states.takeMissing(at: start + .seconds(99)) == [], "it was closed")
    }

    @Test func anAgentOfAnEarlierVersionIsNeverSilent() {
        let list = CameraList()
        _ = list.take(door, "availability", bytes(#"{"state":"online"}"#))
        _ = list.take(agent: "porch", "availability", bytes(#"{"state":"online","boot":1}"#))
        #expect(list.expire(at: .now + .seconds(99_999)) == [])
        #expect(list.summary(of: door)?.agentOnline == true)
    }

    @Test func anAgentSaysWhetherItTakesOnlyProvedClients() {
        let list = CameraList()
        func info(_ clients: String) -> [UInt8] {
            bytes(
                #"{"agent":"porch","version":"1","protocol":1,"host":"h","cameras":[],\#(clients)"started":"t"}"#
            )
        }
        #expect(!list.takesOnlyProvedClients("porch"))
        _ = list.take(agent: "porch", "info", info(#""clients":"proved","#))
        #expect(list.takesOnlyProvedClients("porch"))
        _ = list.take(agent: "porch", "info", info(#""clients":"open","#))
        #expect(!list.takesOnlyProvedClients("porch"))
        _ = list.take(agent: "porch", "info", info(#""clients":"proved","#))
        _ = list.take(agent: "porch", "info", [])
        #expect(!list.takesOnlyProvedClients("porch"))
    }

    @Test func messagesWithoutMeaningAreNotBelieved() {
        let list = CameraList()
        for text in ["x", "[]", "17", #"{"state":1}"#, #"{"state":"ONLINE"}"#] {
            _ = list.take(door, "availability", bytes(text))
            #expect(list.summary(of: door)?.online == false, "\(text)")
        }
        _ = list.take(door, "info", bytes(#"{"model":17,"groups":"x"}"#))
        #expect(list.summary(of: door)?.model == nil)
        #expect(list.summary(of: door)?.groups == [])
        #expect(list.take(agent: "Porch", "availability", bytes(#"{"state":"online"}"#)) == [])
        #expect(!list.isOnline("Porch"))
        #expect(list.take(agent: "porch", "other", bytes(#"{"state":"online"}"#)) == [])
        #expect(!list.isOnline("porch"))
    }

    @Test func thereIsALimit() {
        let list = CameraList()
        for number in 0..<20_000 {
            _ = list.take(camera("porch/c\(number)"), "availability", bytes(#"{"state":"online"}"#))
        }
        #expect(list.take(door, "availability", bytes(#"{"state":"online"}"#)) == false)
        #expect(list.summaries.count == 20_000)
        #expect(list.take(camera("porch/c1"), "availability", bytes(#"{"state":"offline"}"#)) == true)
    }

    @Test func allMessagesTogetherHaveALimit() {
        let leftOut = LeftOutMessages()
        let list = CameraList(leftOut)
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        for number in 0..<1024 { _ = list.take(camera("porch/c\(number)"), "info", large) }
        #expect(list.keptBytes == 64 << 20 && leftOut.takeReport(at: .now) == nil)
        #expect(list.take(door, "availability", bytes(#"{"state":"online"}"#)) == false)
        #expect(list.summary(of: door) == nil)
        #expect(
            leftOut.takeReport(at: .now)
                == "warning: messages left out: 1; the last one: availability of porch/door: all cameras together have 64 MiB"
        )
        // The same again, and less, need no room.
        _ = list.take(camera("porch/c1"), "info", large)
        #expect(list.take(camera("porch/c2"), "info", bytes(#"{"model":"Simulated"}"#)) == true)
        #expect(list.take(camera("porch/c3"), "info", []) == true)
        #expect(list.take(door, "availability", bytes(#"{"state":"online"}"#)) == true)
        for number in 0..<1024 { _ = list.take(camera("porch/c\(number)"), "info", []) }
        _ = list.take(door, "availability", [])
        #expect(list.keptBytes == 0)
    }

    @Test func textsOfTheListAreShort() {
        let list = CameraList()
        let long = String(repeating: "x", count: 257), longest = String(repeating: "x", count: 256)
        let groups = (0..<100).map { "\"g\($0)\"" }.joined(separator: ",")
        _ = list.take(door, "info", bytes(#"{"model":"\#(long)","groups":["\#(long)",\#(groups)]}"#))
        _ = list.take(door, "availability", bytes(#"{"state":"online","reason":"\#(long)"}"#))
        #expect(list.summary(of: door)?.model == nil && list.summary(of: door)?.reason == nil)
        #expect(list.summary(of: door)?.groups == (0..<63).map { "g\($0)" })
        _ = list.take(door, "info", bytes(#"{"model":"\#(longest)"}"#))
        #expect(list.summary(of: door)?.model == longest)
    }
}

@Suite struct OpenStatesTests {
    private let door = camera("porch/door"), gate = camera("porch/gate")

    @Test func allStatesTogetherHaveALimit() {
        var states = OpenStates()
        func takes(_ camera: CameraAddress, _ node: String, _ payload: [UInt8]) -> Bool {
            states.set(camera, node, payload)
        }
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 512 << 10)
        #expect(takes(door, "zoom", large) && states.keptBytes == 0, "the camera is not open")
        _ = states.open([door, gate], at: .now)
        for number in 0..<128 { #expect(takes(door, "node\(number)", large)) }
        #expect(!takes(gate, "zoom", [1]))
        #expect(takes(door, "node1", large) && takes(door, "node2", []))
        #expect(takes(gate, "zoom", [1]))
        _ = states.open([gate], at: .now)
        #expect(states.keptBytes == 1)
    }
}

@Suite struct LeftOutMessagesTests {
    @Test func aLineComesOnceInAMinute() {
        let leftOut = LeftOutMessages()
        let start = ContinuousClock.now
        #expect(leftOut.takeReport(at: start) == nil)
        leftOut.add(camera("porch/door"), "info", "a")
        #expect(leftOut.takeReport(at: start)?.contains("left out: 1;") == true)
        for _ in 0..<3 { leftOut.add(camera("porch/door"), "info", "b") }
        #expect(leftOut.takeReport(at: start + .seconds(59)) == nil)
        #expect(leftOut.takeReport(at: start + .seconds(60))?.contains("left out: 3;") == true)
        #expect(leftOut.takeReport(at: start + .seconds(200)) == nil)
    }
}

@Suite struct CameraTopicsTests {
    private let topics = CameraTopics(base: "v4l2mqtt")

    @Test func aTopicHasASubject() {
        #expect(topics.subject(of: "v4l2mqtt/porch/availability") == .agent("porch", node: "availability"))
        #expect(topics.subject(of: "v4l2mqtt/porch/door/zoom") == .camera(camera("porch/door"), node: "zoom"))
        #expect(
            topics.subject(of: "v4l2mqtt/porch/door/zoom/live")
                == .camera(camera("porch/door"), node: "zoom/live"))
        #expect(CameraTopics.isAnswer("zoom/reply") && !CameraTopics.isAnswer("reply"))
        for other in [
            "", "v4l2mqtt", "v4l2mqtt/", "v4l2mqtt/porch", "other/porch/door/zoom",
            "v4l2mqtt2/porch/door/zoom",
            "v4l2mqtt/Porch/door/zoom", "v4l2mqtt/groups/all/zoom",
            "v4l2mqtt//door/zoom",
        ] {
            #expect(topics.subject(of: other) == nil, "\(other)")
        }
    }

    @Test func onlyNodesOfTheContractAreForPages() {
        for node in ReadOnlyState.namesWithNodes + ["zoom/live"] {
            #expect(CameraTopics.isForPages(node))
        }
        for node in ["", "preview/live", "image", "zoom/set", "x\"}", "reply"] {
            #expect(!CameraTopics.isForPages(node))
        }
        #expect(!CameraTopics.isState("zoom/live"))
    }

    @Test func aPageGetsEachStateOfAnOpenCamera() {
        let camera = CameraAddress(agent: "porch", camera: "door")
        let filters = (topics.listFilters + topics.stateFilters(of: camera)).map(\.filter)
        for node in ReadOnlyState.namesWithNodes {
            #expect(
                filters.contains("v4l2mqtt/porch/door/\(node)") || filters.contains("v4l2mqtt/+/+/\(node)"))
        }
        #expect(Set(filters).count == filters.count)
    }
}
