import Testing

@testable import Bus
@testable import Contract
@testable import Fleet
@testable import Server

/// What the list of cameras says. Which messages count is told by `FleetTests`.
@Suite struct CameraListTests {
    private let door = camera("porch/door")
    private let list: CameraList
    private let online = #"{"state":"online"}"#

    init() {
        let start = ContinuousClock.now
        list = CameraList(base: "v4l2mqtt") { start }
        take("porch/info", #"{"cameras":["door"]}"#)
    }

    private func take(_ topic: String, _ payload: String) {
        _ = list.fleet.take("v4l2mqtt/\(topic)", Array(payload.utf8), at: .now)
    }

    @Test func aCameraIsKnownByItsMessages() {
        #expect(list.summary(of: door) == nil)
        take("porch/door/info", #"{"model":"Simulated","groups":["outside"]}"#)
        #expect(list.summary(of: door)?.model == "Simulated")
        #expect(list.summary(of: door)?.groups == ["outside"])
        #expect(list.summary(of: door)?.online == false)
        take("porch/door/availability", #"{"state":"online","reason":"private"}"#)
        #expect(list.summary(of: door)?.online == true)
        #expect(list.summary(of: door)?.reason == "private")
        #expect(
            list.payloads(of: door)["info"]
                == Array(#"{"model":"Simulated","groups":["outside"]}"#.utf8))
        take("porch/door/info", "")
        #expect(list.summaries(of: "porch").keys.map(\.description) == ["porch/door"])
        take("porch/door/availability", "")
        #expect(list.summary(of: door) == nil && list.summaries(of: "porch").isEmpty)
    }

    @Test func anAgentThatIsAwayIsSeenAtItsCameras() {
        take("porch/door/availability", online)
        #expect(list.summary(of: door)?.agentOnline == false && list.summary(of: door)?.agentSilent == true)
        take("porch/availability", online)
        #expect(list.summary(of: door)?.agentOnline == true && list.summary(of: door)?.agentSilent == nil)
        for away in [#"{"state":"offline"}"#, #"{"state":"stopped"}"#] {
            take("porch/availability", away)
            #expect(list.summary(of: door)?.agentOnline == false, "\(away)")
            #expect(list.summary(of: door)?.agentSilent == nil, "\(away)")
        }
        take("porch/availability", "")
        #expect(list.summary(of: door)?.agentSilent == true)
    }

    @Test func messagesWithoutMeaningAreNotBelieved() {
        for text in ["x", "[]", "17", #"{"state":1}"#, #"{"state":"ONLINE"}"#] {
            take("porch/door/availability", text)
            #expect(list.summary(of: door)?.online == false, "\(text)")
        }
        take("porch/door/info", #"{"model":17,"groups":"x"}"#)
        #expect(list.summary(of: door)?.model == nil)
        #expect(list.summary(of: door)?.groups == [])
    }

    @Test func textsOfTheListAreShort() {
        let long = String(repeating: "x", count: 257), longest = String(repeating: "x", count: 256)
        let groups = (0..<100).map { "\"g\($0)\"" }.joined(separator: ",")
        take("porch/door/info", #"{"model":"\#(long)","groups":["\#(long)",\#(groups)]}"#)
        take("porch/door/availability", #"{"state":"online","reason":"\#(long)"}"#)
        #expect(list.summary(of: door)?.model == nil && list.summary(of: door)?.reason == nil)
        #expect(list.summary(of: door)?.groups == (0..<63).map { "g\($0)" })
        take("porch/door/info", #"{"model":"\#(longest)"}"#)
        #expect(list.summary(of: door)?.model == longest)
    }

    /// The contract's states, all of them, and what is not retained.
    @Test func aPageGetsEachStateOfAnOpenCamera() {
        take("porch/availability", online)
        list.fleet.follow([door], at: .now)
        let filters = Set(
            (list.fleet.subscriptions + list.fleet.takeActions()).flatMap(\.filters).map(\.filter))
        for node in ReadOnlyState.namesWithNodes {
            #expect(
                filters.contains("v4l2mqtt/porch/door/\(node)") || filters.contains("v4l2mqtt/+/+/\(node)"))
            take("porch/door/\(node)", #"{"a":1}"#)
            #expect(list.payloads(of: door)[node] == Array(#"{"a":1}"#.utf8))
        }
        take("porch/door/event", "{}")
        take("porch/door/zoom/live", "{}")
        #expect(list.payloads(of: door).count == ReadOnlyState.namesWithNodes.count)
    }
}

@Suite struct LeftOutMessagesTests {
    @Test func aLineComesOnceInAMinute() {
        let leftOut = LeftOutMessages()
        let start = ContinuousClock.now
        let info = TopicParts(place: .camera(camera("porch/door")), node: "info", kind: .state)
        #expect(leftOut.takeReport(at: start) == nil)
        leftOut.add(info, "a")
        #expect(leftOut.takeReport(at: start)?.contains("left out: 1;") == true)
        for _ in 0..<3 { leftOut.add(info, "b") }
        #expect(leftOut.takeReport(at: start + .seconds(59)) == nil)
        #expect(leftOut.takeReport(at: start + .seconds(60))?.contains("left out: 3;") == true)
        #expect(leftOut.takeReport(at: start + .seconds(200)) == nil)
    }
}
