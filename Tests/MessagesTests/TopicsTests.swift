import Testing

@testable import Contract

private let porchDoor = TopicParts.Place.camera(CameraAddress(agent: "porch", camera: "door"))

struct TopicsTests {
    let topics = Topics(base: "v4l2mqtt", agent: "porch")

    @Test(arguments: ["a", "door", "0", "_-", "camera_2-b", String(repeating: "x", count: 64)])
    func aNameIsOneTo64SmallLettersDigitsAndDashes(name: String) {
        #expect(Topics.isName(name))
    }

    @Test(arguments: [
        "", "Door", "do or", "tür", "a/b", "a+", "#", "a.b", String(repeating: "x", count: 65), "a\u{301}",
    ])
    func nothingElseIsAName(name: String) {
        #expect(!Topics.isName(name))
    }

    @Test func topicsAreWhereTheContractSays() {
        #expect(topics.agentAvailability == "v4l2mqtt/porch/availability")
        #expect(topics.agentInfo == "v4l2mqtt/porch/info")
        #expect(topics.availability(of: "door") == "v4l2mqtt/porch/door/availability")
        #expect(topics.info(of: "door") == "v4l2mqtt/porch/door/info")
        #expect(topics.zoomLive(camera: "door") == "v4l2mqtt/porch/door/zoom/live")
        #expect(topics.image(camera: "door") == "v4l2mqtt/porch/door/image")
        #expect(topics.event(camera: "door") == "v4l2mqtt/porch/door/event")
    }

