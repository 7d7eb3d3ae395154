import Ctl
import CtlScript
import Fleet
import Settings
import Testing

@testable import Bus
@testable import Contract

/// Every outcome of a conversation, without a broker and in virtual time.
@Suite struct ConversationTests {
    private func rig(_ outcome: Outcome) -> ConversationRig {
        ConversationRig(outcome.operation, outcome.selection)
    }

    @Test(arguments: Outcome.all) func everyOutcomeHasItsExitCodeAndTexts(outcome: Outcome) {
        var rig = rig(outcome)
        rig.run(outcome.events)
        #expect(rig.exitCodes == [outcome.code])
        #expect(rig.actions.last == .exit(code: outcome.code))
        #expect(rig.lines == outcome.lines)
        #expect(rig.errors == outcome.errors)
    }

    @Test(arguments: Outcome.all) func nothingEndsBeforeItsLastEvent(outcome: Outcome) {
        var rig = rig(outcome)
        rig.run(outcome.events.dropLast())
        #expect(rig.exitCodes == [])
    }

    @Test(arguments: Outcome.all) func messagesThatArriveTwiceChangeNothing(outcome: Outcome) {
        var once = rig(outcome)
        once.run(outcome.events)
        var twice = rig(outcome)
        twice.run(outcome.events, twice: true)
        #expect(twice.actions == once.actions)
    }

    @Test(arguments: Outcome.all) func nothingHappensAfterTheEnd(outcome: Outcome) {
        var rig = rig(outcome)
        rig.run(outcome.events)
        let actions = rig.actions
        rig.run(
            outcome.events + [.interrupt, .copied(.complete), .lost, .wait(.seconds(3600))])
        #expect(rig.actions == actions)
    }

