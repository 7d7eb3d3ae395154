import TestSupport
import Testing

@testable import Bus
@testable import Contract
@testable import Settings

/// Clients whose name the topic proves, and clients that only give themselves a name.
struct ProvedClientTests {
    static let node = "v4l2mqtt/porch/door/zoom"
    static let zoom = "\(node)/set"

    let open = AgentBench()
    let proved = AgentBench(clients: ClientSettings(mode: .proved, delegates: ["console"]))

    /// The only answer to a command, and its topic.
    private func answer(
        _ bench: AgentBench, _ topic: String, _ payload: String, responseTopic: String? = nil
    ) throws -> (topic: String, json: JSONValue) {
        let answers = bench.deliver(topic, payload, responseTopic: responseTopic)
            .filter { $0.topic.hasSuffix("/reply") || $0.topic.hasPrefix("replies/") }
        try #require(answers.count == 1)
        return (answers[0].topic, answers[0].json)
    }

    private func code(
        _ bench: AgentBench, _ topic: String, _ payload: String, responseTopic: String? = nil
    ) throws -> String? {
        try answer(bench, topic, payload, responseTopic: responseTopic).json["error"]["code"].text
    }

    // MARK: Open

    @Test func theTopicProvesTheClient() throws {
        let answer = try answer(open, "\(Self.zoom)/kitchen", #"{"factor": 2, "id": "1"}"#)
        #expect(answer.topic == "\(Self.node)/reply")
        #expect(answer.json["status"] == "done" && answer.json["client"] == "kitchen")
        let origin = open.state(.zoom)["origin"]
        #expect(origin["client"] == "kitchen" && origin["proved"] == true && origin["id"] == "1")
    }

    @Test func aClientThatNamesItselfIsNotProved() throws {
        _ = try answer(open, Self.zoom, #"{"factor": 2, "client": "kitchen"}"#)
        #expect(open.state(.zoom)["origin"]["client"] == "kitchen")
        #expect(open.state(.zoom)["origin"]["proved"] == false)
        _ = try answer(open, Self.zoom, "3")
        #expect(open.state(.zoom)["origin"]["proved"] == .null, "there is no name to be proved")
    }

    @Test(arguments: [true, false]) func statesAndEventsSayWhetherTheNameIsProved(isProved: Bool) {
        func send(_ node: String, _ fields: String) {
            let topic = "v4l2mqtt/porch/door/\(node)/set"
            if isProved {
                open.deliver("\(topic)/kitchen", "{\(fields)}")
            } else {
                open.deliver(topic, "{\(fields), \"client\": \"kitchen\"}")
            }
        }
        var event: JSONValue { open.bus.last(on: "v4l2mqtt/porch/door/event") }
        let expected = JSONValue.flag(isProved)

        send("pinch", #""gesture": "g", "phase": "began", "scale": 2"#)
        #expect(open.state(.pinch)["client"] == "kitchen" && open.state(.pinch)["proved"] == expected)
        send("touch", #""gesture": "t", "touches": [{"id": 1, "x": 0.5, "y": 0.5, "phase": "began"}]"#)
        #expect(open.state(.touch)["client"] == "kitchen" && open.state(.touch)["proved"] == expected)
        send("preview", #""fps": 5"#)
        #expect(open.state(.preview)["clients"] == ["kitchen"])
        #expect(open.state(.preview)["proved_clients"] == (isProved ? ["kitchen"] : []))
        send("presets", #""save": "p""#)
        #expect(open.state(.presets)["presets"]["p"]["proved"] == expected)
        send("zoom", #""factor": 0"#)
        #expect(event["event"] == "refused" && event["client"] == "kitchen" && event["proved"] == expected)
        send("lease", #""take": true"#)
        #expect(open.state(.lease)["proved"] == expected)
        open.deliver("v4l2mqtt/porch/door/lease/set", #"{"take": true, "force": true, "client": "guard"}"#)
        #expect(event["event"] == "take_over" && event["holder_proved"] == expected)
        #expect(event["client"] == "guard" && event["proved"] == false)
        send("recording", #""on": true"#)
        #expect(open.state(.recording)["origin"]["proved"] == expected)
        send("privacy", #""state": "ON""#)
        open.advance(by: .seconds(2))
        #expect(open.state(.privacy)["proved"] == expected)
        #expect(open.state(.privacy)["origin"]["proved"] == expected)
    }

    @Test func thePayloadMayRepeatTheNameButNotNameAnother() throws {
        #expect(try code(open, "\(Self.zoom)/kitchen", #"{"factor": 2, "client": "kitchen"}"#) == nil)
        let answer = try answer(open, "\(Self.zoom)/kitchen", #"{"factor": 3, "client": "garden"}"#)
        #expect(answer.json["error"]["code"] == "bad_payload" && answer.json["error"]["field"] == "client")
        #expect(answer.json["client"] == "kitchen", "the refusal is that of the proved client")
        #expect(open.state(.zoom)["factor"] == 2)
    }

    @Test(arguments: ["", "Kitchen", "kit chen", "küche", String(repeating: "k", count: 65)])
    func whatIsNoNameProvesNothing(client: String) throws {
        for bench in [open, proved] {
            let answer = try answer(bench, "\(Self.zoom)/\(client)", #"{"factor": 2}"#)
            #expect(answer.json["error"]["code"] == "bad_topic" && answer.topic == "\(Self.node)/reply")
            #expect(bench.state(.zoom)["factor"] == 1)
        }
    }

    @Test func aNameIsTheClientsOwnOnlyWhereItIsProved() throws {
        let take = #"{"take": true}"#
        let lease = "v4l2mqtt/porch/door/lease"
        #expect(try code(open, "\(lease)/set/kitchen", take) == nil)
        #expect(open.state(.lease)["client"] == "kitchen" && open.state(.lease)["proved"] == true)
        // The same name without a proof is another client's.
        #expect(try code(open, Self.zoom, #"{"factor": 2, "client": "kitchen"}"#) == "held")
        #expect(try code(open, "\(lease)/set", #"{"release": true, "client": "kitchen"}"#) == "held")
        #expect(try code(open, "\(Self.zoom)/kitchen", #"{"factor": 2}"#) == nil)
    }

    @Test func repeatedIdsAreThoseOfOneClient() throws {
        let command = #"{"factor": 2, "id": "same", "client": "kitchen"}"#
        #expect(try code(open, Self.zoom, command) == nil)
        #expect(try code(open, "\(Self.zoom)/kitchen", command) == nil)
        #expect(try code(open, "\(Self.zoom)/kitchen", command) == "duplicate")
    }

    @Test func aGroupTakesProvedClients() throws {
        let bench = AgentBench([CameraSettings(id: "door", groups: ["all"])], clients: .init(mode: .proved))
        #expect(try code(bench, "v4l2mqtt/groups/all/zoom/set", "2") == "unproved")
        let answer = try answer(bench, "v4l2mqtt/groups/all/zoom/set/kitchen", "2")
        #expect(answer.topic == "replies/kitchen/porch/door/zoom" && answer.json["status"] == "done")
        #expect(bench.state(.zoom)["origin"]["client"] == "kitchen")
        #expect(try code(bench, "v4l2mqtt/groups/all/nosuch/set/kitchen", "2") == "bad_topic")
    }

    @Test func aRetainedDesiredStateOfAProvedClientIsApplied() {
        let topic = "v4l2mqtt/porch/door/desired/set/fleet"
        let command = #"{"version": 1, "zoom": {"factor": 3}}"#
        proved.deliver(topic, command, isRetained: true)
        #expect(proved.state(.zoom)["factor"] == 3 && proved.state(.zoom)["origin"]["client"] == "fleet")
    }

    // MARK: Proved

    @Test(arguments: [
        (zoom, #"{"factor": 2, "client": "kitchen"}"#), (zoom, "{"), ("v4l2mqtt/porch/nosuch/zoom/set", "2"),
        ("v4l2mqtt/porch/zoom/set", "2"),
    ])
    func aCommandWithoutAProofIsRefused(topic: String, payload: String) throws {
        for responseTopic in [nil, "replies/kitchen/1", "v4l2mqtt/porch/door/zoom/reply", "answers/kitchen"] {
            let answer = try answer(proved, topic, payload, responseTopic: responseTopic)
            #expect(answer.json["error"]["code"] == "unproved")
            #expect(answer.topic == topic.dropLast(3) + "reply", "nowhere else: the sender is unknown")
            #expect(answer.json["client"] == .null, "nor is a client named that it may not be")
        }
        #expect(proved.state(.zoom)["factor"] == 1)
        #expect(proved.bus.messages.allSatisfy { !$0.topic.hasPrefix("replies/") })
        #expect(
            proved.bus.messages(on: "v4l2mqtt/porch/door/event").allSatisfy { $0.json["client"] == .null })
    }

    @Test func answersGoWhereOnlyTheClientReads() throws {
        let answer = try answer(proved, "\(Self.zoom)/kitchen", "2")
        #expect(answer.topic == "replies/kitchen/porch/door/zoom" && answer.json["status"] == "done")
        let bad = try self.answer(proved, "v4l2mqtt/porch/door/nosuch/set/kitchen", "2")
        #expect(bad.topic == "replies/kitchen/porch/door/nosuch")
        let short = try self.answer(proved, "v4l2mqtt/porch/zoom/set/kitchen", "2")
        #expect(short.topic == "replies/kitchen/porch/zoom" && short.json["error"]["code"] == "bad_topic")
    }

    @Test func aResponseTopicIsBelowThoseOfTheClient() throws {
        let own = try answer(proved, "\(Self.zoom)/kitchen", "2", responseTopic: "replies/kitchen/7")
        #expect(own.topic == "replies/kitchen/7" && own.json["status"] == "done")
        for topic in [
            "replies/garden/7", "replies/kitchen", "replies/kitchen/", "replies/kitchen2/7", "replies/",
            "v4l2mqtt/porch/door/zoom/reply", "replies/kitchen/+",
        ] {
            let answer = try answer(proved, "\(Self.zoom)/kitchen", "3", responseTopic: topic)
            #expect(answer.topic == "replies/kitchen/porch/door/zoom", "\(topic)")
            #expect(answer.json["error"]["code"] == "bad_topic")
        }
        #expect(proved.state(.zoom)["factor"] == 2)
    }

    @Test func onlyADelegateSpeaksForOthers() throws {
        #expect(
            try code(proved, "\(Self.zoom)/kitchen", #"{"factor": 2, "client": "hall"}"#) == "bad_payload")
        let answer = try answer(
            proved, "\(Self.zoom)/console", #"{"factor": 2, "client": "kitchen"}"#,
            responseTopic: "replies/console/1")
        #expect(answer.topic == "replies/console/1" && answer.json["client"] == "console/kitchen")
        let origin = proved.state(.zoom)["origin"]
        #expect(origin["client"] == "console/kitchen" && origin["proved"] == true)
        // Whoever it speaks for, the answers are the delegate's.
        #expect(
            try code(
                proved, "\(Self.zoom)/console", #"{"factor": 3, "client": "kitchen"}"#,
                responseTopic: "replies/kitchen/1") == "bad_topic")
        let without = try self.answer(proved, "\(Self.zoom)/console", "4")
        #expect(without.topic == "replies/console/porch/door/zoom")
        #expect(proved.state(.zoom)["origin"]["client"] == "console")
    }

    @Test func aClientOfADelegateIsNotTheClientOfThatName() throws {
        let lease = "v4l2mqtt/porch/door/lease/set"
        #expect(try code(proved, "\(lease)/console", #"{"take": true, "client": "kitchen"}"#) == nil)
        #expect(proved.state(.lease)["client"] == "console/kitchen")
        #expect(try code(proved, "\(Self.zoom)/kitchen", "2") == "held")
        #expect(try code(proved, "\(Self.zoom)/console", "2") == "held")
        #expect(try code(proved, "\(Self.zoom)/console", #"{"factor": 2, "client": "kitchen"}"#) == nil)
    }

    /// Its names prove nothing: it can speak for another client with each command.
    @Test func theClientsOfADelegateShareTheirPhotos() throws {
        let bench = AgentBench(
            limits: LimitSettings(photoRate: 10),
            clients: ClientSettings(mode: .proved, delegates: ["console"]))
        let capture = "v4l2mqtt/porch/door/capture/set"
        /// The status of the first answer.
        func take(_ account: String, _ client: String) -> JSONValue? {
            defer { bench.advance(by: .milliseconds(100)) }
            return bench.deliver("\(capture)/\(account)", #"{"client": "\#(client)"}"#)
                .first { $0.topic.hasPrefix("replies/\(account)/") }?.json["status"]
        }
        let statuses = (0..<60).map { take("console", "c\($0)") }
        #expect(statuses.prefix(40).allSatisfy { $0 != "error" })
        #expect(statuses.suffix(10).count { $0 == "error" || $0 == nil } >= 9)
        let own = take("kitchen", "kitchen")
        #expect(own != nil && own != "error")
    }

    @Test func theClientsOfADelegateMakeRoomForProvedOnes() throws {
        let capture = "v4l2mqtt/porch/door/capture/set"
        let series = #""count": 100, "interval_ms": 60000"#
        for number in 0..<17 {
            proved.deliver("\(capture)/console", #"{\#(series), "client": "c\#(number)"}"#)
        }
        let answer = proved.deliver("\(capture)/kitchen", "{\(series)}")
            .first { $0.topic.hasPrefix("replies/kitchen/") }
        #expect(answer?.json["status"] == "accepted")
    }

    @Test func aFloodInAnothersNameTakesNothingFromThatClient() throws {
        let bench = AgentBench(limits: LimitSettings(commandRate: 10), clients: ClientSettings(mode: .proved))
        for _ in 0..<30 { bench.deliver(Self.zoom, #"{"factor": 2, "client": "kitchen"}"#) }
        for number in 0..<10 {
            #expect(try code(bench, "\(Self.zoom)/kitchen", #"{"by": 1, "id": "\#(number)"}"#) == nil)
        }
    }

    @Test func remoteButtonsNeedNoProof() {
        let bench = AgentBench(
            [
                CameraSettings(
                    id: "door",
                    shutter: ShutterSettings(buttons: [RemoteButton(topic: "home/bell", press: ["1"])]))
            ], clients: ClientSettings(mode: .proved))
        bench.deliver("home/bell", "1")
        bench.advance(by: .seconds(5))
        #expect(bench.bus.last(on: "v4l2mqtt/porch/door/capture/reply")["status"] == "done")
    }

    @Test(arguments: ClientMode.allCases) func infoSaysWhichCommandsAreTaken(mode: ClientMode) {
        let bench = AgentBench(clients: ClientSettings(mode: mode))
        #expect(bench.bus.last(on: "v4l2mqtt/porch/door/info")["clients"] == .text(mode.rawValue))
    }
}