    @Test(arguments: Node.allCases) func aNodeHasAStateACommandAndAReply(node: Node) {
        let state = "v4l2mqtt/porch/door/\(node.name)"
        #expect(topics.state(of: node, camera: "door") == state)
        #expect(topics.command(for: node, camera: "door") == state + "/set")
        #expect(topics.reply(toCommandOn: state + "/set") == state + "/reply")
        #expect(
            Topics.parse(topics.command(for: node, camera: "door"), below: topics.base)
                == TopicParts(place: porchDoor, node: node.name, kind: .command(client: nil)))
    }

    @Test func theNodesAreThoseOfTheContract() {
        #expect(
            Node.allCases.map(\.name) == [
                "zoom", "pinch", "touch", "viewport", "capture", "recording", "session", "controls",
                "presets", "preview",
                "lease", "desired", "privacy", "media",
            ])
    }

    @Test func theStatesWithoutCommandsAreThoseOfTheContract() {
        #expect(
            ReadOnlyState.allCases.map { topics.state($0, of: "door") } == [
                "v4l2mqtt/porch/door/availability", "v4l2mqtt/porch/door/info",
                "v4l2mqtt/porch/door/diagnostics", "v4l2mqtt/porch/door/output",
            ])
        let names = ReadOnlyState.namesWithNodes
        #expect(Set(names).count == names.count && names.count == Node.allCases.count + 4)
        // What is retained, but for the photo.
        let retained = topics.retained(ofCamera: "door").filter { $0 != topics.image(camera: "door") }
        #expect(retained == names.map { "v4l2mqtt/porch/door/\($0)" })
    }

    @Test func commandsAreSubscribedToAndNothingElse() {
        #expect(
            topics.commandFilters == [
                "v4l2mqtt/porch/+/+/set", "v4l2mqtt/porch/+/+/set/+", "v4l2mqtt/porch/+/set",
                "v4l2mqtt/porch/+/set/+",
            ])
    }

    @Test(
        arguments: [
            ("porch/door/zoom", porchDoor, "zoom", .state), ("porch/info", .agent("porch"), "info", .state),
            ("porch/door/zoom/live", porchDoor, "zoom", .live),
            ("porch/door/zoom/reply", porchDoor, "zoom", .answer),
            ("porch/refresh/reply", .agent("porch"), "refresh", .answer),
            ("groups/outside/desired", .group("outside"), "desired", .state),
            // Commands: the agent answers those with wrong names too.
            ("porch/door/zoom/set", porchDoor, "zoom", .command(client: nil)),
            ("porch/door/zoom/set/phone", porchDoor, "zoom", .command(client: "phone")),
            ("porch/door/zoom/set/", porchDoor, "zoom", .command(client: "")),
            ("porch/door/zoom/set/set", porchDoor, "zoom", .command(client: "set")),
            ("porch/door/zoom/set/\u{301}x", porchDoor, "zoom", .command(client: "\u{301}x")),
            ("porch/door/Zoom/set", porchDoor, "Zoom", .command(client: nil)),
            ("porch/door//set", porchDoor, "", .command(client: nil)),
            ("porch//zoom/set", .camera(.init(agent: "porch", camera: "")), "zoom", .command(client: nil)),
            (
                "porch/\u{301}door/zoom/set", .camera(.init(agent: "porch", camera: "\u{301}door")), "zoom",
                .command(client: nil)
            ),
            (
                "porch/refresh/zoom/set", .camera(.init(agent: "porch", camera: "refresh")), "zoom",
                .command(client: nil)
            ),
            ("porch/refresh/set", .agent("porch"), "refresh", .command(client: nil)),
            ("porch/door/refresh/set", porchDoor, "refresh", .command(client: nil)),
            ("groups/outside/refresh/set", .group("outside"), "refresh", .command(client: nil)),
            ("groups/outside/zoom/set/phone", .group("outside"), "zoom", .command(client: "phone")),
            // A level short.
            ("porch/door/set", .agent("porch"), "door", .command(client: nil)),
            ("porch/door/set/phone", .agent("porch"), "door", .command(client: "phone")),
            ("porch//set", .agent("porch"), "", .command(client: nil)),
            // Cameras whose names are words of topics.
            ("porch/set/zoom", .camera(.init(agent: "porch", camera: "set")), "zoom", .state),
            ("porch/live/zoom/live", .camera(.init(agent: "porch", camera: "live")), "zoom", .live),
        ] as [(String, TopicParts.Place, String, TopicParts.Kind)])
    func aTopicIsTakenApart(topic: String, place: TopicParts.Place, node: String, kind: TopicParts.Kind) {
        #expect(
            Topics.parse("v4l2mqtt/\(topic)", below: "v4l2mqtt")
                == TopicParts(place: place, node: node, kind: kind))
    }

    /// By bytes: in a string, an accent after the slash of the prefix hides the slash.
    @Test(arguments: [
        "", "v4l2mqtt", "v4l2mqtt/", "v4l2mqtt/porch", "v4l2mqtt2/porch/info", "other/porch/door/zoom/set",
        "v4l2mqtt/\u{301}porch/availability", "v4l2mqtt/\u{301}porch/door/zoom", "v4l2mqtt/Porch/info",
        "v4l2mqtt/porch/Door/zoom", "v4l2mqtt/porch/door\u{301}/zoom/reply", "v4l2mqtt//door/zoom",
        "v4l2mqtt/porch/door/zoom/live/set", "v4l2mqtt/porch/door/zoom/live/x", "v4l2mqtt/groups/outside",
        "v4l2mqtt/groups/outside/set", "v4l2mqtt/porch/a/b/c/reply",
    ])
    func whatIsNoTopicIsNotTakenApart(topic: String) {
        #expect(Topics.parse(topic, below: "v4l2mqtt") == nil)
    }

    @Test func aBaseMayHaveLevelsOfItsOwn() {
        let topics = Topics(base: "site/küche/v4l2mqtt", agent: "porch")
        #expect(topics.agentInfo == "site/küche/v4l2mqtt/porch/info")
        #expect(
            Topics.parse("site/küche/v4l2mqtt/porch/door/zoom", below: topics.base)?.place == porchDoor)
    }

    @Test func whatIsALevelShortIsAnsweredBesideIt() {
        #expect(topics.reply(toCommandOn: "v4l2mqtt/porch/door/set") == "v4l2mqtt/porch/door/reply")
    }

    @Test(arguments: ["v4l2mqtt/porch/door/zoom/reply", "v4l2mqtt/porch/phones/7/reply"])
    func aReplyTopicIsTheAgentsOwn(topic: String) {
        #expect(topics.isOwnReply(topic) && !topics.isAnswerTopic(topic, below: ["v4l2mqtt/", "replies/"]))
    }

    @Test(arguments: ["replies/phone", "replies/phone/7", "replies//", "replies/\u{301}"])
    func anAnswerMayGoThere(topic: String) {
        #expect(topics.isAnswerTopic(topic, below: ["answers/", "replies/"]) && !topics.isOwnReply(topic))
    }

    @Test(arguments: [
        "phone/answers", "v4l2mqtt", "v4l2mqtt2/x", "/", "v4l2mqtt/phones/7/reply", "replies", "replies/",
        "repliesx/y", "replies/+", "replies/#", "$SYS/replies/x", "$share/replies/x/reply", "replies/a\0b",
        "v4l2mqtt/yard/door/zoom/reply", "v4l2mqtt/groups/all/zoom/reply",
        "", "#", "a/#", "+/b", "v4l2mqtt/#", "v4l2mqtt/porch/door/zoom", "v4l2mqtt/porch/door/zoom/set",
        "v4l2mqtt/yard/door/capture/set", "v4l2mqtt/porch/availability", "v4l2mqtt/porch/door/zoom/reply/set",
        "v4l2mqtt/", "v4l2mqtt/reply/x", "v4l2mqtt/porch/door/notreply",
        "v4l2mqtt/porch/door/zoom/set/reply", "v4l2mqtt/porch/refresh/set/reply",
        // An accent after a slash: one character with it in a string, a level's beginning to MQTT.
        "v4l2mqtt/\u{301}porch/door/zoom/set",
    ])
    func anAnswerCannotPassForACommandOrAState(topic: String) {
        #expect(!topics.isOwnReply(topic) && !topics.isAnswerTopic(topic, below: ["v4l2mqtt/", "replies/"]))
    }

    @Test(arguments: ["$SYS/broker", "v4l2mqtt/x"]) func aPrefixPermitsNothingThatIsForbidden(topic: String) {
        #expect(!topics.isAnswerTopic(topic, below: ["$SYS/", "v4l2mqtt/"]))
    }

    @Test(arguments: [
        ("v4l2mqtt/porch/door/zoom/set", "replies/phone/porch/door/zoom"),
        ("v4l2mqtt/porch/door/set", "replies/phone/porch/door"),
        ("v4l2mqtt/porch/\u{301}door/zoom/set", "replies/phone/porch/\u{301}door/zoom"),
    ])
    func theAnswersToAProvedClientHaveAPlaceOfTheirOwn(command: String, reply: String) {
        #expect(topics.reply(toCommandOn: command, below: Topics.answerPrefix(of: "phone")) == reply)
        #expect(topics.reply(toCommandOn: command, below: nil) == topics.reply(toCommandOn: command))
    }

    @Test(arguments: ["v4l2mqtt/porch", "home/cams/v4l2mqtt/porch", "a/b"])
    func anEarlierNameIsTakenApart(root: String) throws {
        #expect(try #require(Topics(root: root)).root == root)
    }

    @Test(arguments: ["", "porch", "/porch", "v4l2mqtt/", "v4l2mqtt/Porch", "+/porch", "a#/porch", "a/+"])
    func whatNoAgentIsCalledIsNone(root: String) {
        #expect(Topics(root: root) == nil)
    }

    /// A topic that is missing here would stay on the broker for ever.
    @Test func allThatIsRetainedOfACameraIsKnown() {
        let retained = topics.retained(ofCamera: "door")
        #expect(Set(retained).count == retained.count)
        for node in Node.allCases { #expect(retained.contains(topics.state(of: node, camera: "door"))) }
        #expect(retained.contains(topics.image(camera: "door")))
        #expect(retained.contains(topics.state(.diagnostics, of: "door")))
        #expect(retained.contains(topics.state(.output, of: "door")))
    }
}