    /// Brokers with MQTT 5 say that the account has no right, as they would otherwise drop the command.
    @Test func aRequestThatTheBrokerRefusesEndsIt() {
        var rig = ConversationRig(Outcome.zoom, options())
        rig.run(ConversationEvent.ready + [.notAuthorized("v4l2mqtt/porch/door/other")])
        #expect(rig.exitCodes == [])
        rig.run([.notAuthorized("v4l2mqtt/porch/door/zoom/set")])
        #expect(
            rig.errors == ["The broker refuses a message on v4l2mqtt/porch/door/zoom/set: Not authorized"])
        #expect(rig.exitCodes == [1])
    }

    /// Wherever the agent is lost and nothing follows, the conversation ends once.
    @Test(arguments: Outcome.all) func anAgentThatIsLostAtAnyMomentEndsItOnce(outcome: Outcome) {
        for count in outcome.events.indices {
            for loss in [
                ConversationEvent.message(availability("porch", .offline)),
                .message(availability("porch", .stopped)),
            ] {
                var rig = rig(outcome)
                rig.run(outcome.events.prefix(count) + [loss, .wait(.seconds(600))])
                if case .copy = rig.actions.last { rig.run([.copied(.failed(Outcome.refusal))]) }
                #expect(rig.exitCodes.count == 1, "after \(count) of \(outcome.events.count) events")
            }
        }
    }

    @Test func aRequestHasItsTopicIdAndClient() {
        var rig = ConversationRig(.command(.zoom, ["factor": .number(2)]), options())
        rig.run(ConversationEvent.ready)
        #expect(rig.requests.map(\.topic) == ["v4l2mqtt/porch/door/zoom/set"])
        #expect(rig.requests.map(\.payload) == [#"{"id":"ctl-test-1","client":"ctl","factor":2}"#])
    }

    @Test func anAgentThatWantsProvedClientsGetsTheClientInTheTopic() {
        var rig = ConversationRig(.command(.zoom, ["factor": .number(2)]), options(client: "kitchen"))
        rig.run([
            .connected, .subscribed, .message(agentInfo("porch", cameras: "door", clients: .proved)),
            .message(availability("porch", .online, boot: 7)), .wait(.milliseconds(300)),
        ])
        #expect(rig.requests.map(\.topic) == ["v4l2mqtt/porch/door/zoom/set/kitchen"])
        #expect(rig.requests.map(\.payload) == [#"{"id":"ctl-test-1","client":"kitchen","factor":2}"#])
    }

    @Test(arguments: ["replies/ctl/ctl-test", "replies/ctl/porch/door/zoom"])
    func anAnswerIsFoundWhereverAnAgentSendsIt(topic: String) {
        var rig = ConversationRig(.command(.zoom, [:]), options())
        rig.run(ConversationEvent.ready)
        var answer = reply(1)
        answer.topic = topic
        rig.run([.message(answer)])
        #expect(rig.exitCodes == [0])
    }

    @Test func aNamedAgentIsNotWaitedForOnceItIsKnown() {
        var rig = ConversationRig(.command(.zoom, [:]), options(agent: "porch"))
        rig.run([
            .connected, .message(agentInfo("porch", cameras: "door")),
            .message(availability("porch", .online, boot: 7)),
        ])
        #expect(rig.requests.count == 1)
        rig.run([.subscribed, .wait(.milliseconds(300))])
        #expect(rig.requests.count == 1)
    }

    @Test func aPinchSendsItsSamplesAtTheirTimes() {
        let gesture = PinchGesture(name: "g", scale: 4, milliseconds: 34, anchor: nil)
        var rig = ConversationRig(.pinch(gesture), options())
        rig.run(ConversationEvent.ready)
        #expect(rig.requests.count == 1)
        rig.run([.wait(.seconds(1))])
        #expect(rig.requests.count == 1, "the first sample was not answered")
        rig.run([.message(reply(1)), .wait(.milliseconds(17))])
        #expect(rig.requests.count == 2)
        rig.run([.wait(.milliseconds(17))])
        #expect(rig.requests.count == 3)
        rig.run([.wait(.seconds(1))])
        let samples = rig.requests.map(\.payload)
        #expect(samples.count == 4)
        #expect(samples[0].contains(#""phase":"began","seq":0"#))
        #expect(samples[1].contains(#""phase":"changed","scale":2,"seq":1"#))
        #expect(samples[2].contains(#""phase":"changed","scale":4,"seq":2"#))
        #expect(samples[3].contains(#""phase":"ended","scale":4,"seq":3"#))
    }

    @Test func aPhotoIsRequestedWithTheReplyAndWrittenToItsDestination() {
        var rig = ConversationRig(.capture([:], to: .file("here.jpg")), options())
        rig.run(ConversationEvent.ready + [.message(photo(1))])
        #expect(rig.requests[0].payload == #"{"id":"ctl-test-1","client":"ctl","reply":"image"}"#)
        #expect(rig.actions.contains(.writePhoto([0xFF, 0xD8], path: "here.jpg")))
        var output = ConversationRig(.capture([:], to: .standardOutput), options())
        output.run(ConversationEvent.ready + [.message(photo(1))])
        #expect(output.actions.suffix(2) == [.printPhoto([0xFF, 0xD8]), .exit(code: 0)])
    }

    @Test func aBusyBusDoesNotDelayMissingStatesForEver() {
        var rig = ConversationRig(.listPresets, options())
        rig.run(ConversationEvent.ready)
        for _ in 0..<40 {
            rig.run([.message(availability("hall/door", .online)), .wait(.milliseconds(200))])
        }
        #expect(rig.errors == ["porch/door is silent."])
    }

    @Test(arguments: [nil, ClientMode.proved]) func missingStatesAreAskedForOnce(clients: ClientMode?) {
        var rig = ConversationRig(.listPresets, options(client: "desk"))
        rig.run([
            .connected, .subscribed, .message(agentInfo("porch", cameras: "door", clients: clients)),
            .message(availability("porch", .online, boot: 7)), .wait(.seconds(10)),
        ])
        let end = clients == .proved ? "/desk" : ""
        #expect(rig.requests.map(\.topic) == ["v4l2mqtt/porch/door/refresh/set\(end)"])
        #expect(rig.requests[0].payload == #"{"client":"desk"}"# && rig.exitCodes == [1])
    }

    @Test func anInfoThatIsMissingIsAskedForAlsoWhenTheCameraIsNamed() {
        var rig = ConversationRig(
            .command(.zoom, [:]), options(agent: "porch", camera: "door"))
        rig.run([
            .connected, .subscribed, .message(availability("porch", .online, boot: 7)),
            .wait(.milliseconds(600)),
        ])
        #expect(rig.requests.first?.topic == "v4l2mqtt/porch/refresh/set")
        rig.run([.message(agentInfo("porch", cameras: "door", clients: .proved))])
        #expect(rig.requests.last?.topic == "v4l2mqtt/porch/door/zoom/set/ctl")
    }

    /// The answer of an agent that was asked for its messages.
    private let promise = ConversationEvent.message(
        message("porch/refresh/reply", JSON.bytes(Reply(.done, boot: 1, ts: timestamp))))

    /// It publishes its messages once in ten seconds, and has just done so for another client.
    @Test(arguments: ["porch", nil]) func anAgentThatHasAnsweredIsWaitedForTenSeconds(name: String?) {
        var rig = ConversationRig(.listPresets, options(agent: name))
        rig.run([.connected, .subscribed, .message(availability("porch", .online, boot: 7))])
        rig.run([.wait(.milliseconds(600))])
        #expect(rig.requests.first?.topic == "v4l2mqtt/porch/refresh/set")
        rig.run([promise, .wait(.seconds(10))])
        #expect(rig.errors.isEmpty)
        rig.run([
            .message(agentInfo("porch", cameras: "door")),
            .message(message("porch/door/availability", #"{"state":"online"}"#)),
            .message(message("porch/door/presets", #"{"presets":{},"rev":1,"boot":7,"ts":"\#(timestamp)"}"#)),
        ])
        #expect(rig.exitCodes == [0])
    }

    @Test func aCameraThatHasAnsweredIsWaitedForTenSeconds() {
        var rig = ConversationRig(.listPresets, options())
        rig.run(ConversationEvent.ready + [.wait(.milliseconds(300))])
        #expect(rig.requests.map(\.topic) == ["v4l2mqtt/porch/door/refresh/set"])
        let answer = JSON.bytes(Reply(.done, boot: 7, ts: timestamp))
        rig.run([.message(message("porch/door/refresh/reply", answer)), .wait(.seconds(10))])
        #expect(rig.exitCodes.isEmpty)
        rig.run([.message(message("porch/door/presets", presetsState))])
        #expect(rig.exitCodes == [0])
    }

    @Test func anAgentThatDoesNotKeepItsPromiseIsGivenUp() {
        var rig = ConversationRig(.listPresets, options(agent: "porch"))
        rig.run([.connected, .subscribed, .wait(.milliseconds(600)), promise])
        rig.run([.wait(.milliseconds(10_999))])
        #expect(rig.exitCodes.isEmpty)
        // Then the names of the others are read.
        rig.run([.wait(.milliseconds(301))])
        #expect(rig.exitCodes == [1])
    }

    @Test func theResponseTopicIsSubscribedOnMQTT5Only() {
        let filters = options(agent: "porch").commandFilters
        #expect(
            filters.filter { !$0.needsV5 }.map(\.filter) == [
                "v4l2mqtt/porch/+/+/reply", "replies/ctl/porch/+/+", "v4l2mqtt/porch/refresh/reply",
                "replies/ctl/porch/refresh",
            ])
        #expect(filters.filter(\.needsV5).map(\.filter) == ["replies/ctl/ctl-test"])
    }

    @Test(arguments: [
        (nil, nil, "ctl"), (nil, "kitchen", "kitchen"), ("phone", "kitchen", "phone"),
        ("phone", nil, "phone"),
        // No level of a topic.
        (nil, "a/b", "ctl"), (nil, "#", "ctl"), (nil, "/\u{301}", "ctl"), (nil, "", "ctl"),
        (nil, "a\n", "ctl"),
        (nil, String(repeating: "a", count: 65), "ctl"), (nil, "Küche", "Küche"),
    ]) func theClientIsNamedByTheOptionOrTheAccount(name: String?, account: String?, expected: String) {
        let options = options(client: name, username: account)
        #expect(options.topics.responseTopic == "replies/\(expected)/ctl-test")
        var rig = ConversationRig(.command(.zoom, [:]), options)
        rig.run(ConversationEvent.ready)
        #expect(rig.requests.map(\.payload) == [#"{"id":"ctl-test-1","client":"\#(expected)"}"#])
    }

    @Test func aPhotoIsTakenFromItsRequestOnly() {
        var rig = ConversationRig(.capture([:], to: .file("here.jpg")), options())
        let topic = "v4l2mqtt/porch/door/capture/reply"
        rig.run(
            ConversationEvent.ready
                + [
                    answer([1], correlation: nil, contentType: "image/jpeg"),
                    answer([2], correlation: "ctl-test-2", contentType: "image/jpeg"),
                    answer([3], correlation: "ctl-test-1", contentType: "image/jpeg", on: topic),
                    answer([4], correlation: nil, contentType: "image/jpeg", on: topic),
                ].map { .message($0) })
        #expect(rig.requests.count == 1 && rig.actions.count == 1)
        rig.run([.message(photo(1))])
        #expect(rig.actions.contains(.writePhoto([0xFF, 0xD8], path: "here.jpg")))
    }

    @Test(arguments: CommandError.Advice.allCases)
    func adviceOfAnAgentIsGivenInWordsOfTheCommandLine(advice: CommandError.Advice) {
        var rig = ConversationRig(Outcome.zoom, options())
        let error = CommandError(.busy, "Wait, or \(advice.rawValue).")
        rig.run(ConversationEvent.ready + [.message(reply(1, .error, error: error))])
        #expect(rig.exitCodes == [1] && rig.errors.count == 1 && !rig.errors[0].contains(advice.rawValue))
    }

    /// All agents answer on one topic: one of them must not answer in the place of another.
    @Test func aPhotoIsTakenByARandomTextAndNotByTheIDOfTheCommand() {
        var options = options()
        let usual = CtlOptions(broker: BusSettings(MQTTSettings.standard)).requestID
        #expect(Set([usual(1), usual(1), usual(2)]).count == 3)
        options.commandID = "take-1"
        options.requestID = { "random-\($0)" }
        var rig = ConversationRig(.capture([:], to: .file("here.jpg")), options)
        rig.run(
            ConversationEvent.ready
                + [.message(answer([1], correlation: "take-1", contentType: "image/jpeg"))])
        #expect(rig.requests.count == 1 && rig.requests[0].payload.contains(#""id":"take-1""#))
        #expect(rig.actions.published.map(\.correlation) == ["random-1"] && rig.actions.count == 1)
        rig.run([.message(answer([2], correlation: "random-1", contentType: "image/jpeg"))])
        #expect(rig.actions.contains(.writePhoto([2], path: "here.jpg")))
    }

    @Test func noOtherClientCanGuessTheClientID() {
        #expect(Set((0..<100).map { _ in CtlOptions.newClientID() }).count == 100)
    }
}
