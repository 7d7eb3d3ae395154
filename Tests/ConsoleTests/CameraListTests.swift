import MQTTBus
import Testing

@testable import Console

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
        let large = #"{"model":""# + String(repeating: "x", count: 64 << 10) + #""}"#
        #expect(list.take(camera("porch/c1"), "info", bytes(large)) == false)
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
        #expect(topics.subject(of: "v4l2mqtt/porch/door/zoom/reply") == .answer)
        for other in [
            "", "v4l2mqtt", "v4l2mqtt/", "v4l2mqtt/porch", "other/porch/door/zoom",
            "v4l2mqtt2/porch/door/zoom",
            "v4l2mqtt/Porch/door/zoom", "v4l2mqtt/groups/all/zoom", "v4l2mqtt/porch/door/a/b/c",
            "v4l2mqtt//door/zoom",
        ] {
            #expect(topics.subject(of: other) == nil, "\(other)")
        }
    }

    @Test func onlyNodesOfTheContractAreForPages() {
        for node in ["zoom", "privacy", "diagnostics", "zoom/live", "info", "availability"] {
            #expect(CameraTopics.isForPages(node))
        }
        for node in ["", "preview/live", "image", "zoom/set", "x\"}", "reply"] {
            #expect(!CameraTopics.isForPages(node))
        }
        #expect(!CameraTopics.isState("zoom/live"))
    }
}
