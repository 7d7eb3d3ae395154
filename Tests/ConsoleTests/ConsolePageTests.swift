import Testing

@testable import Contract
@testable import Server

/// What a page sees: the list, states, events, pictures, and when it is closed.
@Suite struct ConsolePageTests {
    @Test func aPageIsWelcomed() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open(role: .control)
        let expected = [
            #"{"hello":{"client":"tablet","max_cameras":16,"max_open":64,"page":"\#(page.name)","role":"control","version":"1.2.3"}}"#,
            #"{"bus":true}"#,
            #"{"cameras":{"porch/door":{"agent_online":true,"groups":["outside"],"model":"Simulated","online":true}}}"#,
        ]
        #expect(connection.texts.map(value) == expected.map(value))
        let second = bench.open()
        #expect(second.page.name != page.name)
    }

    /// The keys of objects have no order.
    private func value(_ text: String) -> JSON? { JSON(Array(text.utf8)) }

    @Test func aPageWithoutCamerasGetsAnEmptyList() {
        #expect(Bench().open().connection.texts.last == #"{"cameras":{}}"#)
    }

    /// A console that has just started reads the cameras. Until then one that is not in the list may exist.
    @Test func aPageIsToldWhenTheListHasAllCameras() {
        let bench = Bench(isConnected: false)
        let (_, connection) = bench.open(), shed = camera("shed/door")
        let viewer = Viewer(name: "tablet", role: .look)
        #expect(bench.console.shows(shed, to: viewer) == nil)
        bench.connect()
        bench.add("porch/door")
        #expect(connection.texts("complete").isEmpty)
        #expect(bench.console.shows(shed, to: viewer) == nil)
        bench.now += .seconds(6)
        bench.tick()
        #expect(connection.texts("complete").count == 1)
        #expect(bench.console.shows(shed, to: viewer) == false)
        #expect(
            bench.open().connection.texts.suffix(2).map { $0.prefix(10) } == [#"{"cameras""#, #"{"complete"#])
        bench.add("porch/gate")
        bench.now += .seconds(6)
        bench.tick()
        #expect(connection.texts("complete").count == 1)
    }

    @Test func aPageWithoutACookieProvesWhoItIs() {
        let (made, secret) = token("tablet", .look)
        let bench = Bench(list(made))
        bench.add("porch/door")
        let connection = RecordedConnection()
        let page = bench.console.connect(connection, nil)
        #expect(connection.newTexts() == [#"{"sign_in":true}"#], "and nothing of the cameras")
        bench.publish("porch/door/availability", #"{"state":"offline"}"#)
        bench.tick()
        #expect(connection.newTexts().isEmpty)
        bench.receive(#"{"token":"\#(secret)"}"#, from: page)
        #expect(connection.texts("hello").count == 1)
        #expect(connection.texts("cameras").count == 1)
        bench.receive(#"{"token":"\#(secret)"}"#, from: page)
        #expect(connection.closed?.code == .policy, "once is enough")
    }

    @Test(arguments: [#"{"token":"wrong"}"#, #"{"open":["porch/door"]}"#, #"{"watch":[]}"#, #"{"drawn":1}"#])
    func anythingButTheTokenClosesAPageThatIsNotAdmitted(text: String) {
        let bench = Bench(list(token("tablet").token))
        bench.add("porch/door")
        let connection = RecordedConnection()
        let page = bench.console.connect(connection, nil)
        bench.receive(text, from: page)
        #expect(connection.closed?.code == .policy)
        #expect(bench.bus.messages.isEmpty)
    }

    /// - Parameter nodes: those whose states come in time.
    @Test(arguments: [[], [Node.zoom], Node.allCases])
    func aCameraWhoseStatesAreMissingIsAskedForThemOnce(nodes: [Node]) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        for node in nodes { bench.publish("porch/door/\(node.name)", "{}") }
        let requests = { bench.bus.messages.count { $0.topic == "v4l2mqtt/porch/door/refresh/set" } }
        bench.now += .milliseconds(1_999)
        bench.tick()
        #expect(requests() == 0)
        bench.now += .milliseconds(1)
        bench.tick()
        let expected = nodes == Node.allCases ? 0 : 1
        #expect(requests() == expected)
        bench.now += .seconds(60)
        bench.tick()
        #expect(requests() == expected)
    }

    // Agents whose `info` does not come.

    private let online = #"{"state":"online","boot":1,"renew_s":60}"#

    private func requests(_ bench: Bench, after seconds: Int) -> [String] {
        bench.wait(seconds: seconds)
        return bench.bus.newMessages().map(\.topic).filter { $0.contains("refresh") }
    }

    /// The broker has its retained messages on another node: only what is new comes.
    @Test func anAgentOfWhichOnlyTheAvailabilityComesIsAskedOnce() {
        let bench = Bench()
        bench.publish("porch/availability", online)
        bench.add("hall/door")
        bench.publish("yard/availability", #"{"state":"offline","boot":1}"#)
        // It is read twice before.
        #expect(requests(bench, after: 3).isEmpty)
        #expect(requests(bench, after: 3) == ["v4l2mqtt/porch/refresh/set"])
        bench.publish("porch/availability", online)
        #expect(requests(bench, after: 60).isEmpty)
        bench.console.brokerDisconnected()
        #expect(requests(bench, after: 60).isEmpty)
    }

    @Test func anAgentIsAskedInTheNameOfTheAccountToo() {
        let bench = Bench(account: "hub")
        bench.publish("porch/availability", online)
        #expect(
            Set(requests(bench, after: 6))
                == ["v4l2mqtt/porch/refresh/set", "v4l2mqtt/porch/refresh/set/hub"])
    }

    /// The next node of the broker may have nothing of agents that work.
    @Test func theCamerasOfAnAgentStayInTheListOnAnotherNode() {
        let bench = Bench()
        bench.add("porch/door", "hall/door")
        let (_, connection) = bench.open()
        _ = connection.newTexts()
        bench.console.brokerDisconnected()
        bench.connect()
        bench.add("hall/door")
        #expect(requests(bench, after: 8) == ["v4l2mqtt/porch/refresh/set"])
        bench.add("porch/door")
        #expect(requests(bench, after: 60).isEmpty)
        #expect(connection.texts("cameras").isEmpty)
    }

    /// Fifty agents publish about a thousand messages.
    @Test func manyAgentsAreAskedInTurns() {
        let bench = Bench()
        for number in 0..<120 { bench.publish("agent\(number)/availability", online) }
        let counts = (0..<40).map { _ in requests(bench, after: 1).count }
        #expect(counts.reduce(0, +) == 120 && counts.allSatisfy { $0 <= 50 })
    }

    @Test func aPageHasTenSecondsForItsToken() {
        let bench = Bench(list(token("tablet").token))
        let connection = RecordedConnection()
        _ = bench.console.connect(connection, nil)
        bench.now += .milliseconds(9_999)
        bench.tick()
        #expect(connection.closed == nil)
        bench.now += .milliseconds(1)
        bench.tick()
        #expect(connection.closed?.code == .policy)
    }

    @Test func thePageSeesOnlyTheCamerasOfItsToken() {
        let bench = Bench()
        bench.add("porch/door", "cellar/door")
        let (page, connection) = bench.open(cameras: ["porch/*"])
        #expect(!connection.texts.joined().contains("cellar"))
        _ = connection.newTexts()
        bench.receive(#"{"open":["cellar/door"]}"#, from: page)
        bench.receive(#"{"watch":[{"camera":"cellar/door","width":960,"fps":30}]}"#, from: page)
        #expect(page.open.isEmpty && page.previews.isEmpty)
        bench.publish("cellar/door/availability", #"{"state":"offline"}"#)
        bench.publish("cellar/door/zoom", #"{"factor":2}"#)
        bench.publish("v4l2mqtt/cellar/door/preview/live", [1])
        #expect(connection.texts.isEmpty && connection.pictures.isEmpty)
        #expect(bench.bus.messages.isEmpty && bench.bus.filters.isEmpty)
        #expect(connection.closed == nil)
    }

    @Test func anOpenCameraSendsItsStates() {
        let bench = Bench()
        bench.add("porch/door", "porch/b")
        let (page, connection) = bench.open()
        _ = connection.newTexts()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        #expect(bench.bus.filters.contains("v4l2mqtt/porch/door/zoom"))
        #expect(bench.bus.filters.contains("v4l2mqtt/porch/door/event"))
        #expect(!bench.bus.filters.contains { $0.contains("porch/b") })
        #expect(connection.newTexts().count == 2, "info and availability are known already")
        bench.publish("porch/door/zoom", #"{ "factor": 2.5 }"#)
        bench.publish("porch/door/zoom/live", #"{"factor":2.6}"#)
        bench.publish("porch/door/lease", "")
        bench.publish("porch/door/touch", "null")
        bench.publish("porch/door/event", #"{"event":"photo"}"#)
        #expect(
            connection.newTexts() == [
                #"{"state":{"camera":"porch/door","node":"zoom","payload":{ "factor": 2.5 }}}"#,
                #"{"state":{"camera":"porch/door","node":"zoom/live","payload":{"factor":2.6}}}"#,
                #"{"state":{"camera":"porch/door","node":"lease","payload":null}}"#,
                #"{"state":{"camera":"porch/door","node":"touch","payload":null}}"#,
                #"{"event":{"camera":"porch/door","payload":{"event":"photo"}}}"#,
            ])
        // Another page gets the newest states, without what is of the moment only.
        let second = bench.open()
        _ = second.connection.newTexts()
        bench.receive(#"{"open":["porch/door"]}"#, from: second.page)
        let texts = second.connection.newTexts()
        #expect(
            texts.contains(#"{"state":{"camera":"porch/door","node":"zoom","payload":{ "factor": 2.5 }}}"#))
        #expect(!texts.contains { $0.contains("zoom/live") || $0.contains("event") })
        // With the last page the subscriptions end.
        bench.receive(#"{"open":[]}"#, from: page)
        #expect(!bench.bus.filters.isEmpty)
        bench.receive(#"{"open":[]}"#, from: second.page)
        #expect(bench.bus.filters.isEmpty)
    }

    @Test(arguments: ["x", "[1]", "17", #"{"a":1}{}"#, #"{"a":1,"a":2}"#, "\u{FEFF}{}"])
    func whatIsNoStateReachesNoPage(payload: String) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        _ = connection.newTexts()
        bench.publish("porch/door/zoom", payload)
        bench.publish("porch/door/event", payload)
        bench.publish("porch/door/zoom\"x", #"{"a":1}"#)
        #expect(connection.texts.isEmpty)
    }

    @Test(arguments: [
        ("info", 64 << 10), ("availability", 64 << 10), ("zoom", 512 << 10), ("zoom/live", 16 << 10),
        ("event", 64 << 10), ("preview/live", 16 << 20),
    ])
    func aMessageThatIsTooLargeIsLeftOut(node: String, limit: Int) {
        let bench = Bench()
        var lines: [String] = []
        bench.console.log = { lines.append($0) }
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.receive(#"{"watch":[{"camera":"porch/door","width":960,"fps":30}]}"#, from: page)
        _ = connection.newTexts()
        func sent() -> Int { connection.newTexts().count + connection.pictures.count }
        func publish(_ count: Int) {
            bench.publish(
                "v4l2mqtt/porch/door/\(node)",
                [UInt8](repeating: UInt8(ascii: " "), count: count - 2) + [0x7b, 0x7d])
        }
        publish(limit + 1)
        #expect(sent() == 0)
        bench.tick()
        #expect(
            lines == [
                "warning: messages left out: 1; the last one: \(node) of porch/door: \(limit + 1) bytes"
            ])
        _ = connection.newTexts()
        publish(limit)
        #expect(sent() > 0)
    }

    @Test func nothingReachesTheBrokerForACameraThatDoesNotExist() {
        let bench = Bench()
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.receive(#"{"watch":[{"camera":"porch/door","width":960,"fps":30}]}"#, from: page)
        bench.command(page, "zoom", #"{"factor":2}"#)
        #expect(bench.bus.filters.isEmpty && bench.bus.messages.isEmpty)
        #expect(connection.texts("answer").last?.contains(#""code":"bad_topic""#) == true)
        // A page that is there before the camera sees it when it comes, and until it goes.
        bench.add("porch/door")
        #expect(bench.bus.filters.contains("v4l2mqtt/porch/door/preview/live"))
        #expect(bench.bus.filters.contains("v4l2mqtt/porch/door/zoom"))
        #expect(bench.bus.newMessages().first?.topic == "v4l2mqtt/porch/door/preview/set")
        bench.publish("porch/door/info", "")
        bench.publish("porch/door/availability", "")
        #expect(bench.bus.filters.isEmpty)
        #expect(connection.texts("cameras").last == #"{"cameras":{"porch/door":null}}"#)
    }

    @Test func aFloodOfListsMakesFewSubscriptions() {
        let bench = Bench()
        bench.add("porch/door", "porch/gate")
        let (page, connection) = bench.open(), other = bench.open()
        let begin = bench.bus.changes
        for _ in 0..<100 {
            bench.receive(#"{"open":["porch/door"]}"#, from: page)
            bench.receive(#"{"open":["porch/gate"]}"#, from: page)
        }
        #expect(bench.bus.changes - begin <= 192)
        let before = bench.bus.changes
        bench.receive(#"{"open":["porch/door"]}"#, from: other.page)
        #expect(bench.bus.changes <= before + 1, "another page does not wait")
        #expect(other.connection.texts("state").count > 0)
        bench.console.disconnected(other.page)
        bench.now += .seconds(1)
        bench.tick()
        #expect(connection.closed == nil)
        #expect(page.open == [camera("porch/gate")], "the newest list counts")
        #expect(bench.bus.filters.contains("v4l2mqtt/porch/gate/zoom"))
        #expect(!bench.bus.filters.contains("v4l2mqtt/porch/door/zoom"))
    }

    @Test func whetherACameraExistsIsKnownWithTheBroker() {
        let bench = Bench(isConnected: false)
        let viewer = Viewer(name: "a", role: .look, cameras: [CameraPattern("porch/*")!])
        #expect(bench.console.shows(camera("porch/door"), to: viewer) == nil)
        #expect(bench.console.shows(camera("cellar/door"), to: viewer) == false)
        bench.connect()
        #expect(bench.console.shows(camera("porch/door"), to: viewer) == nil, "the cameras are being read")
        bench.now += .seconds(6)
        bench.tick()
        #expect(bench.console.shows(camera("porch/door"), to: viewer) == false)
        bench.add("porch/door", "cellar/door")
        #expect(bench.console.shows(camera("porch/door"), to: viewer) == true)
        #expect(bench.console.shows(camera("cellar/door"), to: viewer) == false)
        bench.console.brokerDisconnected()
        #expect(bench.console.shows(camera("porch/door"), to: viewer) == true)
    }

    @Test func thePageKnowsWhetherTheBrokerIsThere() {
        let bench = Bench(isConnected: false)
        let (_, connection) = bench.open()
        #expect(connection.texts("bus") == [#"{"bus":false}"#])
        bench.console.brokerConnected()
        bench.console.brokerDisconnected()
        bench.console.brokerDisconnected()
        #expect(connection.texts("bus") == [#"{"bus":false}"#, #"{"bus":true}"#, #"{"bus":false}"#])
    }

    @Test func theTimeComesEveryFiveSeconds() {
        let bench = Bench()
        let (_, connection) = bench.open()
        _ = connection.newTexts()
        for _ in 0..<11 {
            bench.tick()
            bench.now += .seconds(1)
        }
        #expect(connection.texts("time") == Array(repeating: #"{"time":1795389449123}"#, count: 3))
    }

    @Test func anAgentThatIsGoneIsHidden() {
        let bench = Bench()
        bench.add("porch/door", "porch/gate", "cellar/door")
        var stored: [Set<String>] = []
        bench.console.storeHidden = { stored.append($0) }
        let (owner, connection) = bench.open(), (guest, guestConnection) = bench.open(role: .control)
        func hide(_ page: Page, _ camera: String = "porch/door") {
            _ = connection.newTexts()
            _ = guestConnection.newTexts()
            bench.command(page, "hide", "{}", camera: camera)
        }
        hide(owner)
        #expect(connection.texts("answer").last?.contains(#""conflict""#) == true, "it is online")
        bench.publish("porch/availability", #"{"state":"offline"}"#)
        hide(guest)
        #expect(guestConnection.texts("answer").last?.contains(#""forbidden""#) == true)
        let (neighbour, neighbourConnection) = bench.open(cameras: ["porch/door"])
        hide(neighbour)
        #expect(neighbourConnection.texts("answer").last?.contains("not for all its cameras") == true)
        hide(owner, "attic/door")
        #expect(connection.texts("answer").last?.contains(#""bad_topic""#) == true)
        #expect(stored.isEmpty)
        hide(owner)
        #expect(connection.texts("answer").last?.contains(#""status":"done""#) == true)
        for name in ["porch/door", "porch/gate"] {
            #expect(guestConnection.texts.contains { $0.contains("\"\(name)\":null") })
        }
        #expect(bench.open().connection.texts("cameras").last?.contains("porch") == false)
        bench.publish("porch/door/availability", #"{"state":"offline","reason":"stopped"}"#)
        #expect(guestConnection.newTexts().last?.contains("porch/door\":{") == false)
        bench.publish("porch/availability", #"{"state":"online"}"#)
        #expect(guestConnection.newTexts().contains { $0.contains("\"porch/gate\":{") })
        #expect(stored == [["porch"], []])
        #expect(bench.bus.messages.allSatisfy { !$0.topic.contains("hide") })
    }

    @Test func pagesWhoseTokenWasRemovedAreClosed() throws {
        let (made, secret) = token("tablet"), (other, otherSecret) = token("phone")
        let bench = Bench(list(made, other))
        bench.add("porch/door")
        let one = RecordedConnection(), two = RecordedConnection()
        let page = bench.console.connect(one, bench.access.admission(secret: secret, .page))
        _ = bench.console.connect(two, bench.access.admission(secret: otherSecret, .page))
        bench.command(page, "pinch", #"{"gesture":"g","phase":"began"}"#)
        _ = bench.bus.newMessages()
        bench.access.tokens = list(other)
        bench.console.tokensChanged()
        #expect(one.closed?.code == .policy)
        #expect(one.closed?.reason == "the token was removed")
        #expect(two.closed == nil)
        #expect(bench.bus.messages.map(\.fields["phase"]) == [.text("cancelled")])
        bench.command(page, "zoom", #"{"factor":2}"#)
        #expect(bench.bus.messages.count == 1, "a closed page sends nothing")
    }

    @Test func aPageWithTooManyMessagesIsClosed() {
        let bench = Bench()
        let (page, connection) = bench.open()
        for _ in 0..<300 { bench.receive(#"{"drawn":1}"#, from: page) }
        #expect(connection.closed == nil)
        bench.receive(#"{"drawn":1}"#, from: page)
        #expect(connection.closed?.code == .tryAgainLater)
    }

    @Test func aPageThatDoesNotReadIsGoneAtOnce() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.command(page, "capture", #"{"phase":"began"}"#)
        _ = bench.bus.newMessages()
        connection.isWritable = false
        let event = #"{"event":"photo","path":""# + String(repeating: "x", count: 60_000) + #""}"#
        for _ in 0..<18 { bench.publish("porch/door/event", event) }
        #expect(connection.closed?.code == .tryAgainLater)
        #expect(bench.bus.messages.map(\.fields["phase"]) == [.text("cancelled")])
        #expect(bench.bus.filters.isEmpty)
    }

    @Test func stoppingTheConsoleClosesThePages() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.receive(#"{"watch":[{"camera":"porch/door","width":960,"fps":30}]}"#, from: page)
        _ = bench.bus.newMessages()
        bench.console.stop()
        #expect(connection.closed?.code == .goingAway)
        #expect(bench.bus.messages.map(\.fields["stop"]) == [.flag(true)])
    }

    @Test func invalidMessagesCloseThePage() {
        let bench = Bench()
        let (page, connection) = bench.open()
        bench.receive("x", from: page)
        #expect(connection.closed?.code == .invalidData)
    }
}
