import Fleet
import Testing

@testable import Bus
@testable import Contract
@testable import Server

/// What a page may send, what reaches the broker, and what comes back.
@Suite struct ConsoleCommandTests {
    /// The answer's payload.
    private func answer(_ connection: RecordedConnection) -> JSONObject? {
        let text = connection.texts("answer").last
        let fields = text.flatMap { JSON(Array($0.utf8))?.object }
        return fields?["answer"]?.object?["payload"]?.object
    }

    private func code(_ connection: RecordedConnection) -> String? {
        answer(connection)?["error"]?.object?["code"]?.text
    }

    @Test func aCommandReachesItsCamera() throws {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open(role: .control)
        bench.command(page, "zoom", #"{"factor":2.5,"if_rev":3}"#, id: "17")
        let message = try #require(bench.bus.messages.first)
        #expect(message.topic == "v4l2mqtt/porch/door/zoom/set")
        #expect(message.qos == .atLeastOnce)
        let id = "\(page.name)-17"
        #expect(
            message.fields == [
                "factor": .number(2.5), "if_rev": .integer(3), "id": .text(id), "client": .text("tablet"),
            ])
        #expect(message.properties.responseTopic == "replies/console/id1")
        #expect(message.properties.correlation?.count == 16, "96 random bits")
        bench.publish(
            "replies/console/id1", Array(reply("accepted", to: id).utf8), correlation: id)
        bench.publish("replies/console/id1", Array(reply("done", to: id).utf8), correlation: id)
        bench.publish("replies/console/id1", Array(reply("done", to: id).utf8), correlation: id)
        #expect(
            connection.texts("answer") == [
                #"{"answer":{"id":"17","payload":\#(reply("accepted", to: id))}}"#,
                #"{"answer":{"id":"17","payload":\#(reply("done", to: id))}}"#,
            ], "the final answer comes once")
    }

    /// An agent of another version may send it. A page waits for nothing that never comes.
    @Test(arguments: [
        #"{"status":"accepted","id":"ID"}"#, #"{"id":"ID","status":"error","error":{"code":"new"},"boot":1}"#,
    ])
    func anAnswerThatCannotBeReadIsAnError(text: String) {
        for topic in ["replies/console/id1", "v4l2mqtt/porch/door/zoom/reply"] {
            let bench = Bench()
            bench.add("porch/door")
            let (page, connection) = bench.open()
            bench.command(page, "zoom", #"{"factor":2}"#, id: "1")
            let id = "\(page.name)-1"
            let correlation = topic.hasSuffix("reply") ? nil : id
            bench.publish(topic, Array(text.replacing("ID", with: id).utf8), correlation: correlation)
            #expect(connection.texts("answer").count == 1 && code(connection) == "internal", "\(topic)")
        }
    }

    /// The header of a photo has two bytes for its length.
    @Test func aFileWithAnEndlessTypeIsNoAnswer() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "capture", #"{"reply":"image"}"#, id: "1")
        for type in [String(repeating: "x", count: 60_000), "image/jpeg"] {
            bench.publish("replies/console/id1", [1], correlation: "\(page.name)-1", contentType: type)
        }
        #expect(connection.files.count == 1 && connection.files[0].header.contains(#""image/jpeg""#))
    }

    @Test func aSampleHasNoAnswerAndMayBeLost() throws {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        _ = connection.newTexts()
        bench.command(page, "pinch", #"{"gesture":"g","phase":"changed","scale":2,"seq":1}"#, id: nil)
        let message = try #require(bench.bus.messages.first)
        #expect(message.qos == .atMostOnce)
        #expect(message.properties.responseTopic == nil && message.properties.correlation == nil)
        #expect(message.fields["id"] == nil)
        #expect(message.fields["client"] == .text("tablet"))
        bench.command(page, "desired", "{}", id: nil, camera: "porch/other")
        #expect(connection.texts.isEmpty)
    }

    @Test func gesturesOfTwoPagesNeverCollide() {
        let bench = Bench()
        bench.add("porch/door")
        let one = bench.open(), two = bench.open()
        for page in [one.page, two.page] {
            bench.command(page, "pinch", #"{"gesture":"g1","phase":"began"}"#, id: nil)
        }
        #expect(
            bench.bus.messages.map(\.fields["gesture"]) == [
                .text("\(one.page.name)-g1"), .text("\(two.page.name)-g1"),
            ])
    }

    @Test(arguments: Role.allCases)
    func aRoleMayDoWhatItMayAndNoMore(role: Role) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open(role: role)
        for node in Node.allCases.map(\.name) {
            for payload in [
                "{}", #"{"state":"ON"}"#, #"{"state":"OFF"}"#, #"{"delete":"a.jpg"}"#, #"{"get":"a.jpg"}"#,
            ] {
                _ = bench.bus.newMessages()
                let fields = JSON(Array(payload.utf8))!.object!
                let needed = Node(name: node)?.contract.role(for: fields)
                let mayIt = needed.map { role >= $0 } ?? false
                bench.now += .seconds(1)
                bench.command(page, node, payload)
                #expect(bench.bus.messages.count == (mayIt ? 1 : 0), "\(role) \(node) \(payload)")
                if mayIt {
                    bench.publish(
                        "replies/console/id1", Array(reply("done").utf8),
                        correlation: bench.bus.messages.last?.properties.correlation.map {
                            String(decoding: $0, as: UTF8.self)
                        })
                } else {
                    #expect(code(connection) == "forbidden", "\(role) \(node) \(payload)")
                }
                bench.command(page, node, payload, id: nil)
                #expect(bench.bus.messages.count == (mayIt ? 2 : 0), "a sample: \(role) \(node) \(payload)")
            }
        }
        #expect(connection.closed == nil)
    }

    @Test(arguments: ["zoom/set", "", "Zoom", "preview/live", "image", "zoom/set/other", "+", "#", "../x"])
    func whatIsNoNodeIsRefused(node: String) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, node, "{}")
        #expect(bench.bus.messages.isEmpty)
        #expect(code(connection) == "bad_topic")
    }

    @Test func aCameraOutsideThePatternsDoesNotExist() {
        let bench = Bench()
        bench.add("porch/door", "cellar/door")
        let (page, connection) = bench.open(cameras: ["porch/*"])
        bench.command(page, "zoom", #"{"factor":2}"#, id: "1", camera: "cellar/door")
        #expect(code(connection) == "bad_topic")
        let outside = connection.newTexts().last
        bench.command(page, "zoom", #"{"factor":2}"#, id: "1", camera: "cellar/nothing")
        #expect(connection.newTexts().last == outside?.replacing("cellar/door", with: "cellar/nothing"))
        #expect(bench.bus.messages.isEmpty)
    }

    @Test(arguments: ["client", "id", "ts"])
    func aPageDoesNotWriteTheFieldsOfTheConsole(field: String) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2,"\#(field)":"other"}"#)
        #expect(connection.closed?.code == .policy)
        #expect(bench.bus.messages.isEmpty)
    }

    /// Such text is one field, and stays one.
    @Test func aHostileTextStaysAText() throws {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open()
        let hostile = "a\",\"client\":\"other\u{2028}\n\\"
        let payload = JSON.object(["save": .text(hostile), "\",\"client\":\"x": .integer(1)])
        bench.command(page, "presets", String(decoding: JSON.bytes(payload), as: UTF8.self))
        let fields = try #require(bench.bus.messages.first).fields
        #expect(fields["save"] == .text(hostile))
        #expect(fields["client"] == .text("tablet"))
        #expect(fields["\",\"client\":\"x"] == .integer(1))
    }

    @Test func withoutABrokerCommandsAreUnavailable() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#, id: "1")
        _ = bench.bus.newMessages()
        bench.console.brokerDisconnected()
        #expect(code(connection) == "unavailable", "the answer never comes")
        #expect(connection.texts("answer").count == 1)
        bench.command(page, "zoom", #"{"factor":2}"#, id: "2")
        #expect(connection.texts("answer").count == 2)
        #expect(code(connection) == "unavailable")
        #expect(bench.bus.messages.isEmpty)
    }

    @Test func aPhotoComesAsAFile() throws {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "capture", #"{"reply":"image","count":2}"#, id: "7")
        let id = "\(page.name)-7"
        for number in 1...3 {
            bench.publish("replies/console/id1", [UInt8(number)], correlation: id, contentType: "image/jpeg")
        }
        #expect(connection.files.map(\.file) == [[1], [2]], "two were ordered")
        let header = JSON(Array(connection.files[0].header.utf8))
        #expect(
            header
                == .object([
                    "answer": .text("7"), "camera": .text("porch/door"), "content_type": .text("image/jpeg"),
                ]))
    }

    @Test func answersOfOthersAreNobodys() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        for payload in [#"{"id":"other","status":"done"}"#, "x", "{}", reply("done"), "[]"] {
            bench.publish("replies/console/id1", Array(payload.utf8))
            bench.publish("replies/console/id1", Array(payload.utf8), correlation: "other")
        }
        bench.publish("replies/console/id1", [1, 2], correlation: "other", contentType: "image/jpeg")
        bench.publish("replies/other/id1", Array(reply("done", to: "\(page.name)-1").utf8))
        #expect(connection.texts("answer").isEmpty)
    }

    /// All agents may write to the topic of answers, and can guess the ids of commands.
    @Test func anAgentAnswersForNoOther() {
        let bench = Bench()
        bench.add("porch/door", "cellar/door")
        let (page, connection) = bench.open()
        bench.command(page, "capture", #"{"reply":"image"}"#, id: "1")
        let id = "\(page.name)-1"
        let message = BusMessage(
            topic: "replies/console/id1", payload: [1], qos: .atLeastOnce, isRetained: false,
            correlation: Array(id.utf8), contentType: "image/jpeg", user: [])
        bench.console.receive(message)
        for topic in ["cellar/door/capture/reply", "cellar/door/zoom/reply"] {
            bench.publish(topic, reply("done", to: id))
            bench.publish(topic, reply("done", to: id), correlation: id)
        }
        #expect(connection.files.isEmpty && connection.texts("answer").isEmpty)
        bench.publish("porch/door/capture/reply", reply("done", to: id))
        #expect(connection.texts("answer").count == 1)
    }

    @Test func anAnswerThatIsNoObjectIsLeftOut() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        bench.publish("replies/console/id1", Array("]".utf8), correlation: "\(page.name)-1")
        #expect(connection.texts("answer").isEmpty && connection.closed == nil)
    }

    @Test func anAgentWithMQTT311AnswersBesideTheCommand() {
        let bench = Bench()
        bench.add("porch/door")
        #expect(bench.console.filters.contains { $0.filter == "v4l2mqtt/+/+/+/reply" })
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        bench.publish("porch/door/zoom/reply", reply("done", to: "\(page.name)-1"))
        #expect(connection.texts("answer").count == 1)
    }

    @Test func agentsWithProvedClientsGetTheAccount() throws {
        let bench = Bench(account: "cams")
        bench.add("porch/door", isProved: true)
        bench.add("cellar/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        bench.command(page, "zoom", #"{"factor":2}"#, camera: "cellar/door")
        let messages = bench.bus.newMessages()
        #expect(
            messages.map(\.topic) == ["v4l2mqtt/porch/door/zoom/set/cams", "v4l2mqtt/cellar/door/zoom/set"])
        #expect(messages.map(\.fields["client"]) == [.text("tablet"), .text("tablet")])
        #expect(messages[0].properties.responseTopic == "replies/cams/id1")
        bench.publish(
            "replies/cams/porch/door/zoom", Array(reply("done", to: "\(page.name)-1").utf8))
        #expect(connection.texts("answer").count == 1, "as with MQTT 3.1.1")
        #expect(bench.console.filters.map(\.filter).contains("replies/cams/+/+/+"))
    }

    @Test func theAccountItselfIsNoDelegate() {
        let bench = Bench(account: "cams")
        bench.add("porch/door", isProved: true)
        bench.add("cellar/door")
        let (page, _) = bench.open(name: "cams")
        bench.command(page, "zoom", #"{"factor":2}"#)
        bench.command(page, "zoom", #"{"factor":2}"#, camera: "cellar/door")
        #expect(bench.bus.messages.map(\.fields["client"]) == [nil, .text("cams")])
    }

    @Test func aPageHasAtMost64OpenCommandsAndEachIsAnsweredOnce() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        _ = connection.newTexts()
        for number in 0..<70 {
            bench.now += .milliseconds(10)
            bench.command(page, "zoom", #"{"factor":2}"#, id: "\(number)")
        }
        #expect(bench.bus.messages.count == 64)
        #expect(connection.newTexts().map(answer) == (64..<70).map { "\($0) busy" })
        for number in 0..<70 {
            bench.publish(
                "replies/console/id1", Array(reply("done").utf8),
                correlation: "\(page.name)-\(number)")
        }
        #expect(connection.newTexts().map(answer) == (0..<64).map { "\($0) done" })
        bench.command(page, "zoom", #"{"factor":2}"#, id: "70")
        #expect(bench.bus.messages.count == 65, "there is room again")
    }

    /// The id of an answer, and its error or its status.
    private func answer(_ text: String) -> String {
        let answer = JSON(Array(text.utf8))?.object?["answer"]?.object
        let payload = answer?["payload"]?.object
        let code = payload?["error"]?.object?["code"]?.text
        return "\(answer?["id"]?.text ?? "") \(code ?? payload?["status"]?.text ?? "")"
    }

    @Test func anIdThatIsNotAnsweredYetIsBusy() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        _ = connection.newTexts()
        bench.command(page, "zoom", #"{"factor":2}"#, id: "1")
        bench.command(page, "zoom", #"{"move":1}"#, id: "1")
        #expect(connection.newTexts().map(answer) == ["1 busy"])
        bench.publish("replies/console/id1", Array(reply("done").utf8), correlation: "\(page.name)-1")
        #expect(connection.newTexts().map(answer) == ["1 done"])
        #expect(bench.bus.newMessages().count == 1)
        bench.console.disconnected(page)
        #expect(bench.bus.newMessages().isEmpty, "what was refused is not held")
    }

    @Test func aCommandWithoutAnAnswerIsAnsweredAfterAnHour() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "recording", #"{"start":true}"#)
        bench.publish(
            "replies/console/id1", Array(reply("accepted").utf8), correlation: "\(page.name)-1")
        bench.now += .seconds(3_599)
        bench.tick()
        _ = connection.newTexts()
        bench.now += .seconds(1)
        bench.tick()
        #expect(connection.texts("answer").map(answer) == ["1 unavailable"])
        bench.publish("replies/console/id1", Array(reply("done").utf8), correlation: "\(page.name)-1")
        #expect(connection.texts("answer").count == 1)
    }

    /// A page that waits for an answer sends no further value of a control.
    @Test func aCommandThatIsNotAcceptedIsAnsweredByTheConsole() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "controls", #"{"values":{"brightness":5}}"#)
        bench.command(page, "capture", #"{"reply":"image","count":2}"#)
        bench.publish("replies/console/id1", [1], correlation: "\(page.name)-2", contentType: "image/jpeg")
        bench.now += .seconds(29)
        bench.tick()
        #expect(connection.texts("answer").isEmpty)
        bench.now += .seconds(1)
        bench.tick()
        #expect(connection.texts("answer").map(answer) == ["1 unavailable"])
        bench.publish("replies/console/id1", [2], correlation: "\(page.name)-2", contentType: "image/jpeg")
        #expect(connection.files.count == 2, "a series that has begun goes on")
    }

    /// A recording that has been accepted would otherwise be waited for an hour.
    @Test(arguments: [
        (#"{"state":"stopped","boot":1}"#, 0, "porch is stopped."),
        (#"{"state":"online","boot":2}"#, 0, "porch has restarted."),
        (#"{"state":"offline","boot":1}"#, 5, "porch is offline."),
    ])
    func aCommandWhoseAgentGoesIsAnsweredWhenThatIsKnown(availability: String, seconds: Int, message: String)
    {
        let bench = Bench()
        bench.add("porch/door", "cellar/door")
        bench.publish("porch/availability", #"{"state":"online","boot":1}"#)
        let (page, connection) = bench.open()
        bench.command(page, "recording", #"{"start":true}"#)
        bench.command(page, "recording", #"{"start":true}"#, camera: "cellar/door")
        for number in 1...2 {
            bench.publish(
                "replies/console/id1", Array(reply("accepted").utf8), correlation: "\(page.name)-\(number)")
        }
        _ = connection.newTexts()
        bench.publish("porch/availability", availability)
        bench.now += .seconds(max(0, seconds - 1))
        bench.tick()
        #expect(connection.texts("answer").count == (seconds == 0 ? 1 : 0), "its connection may come back")
        bench.now += .seconds(1)
        bench.tick()
        #expect(connection.texts("answer").map(answer) == ["1 unavailable"])
        #expect(answer(connection)?["error"]?.object?["message"] == .text(message))
    }

    @Test func aCommandToAnAgentThatIsAwayIsNotSent() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"move":{"velocity":1}}"#)
        bench.publish("porch/availability", #"{"state":"offline"}"#)
        _ = (connection.newTexts(), bench.bus.newMessages())
        bench.command(page, "zoom", #"{"factor":2}"#)
        #expect(connection.texts("answer").map(answer) == ["2 unavailable"])
        #expect(bench.bus.messages.isEmpty)
        bench.console.disconnected(page)
        #expect(bench.bus.messages.map(\.fields["stop"]) == [.flag(true)], "what is held is ended")
    }

    @Test func aCommandThatTheBrokerRefusesIsAnsweredAtOnce() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        bench.command(page, "capture", "{}")
        bench.console.brokerRefused("v4l2mqtt/porch/door/zoom/set", "Not authorized")
        #expect(connection.texts("answer").map(answer) == ["1 forbidden"])
    }

    /// The broker says which topic it refuses a message on, not which message.
    @Test func aRefusedMessageEndsNoCommandThatIsAccepted() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        for id in ["1", "2"] { bench.command(page, "zoom", #"{"factor":2}"#, id: id) }
        let accepted = "\(page.name)-1"
        for status in ["accepted", "done"] {
            bench.publish(
                "replies/console/id1", Array(reply(status, to: accepted).utf8), correlation: accepted)
            bench.console.brokerRefused("v4l2mqtt/porch/door/zoom/set", "Quota exceeded")
        }
        let ids = connection.texts("answer").map { text in
            JSON(Array(text.utf8))?.object?["answer"]?.object?["id"]?.text
        }
        #expect(ids == ["1", "2", "1"], "accepted, refused, done")
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, Int.max]) func aPageChoosesAnyNumberOfPhotos(count: Int) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "capture", #"{"reply":"image","count":\#(count)}"#)
        for _ in 0..<3 {
            bench.publish(
                "replies/console/id1", [1], correlation: "\(page.name)-1", contentType: "image/jpeg")
        }
        #expect(connection.files.count == min(3, max(1, count)))
    }

    @Test func theServerHasItsOwnRequests() throws {
        let bench = Bench()
        bench.add("porch/door")
        let viewer = Viewer(name: "tablet", role: .control)
        var results: [String] = []
        func request(
            _ node: String, _ payload: JSONObject, _ viewer: Viewer, _ name: String = "porch/door"
        ) throws(CommandError) -> String {
            try bench.console.request(camera(name), node, payload, viewer) {
                switch $0 {
                case .reply(let reply, _): results.append(reply.status == .accepted ? "accepted" : "final")
                case .file: results.append("file")
                case .failed: results.append("failed")
                }
            }
        }
        func refusal(of request: () throws(CommandError) -> String) -> CommandError.Code? {
            do throws(CommandError) { _ = try request() } catch { return error.code }
            return nil
        }
        #expect(
            refusal { () throws(CommandError) in try request("media", ["delete": .text("a")], viewer) }
                == .forbidden)
        #expect(
            refusal { () throws(CommandError) in
                try request("media", ["get": .text("a")], Viewer(name: "a", role: .look))
            } == .forbidden)
        #expect(
            refusal { () throws(CommandError) in
                try request("media", ["get": .text("a")], viewer, "porch/other")
            } == .badTopic)
        #expect(bench.bus.messages.isEmpty)
        // Many downloads at once do not push each other out.
        let names = try (0..<200).map { _ in try request("media", ["get": .text("a")], viewer) }
        #expect(Set(names).count == 200)
        bench.publish(
            "replies/console/id1", [1], correlation: names[0], contentType: "application/octet-stream")
        #expect(results == ["file"])
        bench.console.forget(names[1])
        bench.publish(
            "replies/console/id1", [1], correlation: names[1], contentType: "application/octet-stream")
        #expect(results == ["file"])
        bench.console.brokerDisconnected()
        #expect(results.count == 199)
        #expect(
            refusal { () throws(CommandError) in try request("media", ["get": .text("a")], viewer) }
                == .unavailable)
    }

    /// By its correlation, or by its id.
    @Test(arguments: [true, false]) func anAnswerThatIsTooLargeIsNotTaken(isCorrelated: Bool) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        func answer(bytes: Int) {
            let text = reply("accepted", to: "\(page.name)-1")
            bench.publish(
                isCorrelated ? "replies/console/id1" : "v4l2mqtt/porch/door/zoom/reply",
                Array(text.utf8) + Array(repeating: UInt8(ascii: " "), count: bytes - text.utf8.count),
                correlation: isCorrelated ? "\(page.name)-1" : nil)
        }
        answer(bytes: 512 << 10 + 1)
        #expect(connection.texts("answer").isEmpty)
        answer(bytes: 512 << 10)
        #expect(connection.texts("answer").count == 1)
    }

    /// A download sends its next request as soon as it has an answer.
    @Test func anAnswerMayBeFollowedByTheNextRequestAtOnce() {
        let bench = Bench()
        bench.add("porch/door")
        let viewer = Viewer(name: "tablet", role: .control)
        var count = 0, last: String?
        func next() {
            last = try? bench.console.request(camera("porch/door"), "media", ["get": .text("a")], viewer) {
                _ in
                count += 1
                if count < 4 { next() }
            }
        }
        next()
        bench.publish("replies/console/id1", [1], correlation: last, contentType: "application/octet-stream")
        bench.publish("replies/console/id1", Array(reply("error").utf8), correlation: last)
        #expect(count == 2)
        bench.console.brokerDisconnected()
        #expect(count == 3, "and the loss of the broker ends it")
        #expect(last == nil)
    }

    /// The page is closed while an answer is handed over.
    @Test func anAnswerToAPageThatDoesNotReadClosesIt() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.command(page, "zoom", #"{"factor":2}"#, id: "1")
        bench.command(page, "zoom", #"{"factor":2}"#, id: "2")
        connection.isWritable = false
        let rest = #","x":"\#(String(repeating: "x", count: 400_000))"}"#
        let large = reply("accepted").dropLast() + rest
        for command in [1, 2, 1] {
            bench.publish("replies/console/id1", Array(large.utf8), correlation: "\(page.name)-\(command)")
        }
        #expect(connection.closed?.code == .tryAgainLater)
        bench.console.brokerDisconnected()
    }
}

/// What a page that disappears leaves behind.
@Suite struct DisappearedPageTests {
    @Test func everythingThatAPageHasBegunEnds() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open()
        bench.receive(#"{"watch":[{"camera":"porch/door","width":960,"fps":30}]}"#, from: page)
        bench.receive(#"{"open":["porch/door"]}"#, from: page)
        bench.command(page, "pinch", #"{"gesture":"g1","phase":"began"}"#)
        bench.command(page, "capture", #"{"phase":"began"}"#)
        bench.command(page, "zoom", #"{"move":{"velocity":1}}"#)
        _ = bench.bus.newMessages()
        bench.console.disconnected(page)
        let messages = bench.bus.newMessages()
        #expect(
            Set(messages.map(\.topic))
                == Set(
                    ["pinch", "capture", "zoom", "preview"].map { "v4l2mqtt/porch/door/\($0)/set" }))
        #expect(messages.allSatisfy { $0.qos == .atLeastOnce && $0.fields["id"] == nil })
        for message in messages {
            let isPreview = message.topic.hasSuffix("preview/set")
            #expect(message.fields["client"] == .text(isPreview ? "console" : "tablet"))
        }
        #expect(
            messages.first { $0.topic.contains("/pinch/") }?.fields["gesture"] == .text("\(page.name)-g1"))
        #expect(bench.bus.filters.isEmpty)
        bench.console.disconnected(page)
        #expect(bench.bus.messages.isEmpty, "it disappears once")
    }

    /// Without an answer, or with a refusal, the gesture may go on.
    @Test(arguments: ["done", "accepted", "error", nil])
    func whatHasEndedIsNotEndedAgain(status: String?) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open()
        bench.command(page, "pinch", #"{"gesture":"g1","phase":"began"}"#)
        bench.command(page, "pinch", #"{"gesture":"g1","phase":"ended"}"#)
        bench.command(page, "capture", "{}")
        _ = bench.bus.newMessages()
        if let status {
            let answer = Array(reply(status).utf8)
            bench.publish("replies/console/id1", answer, correlation: "\(page.name)-2")
        }
        bench.console.disconnected(page)
        #expect(bench.bus.messages.isEmpty == ["done", "accepted"].contains(status))
    }

    /// The end did not reach the broker, so it is sent when the page goes.
    @Test func anEndThatWasRefusedIsStillDue() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open()
        bench.command(page, "capture", #"{"phase":"began"}"#)
        _ = bench.bus.newMessages()
        bench.console.brokerDisconnected()
        bench.command(page, "capture", #"{"phase":"ended"}"#)
        #expect(bench.bus.messages.isEmpty, "there is no connection")
        // The page cannot end it, and stays.
        bench.console.brokerConnected()
        #expect(bench.bus.newMessages().map(\.fields["phase"]) == [.text("cancelled")])
        bench.console.disconnected(page)
        #expect(bench.bus.messages.isEmpty)
    }

    /// `stop` might end what another client has begun since.
    @Test(arguments: [
        ("capture", #"{"phase":"began"}"#, 300, true), ("capture", #"{"phase":"began"}"#, 601, false),
        ("zoom", #"{"move":{"velocity":1}}"#, 5, true), ("zoom", #"{"move":{"velocity":1}}"#, 31, false),
    ])
    func withoutABrokerAnEndWaitsForATime(node: String, payload: String, seconds: Int, isSent: Bool) {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open()
        bench.command(page, node, payload)
        _ = bench.bus.newMessages()
        bench.console.brokerDisconnected()
        bench.console.disconnected(page)
        #expect(bench.bus.messages.isEmpty, "there is no connection")
        bench.now += .seconds(seconds)
        bench.console.brokerConnected()
        let ends = bench.bus.messages.map { $0.fields["phase"] ?? $0.fields["stop"] }
        #expect(ends == (isSent ? [node == "zoom" ? .flag(true) : .text("cancelled")] : []))
    }

    @Test func aForbiddenCommandIsNotHeld() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, _) = bench.open(role: .look)
        bench.command(page, "capture", #"{"phase":"began"}"#)
        bench.console.disconnected(page)
        #expect(bench.bus.messages.isEmpty)
    }

    @Test func answersToAPageThatIsGoneAreDropped() {
        let bench = Bench()
        bench.add("porch/door")
        let (page, connection) = bench.open()
        bench.command(page, "zoom", #"{"factor":2}"#)
        bench.console.disconnected(page)
        _ = connection.newTexts()
        bench.publish("replies/console/id1", Array(reply("done").utf8), correlation: "\(page.name)-1")
        bench.tick()
        bench.add("porch/new")
        #expect(connection.texts.isEmpty)
    }
}
