import Base
import Ctl
import CtlScript
import Testing

@testable import Bus
@testable import Contract
@testable import Settings

/// Desired states that are rolled out to a group, without a broker and in virtual time.
@Suite struct RolloutTests {
    private static let agents = (1...6).map { "agent\($0)" }
    private static let document = Array(#"{"controls": {"brightness": 9}}"#.utf8)
    private static let everyone = agents.flatMap { member($0) }

    private func plan(
        _ document: [UInt8] = document, version: Int? = 1, step: String = "2", maxAway: String? = nil,
        maxFailures: Int = 1
    ) throws -> RolloutPlan {
        RolloutPlan(
            group: "stage", document: document, version: version,
            step: try #require(RolloutPlan.Share(step)),
            maxAway: maxAway.flatMap { RolloutPlan.Share($0, atLeast: 0) }, maxFailures: maxFailures,
            timeout: .seconds(30))
    }

    private func rig(
        _ plan: RolloutPlan, _ options: CtlOptions = options(), retained: [BusMessage] = everyone
    ) -> GroupRig {
        var rig = GroupRig { Rollout.run(plan, options, $0) }
        rig.connect(retained)
        return rig
    }

    /// The agents whose cameras got the version, in the order of the messages.
    private func targets(_ rig: GroupRig) -> [String] {
        rig.published.filter { !$0.isRetained }.map {
            String($0.topic.dropFirst("v4l2mqtt/".count).prefix { $0 != "/" })
        }
    }

    private func answer(_ agent: String, step: Int, _ error: CommandError? = nil) -> BusMessage {
        CtlTests.answer(
            of: agent, "desired", id: "ctl-test-\(step)", error == nil ? .done : .error, error: error)
    }

    /// The topic of the group's copy.
    private func copy(_ rig: GroupRig) throws -> String {
        try #require(rig.published.first { $0.isRetained }).topic
    }

    private let refusal = CommandError(.unsupported, "No such quality.")

    private func state(
        _ version: Int, _ outcome: DesiredState.Outcome, group: String? = "stage",
        error: CommandError? = nil
    ) -> Stamped<DesiredState> {
        stamped(DesiredState(.init(group: group, version: version, outcome: outcome, error: error)))
    }

    @Test(arguments: [
        ("1", 40, 1), ("7", 40, 7), ("5%", 40, 2), ("5%", 39, 1), ("1%", 40, 1), ("100%", 40, 40),
        ("12.5%", 40, 5),
    ])
    func aStepIsANumberOrAPercentage(text: String, cameras: Int, count: Int) throws {
        #expect(RolloutPlan.Share(text)?.count(of: cameras) == count)
    }

    @Test(arguments: ["", "0", "-1", "0%", "101%", "five", "5 %", "nan%", "1.5"])
    func otherTextsAreNoSteps(text: String) { #expect(RolloutPlan.Share(text) == nil) }

    @Test func eachStepWaitsForItsOutcomesAndTheCopyComesAtTheEnd() throws {
        var rig = rig(try plan())
        #expect(targets(rig) == ["agent1", "agent2"])
        let first = try #require(rig.published.first)
        #expect(first.topic == "v4l2mqtt/agent1/door/desired/set" && !first.isRetained)
        let fields = try #require(JSON(Array(first.payload.utf8))?.object)
        #expect(fields["version"] == .integer(1) && fields["group"] == .text("stage"))
        #expect(fields["controls"] == .object(["brightness": .integer(9)]))
        rig.receive(answer("agent1", step: 1))
        #expect(targets(rig).count == 2)
        rig.receive(answer("agent2", step: 1))
        #expect(targets(rig).suffix(2) == ["agent3", "agent4"])
        // The state says it too.
        for agent in ["agent3", "agent4"] {
            rig.receive(message("\(agent)/door/desired", JSON.bytes(state(1, .applied))))
        }
        #expect(targets(rig).count == 6 && !rig.published.contains { $0.isRetained })
        rig.receive(answer("agent5", step: 3), answer("agent6", step: 3))
        #expect(try copy(rig) == "v4l2mqtt/groups/stage/desired/set" && rig.exitCodes == [])
        rig.handle(.drained)
        #expect(rig.exitCodes == [0] && rig.errors == [])
        #expect(
            rig.lines == [
                "stage version 1, step 1: 2 done, 0 refused, 0 silent, of 6",
                "stage version 1, step 2: 4 done, 0 refused, 0 silent, of 6",
                "stage version 1, step 3: 6 done, 0 refused, 0 silent, of 6",
                "stage version 1, finished: 6 done, 0 refused, 0 silent, of 6",
            ])
    }

    @Test func aReasonComesOnceWithTheNumberOfCameras() throws {
        var rig = rig(try plan(step: "3"))
        let agents = Self.agents.prefix(3)
        for agent in agents { rig.receive(answer(agent, step: 1, refusal)) }
        #expect(
            rig.errors.first
                == "3 cameras (agent1/door, agent2/door, agent3/door): unsupported: No such quality.")
        #expect(rig.errors.count == 2 && rig.exitCodes == [1])
    }

    @Test func itStopsAfterAStepWithTooManyFailures() throws {
        var rig = rig(try plan(step: "3", maxFailures: 2))
        rig.receive(answer("agent1", step: 1, refusal), answer("agent2", step: 1))
        rig.wait(.seconds(30))
        #expect(targets(rig) == ["agent1", "agent2", "agent3"] && rig.exitCodes == [1])
        #expect(
            rig.lines.last == "stage version 1, stopped: 1 done, 1 refused (unsupported 1), 1 silent, of 6")
        #expect(
            rig.errors.prefix(2) == [
                "agent1/door: unsupported: No such quality.", "agent3/door: no answer was received",
            ])
        #expect(!rig.published.contains { $0.isRetained })
    }

    @Test func fewerFailuresDoNotStopItAndAreReportedAtTheEnd() throws {
        var rig = rig(try plan(step: "100%", maxFailures: 2))
        rig.receive(answer("agent1", step: 1, refusal))
        for agent in Self.agents.dropFirst() { rig.receive(answer(agent, step: 1)) }
        rig.handle(.drained)
        #expect(rig.exitCodes == [1])
        #expect(
            rig.lines.last == "stage version 1, finished: 5 done, 1 refused (unsupported 1), 0 silent, of 6")
    }

    /// What the broker retains of the agents when their cameras have these outcomes of version 1.
    private func later(_ outcomes: [String: DesiredState.Outcome]) -> [BusMessage] {
        Self.agents.flatMap { agent in
            member(
                agent,
                desired: outcomes[agent].map { state(1, $0, error: $0 == .failed ? refusal : nil) })
        }
    }

    /// The first camera that knows the version is asked first, and says so if it knows other contents.
    @Test func itGoesOnWithWhatTheCamerasKnow() throws {
        let known: [String: DesiredState.Outcome] = [
            "agent1": .applied, "agent2": .failed, "agent3": .applied,
        ]
        var next = rig(try plan(step: "100%", maxFailures: 2), retained: later(known))
        #expect(targets(next) == ["agent1"])
        next.receive(answer("agent1", step: 1))
        #expect(targets(next).dropFirst() == ["agent4", "agent5", "agent6"])
        for agent in ["agent4", "agent5", "agent6"] { next.receive(answer(agent, step: 2)) }
        next.handle(.drained)
        #expect(
            next.lines == [
                "stage version 1, step 1: 5 done, 1 refused (unsupported 1), 0 silent, of 6",
                "stage version 1, finished: 5 done, 1 refused (unsupported 1), 0 silent, of 6",
            ])
        #expect(next.errors == ["agent2/door: unsupported: No such quality."] && next.exitCodes == [1])
    }

    @Test func anotherDocumentWithTheSameVersionIsRefusedByTheFirstCamera() throws {
        var next = rig(try plan(step: "100%"), retained: later(["agent1": .applied]))
        let error = CommandError(.stale, "Version 1 is known with other contents.", field: "version")
        next.receive(answer("agent1", step: 1, error))
        #expect(targets(next) == ["agent1"] && next.exitCodes == [1])
        #expect(
            next.errors.last?.hasPrefix("Another rollout uses version 1, or a later one: agent1/door") == true
        )
    }

    /// The document may be the reason why its agent died.
    @Test func aCameraThatWasApplyingItIsOpenAgain() throws {
        let applying = state(1, .applying)
        var next = rig(
            try plan(step: "1"),
            retained: member("agent1", .offline, desired: applying) + member("agent2"))
        #expect(targets(next) == ["agent2"])
        next.receive(answer("agent2", step: 1))
        next.handle(.drained)
        #expect(next.lines.last == "stage version 1, finished: 1 done, 0 refused, 0 silent, 1 offline, of 2")
        // It is there, and goes on by itself.
        var waiting = rig(
            try plan(step: "1"), retained: member("agent1", desired: applying) + member("agent2"))
        waiting.receive(answer("agent1", step: 1))
        waiting.receive(answer("agent2", step: 2))
        waiting.handle(.drained)
        #expect(
            waiting.lines.last == "stage version 1, finished: 1 done, 0 refused, 0 silent, 1 waiting, of 2")
    }

    @Test func camerasThatAreAwayAreNoFailuresAndGetTheCopy() throws {
        let retained = member("agent1") + member("agent2", .offline) + member("agent3", .stopped)
        var rig = rig(try plan(), retained: retained)
        #expect(targets(rig) == ["agent1"])
        rig.receive(answer("agent1", step: 1))
        rig.handle(.drained)
        #expect(rig.exitCodes == [0])
        #expect(rig.lines.last == "stage version 1, finished: 1 done, 0 refused, 0 silent, 2 offline, of 3")
    }

    @Test(arguments: [("0", 0), ("0%", 0), ("3", 3), ("10%", 4), ("1%", 1)])
    func theCamerasThatMayBeAwayAreANumberOrAPercentage(text: String, count: Int) {
        #expect(RolloutPlan.Share(text, atLeast: 0)?.count(of: 40) == count)
    }

    /// All of them would apply the group's copy at once.
    @Test func whenTooManyCamerasAreAwayNothingIsRetained() throws {
        var first = rig(try plan())
        for agent in Self.agents.dropFirst(2) { first.receive(availability(agent, .offline, boot: 1)) }
        first.receive(answer("agent1", step: 1), answer("agent2", step: 1))
        #expect(targets(first) == ["agent1", "agent2"] && first.exitCodes == [1])
        #expect(!first.published.contains { $0.isRetained })
        #expect(
            first.lines.last == "stage version 1, stopped: 2 done, 0 refused, 0 silent, 4 offline, of 6")
        #expect(
            first.errors == [
                "Stopped before the group's copy: 4 cameras are offline, more than the 2 that --max-away permits, and all would apply it at once. The same command goes on."
            ])
    }

    @Test(arguments: [("0", [1]), ("1", [1]), ("2", []), ("50%", []), (nil, [1])] as [(String?, [Int32])])
    func howManyCamerasMayBeAwayIsAnOption(maxAway: String?, exitCodes: [Int32]) throws {
        let retained = member("agent1", .offline) + member("agent2", .stopped) + member("agent3")
        var rig = rig(try plan(step: "1", maxAway: maxAway), retained: retained + member("agent4"))
        rig.receive(answer("agent3", step: 1), answer("agent4", step: 2))
        #expect(rig.exitCodes == exitCodes && rig.published.contains { $0.isRetained } == exitCodes.isEmpty)
    }

    @Test func nothingIsRetainedIfNoCameraIsThere() throws {
        let rig = rig(try plan(step: "1"), retained: member("agent1", .offline) + member("agent2", .offline))
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
    }

    // MARK: Cameras that the broker does not know

    @Test(arguments: [true, false]) func camerasThatTheBrokerKnowsNothingOfHaveTheirSteps(comes: Bool) throws
    {
        var rig = GroupRig { [plan = try plan(step: "1")] in Rollout.run(plan, options(), $0) }
        rig.connect(member("agent1"), waiting: .milliseconds(300))
        #expect(rig.asked == ["v4l2mqtt/groups/stage/refresh/set"] && rig.published.isEmpty)
        rig.receive(refreshAnswer(of: "agent1"), refreshAnswer(of: "agent2"))
        if comes { for message in member("agent2") { rig.receive(message) } }
        rig.wait(.seconds(13))
        #expect(targets(rig) == ["agent1"] && rig.errors.isEmpty)
        rig.receive(answer("agent1", step: 1))
        #expect(targets(rig) == ["agent1", "agent2"] && !rig.published.contains { $0.isRetained })
        rig.receive(answer("agent2", step: 2))
        rig.handle(.drained)
        #expect(rig.lines.last == "stage version 1, finished: 2 done, 0 refused, 0 silent, of 2")
        #expect(rig.exitCodes == [0])
    }

    @Test func aRequestThatTheBrokerRefusesEndsNothing() throws {
        var rig = GroupRig { [plan = try plan()] in Rollout.run(plan, options(), $0) }
        rig.connect(member("agent1") + [availability("zombie", .online)], waiting: .milliseconds(700))
        #expect(rig.asked.contains("v4l2mqtt/zombie/refresh/set/ctl"))
        for topic in rig.asked { rig.handle(.refused(topic: topic, reason: "Not authorized.")) }
        rig.wait(.seconds(3))
        #expect(targets(rig) == ["agent1"] && rig.exitCodes == [] && rig.errors == [])
        rig.receive(answer("agent1", step: 1))
        // Also while the copy is on its way.
        for topic in rig.asked { rig.handle(.refused(topic: topic, reason: "Not authorized.")) }
        rig.handle(.drained)
        #expect(rig.lines.last == "stage version 1, finished: 1 done, 0 refused, 0 silent, of 1")
        #expect(rig.errors == zombieNotes && rig.exitCodes == [1])
    }

    // MARK: Connections

    @Test func withoutAConnectionNothingIsPublishedOrGivenUp() throws {
        var rig = rig(try plan())
        rig.receive(answer("agent1", step: 1))
        rig.disconnect()
        rig.wait(.seconds(600))
        #expect(rig.exitCodes == [])
        // The last outcome of the step is retained; the others of the group have not come yet.
        rig.connect(
            member("agent2", desired: state(1, .applied)) + Self.everyone, waiting: .milliseconds(299))
        #expect(targets(rig) == ["agent1", "agent2"])
        rig.wait(.seconds(2))
        #expect(targets(rig).suffix(2) == ["agent3", "agent4"])
        #expect(rig.errors == ["broker:1883: closed"])
        rig.disconnect()
        rig.connect(Self.everyone)
        rig.wait(.seconds(28))
        #expect(rig.exitCodes == [])
        rig.receive(answer("agent3", step: 2), answer("agent4", step: 2))
        #expect(targets(rig).suffix(2) == ["agent5", "agent6"])
    }

    @Test func aCameraThatComesBackBeforeTheEndIsInALaterStep() throws {
        var rig = rig(try plan(step: "1"), retained: member("agent1", .offline) + member("agent2"))
        #expect(targets(rig) == ["agent2"])
        rig.receive(availability("agent1", .online, boot: 2), answer("agent2", step: 1))
        #expect(targets(rig) == ["agent2", "agent1"])
    }

    @Test func aCameraThatAcceptsAndWaitsIsNoFailure() throws {
        var rig = rig(try plan(step: "1"), retained: member("agent1") + member("agent2"))
        rig.receive(CtlTests.answer(of: "agent1", "desired", id: "ctl-test-1", .accepted))
        rig.wait(.seconds(30))
        #expect(targets(rig) == ["agent1", "agent2"])
        #expect(rig.lines[0] == "stage version 1, step 1: 0 done, 0 refused, 0 silent, 1 waiting, of 2")
        rig.receive(message("agent1/door/desired", JSON.bytes(state(1, .applied))), answer("agent2", step: 2))
        #expect(rig.lines[1] == "stage version 1, step 2: 2 done, 0 refused, 0 silent, of 2")
    }

    @Test(arguments: [(Availability.State.offline, "not_found"), (.online, "private")])
    func aCameraWhoseDeviceIsAwayIsNotWaitedFor(state: Availability.State, reason: String) throws {
        var rig = rig(try plan(step: "1"), retained: member("agent1") + member("agent2"))
        rig.receive(
            availability("agent1/door", state, reason: reason),
            CtlTests.answer(of: "agent1", "desired", id: "ctl-test-1", .accepted))
        #expect(targets(rig) == ["agent1", "agent2"])
        rig.receive(answer("agent2", step: 2))
        rig.handle(.drained)
        #expect(rig.lines.last == "stage version 1, finished: 1 done, 0 refused, 0 silent, 1 waiting, of 2")
        #expect(rig.exitCodes == [0])
    }

    @Test func theVersionIsAtLeastTheNewestOneThatIsKnown() throws {
        func version(
            _ more: [BusMessage], _ document: String = "{}", _ number: Int? = nil
        ) throws -> String? {
            let rig = rig(
                try plan(Array(document.utf8), version: number), retained: member("agent1") + more)
            let payload = rig.published.first.map { Array($0.payload.utf8) } ?? []
            return JSON(payload)?.object?["version"]?.integer.map(String.init) ?? rig.errors.first
        }
        let none = "version: neither in the file nor given by --version. The next one is"
        #expect(try version([]) == "\(none) 1.")
        #expect(try version(member("agent2", desired: state(7, .failed, error: refusal))) == "\(none) 8.")
        #expect(try version(member("agent2", desired: state(7, .applied, group: nil))) == "\(none) 1.")
        let copy = message("groups/stage/desired/set", #"{"version": 11, "group": "stage"}"#)
        #expect(try version([copy]) == "\(none) 12.")
        #expect(try version([copy], "{}", 12) == "12")
        #expect(try version([copy], #"{"version": 12.0}"#) == "12")
        #expect(try version([copy], #"{"version": 1e3}"#) == "1000")
        #expect(try version([copy], #"{"version": 11.0}"#) == "11")
        #expect(try version([copy], #"{"version": 3, "reset": true}"#) == "3")
        #expect(
            try version([copy], #"{"version": 10}"#)
                == "version: 10 is below 11, which v4l2mqtt/groups/stage/desired/set has. The next one is 12."
        )
        #expect(
            try version([copy], #"{"version": 11, "controls": {"brightness": 1}}"#)?
                .hasSuffix("has it with other contents.") == true)
        #expect(try version([], #"{"version": 1}"#, 2) == "version: the file has one; omit --version.")
    }

    /// One camera may say anything of its version: the others would refuse what is far above theirs.
    @Test(arguments: [1_006, 1_000_000, Int.max]) func aCameraFarAboveTheOthersIsIgnored(version: Int) throws
    {
        let honest = (1...3).flatMap { member("agent\($0)", desired: state(5, .applied)) }
        let retained = honest + member("agent4", desired: state(version, .applied))
        var rig = rig(try plan(version: 6, step: "100%"), retained: retained)
        #expect(targets(rig) == ["agent1", "agent2", "agent3"])
        #expect(JSON(Array(rig.published[0].payload.utf8))?.object?["version"] == .integer(6))
        #expect(
            rig.errors == ["agent4/door has version \(version) of the group, far above 6: it is ignored."])
        for agent in ["agent1", "agent2", "agent3"] { rig.receive(answer(agent, step: 1)) }
        rig.handle(.drained)
        #expect(try copy(rig) == "v4l2mqtt/groups/stage/desired/set" && rig.exitCodes == [0])
    }

    /// Unless the rollout begins a new count, which it takes as all others do.
    @Test func aCameraFarAboveTheOthersTakesANewCount() throws {
        let retained =
            member("agent1", desired: state(5, .applied)) + member("agent2", desired: state(9_999, .applied))
        let rig = rig(
            try plan(Array(#"{"version": 2, "reset": true}"#.utf8), version: nil), retained: retained)
        #expect(targets(rig) == ["agent1", "agent2"] && rig.errors.isEmpty)
    }

    /// Agents count, not cameras; of equal counts the lower one, and the group's copy before all.
    @Test(
        arguments: [
            ([5, 6, 9_000], nil, 7), ([5, 9_000, 9_001], nil, 9_002), ([5, 9_000], nil, 6),
            ([5, 1_005], nil, 1_006),
            ([5, 9_000, 9_001], 5, 6), ([5, 9_000], 8_500, 9_001),
        ] as [([Int], Int?, Int)])
    func theCountIsThatOfMostAgents(versions: [Int], copy: Int?, chosen: Int) throws {
        var retained = versions.enumerated().flatMap {
            member("agent\($0 + 1)", desired: state($1, .applied))
        }
        retained += copy.map { [command("groups/stage", $0, brightness: 9)] } ?? []
        let rig = rig(try plan(version: nil), retained: retained)
        #expect(rig.errors.first?.hasSuffix("The next one is \(chosen).") == true)
    }

    /// Agents that join later would take what no camera has taken.
    @Test func nothingIsRetainedForTheGroupIfAllRefuse() throws {
        var first = rig(try plan(step: "100%", maxFailures: 9), retained: member("agent1") + member("agent2"))
        first.receive(answer("agent1", step: 1, refusal), answer("agent2", step: 1, refusal))
        #expect(first.exitCodes == [1] && !first.published.contains { $0.isRetained })
        #expect(
            first.errors.last == "No camera has accepted the version: nothing is retained for the group.")
        // Nor when the same command goes on.
        let failed = state(1, .failed, error: refusal)
        var next = rig(
            try plan(), retained: member("agent1", desired: failed) + member("agent2", desired: failed))
        next.receive(answer("agent1", step: 1, refusal))
        #expect(next.exitCodes == [1] && targets(next) == ["agent1"])
    }

    @Test(arguments: [
        "", "[]", "{", #"{"zoom": {"by": 2}}"#, #"{"id": "a"}"#, #"{"group": "hall"}"#, #"{"nosuch": 1}"#,
        #"{"version": 0}"#,
    ])
    func aDocumentThatNoCameraWouldTakeIsRefused(document: String) throws {
        let rig = rig(try plan(Array(document.utf8), version: nil))
        #expect(rig.exitCodes == [1] && rig.published.isEmpty)
    }

    @Test func aCopyThatIsNotAcknowledgedIsAnError() throws {
        var rig = rig(try plan(), retained: member("agent1"))
        rig.receive(answer("agent1", step: 1))
        rig.wait(.seconds(10))
        #expect(rig.exitCodes == [1] && rig.errors[0].contains("not acknowledged"))
    }

    @Test func aMessageThatTheBrokerRefusesIsAFailure() throws {
        var rig = rig(try plan(step: "1"), retained: member("agent1"))
        rig.handle(.drained)
        rig.handle(.refused(topic: "v4l2mqtt/agent1/door/desired/set", reason: "Not authorized."))
        #expect(rig.exitCodes == [1])
        #expect(rig.lines.last == "stage version 1, stopped: 0 done, 1 refused (forbidden 1), 0 silent, of 1")
        var last = GroupRig { [plan = try plan()] in Rollout.run(plan, options(), $0) }
        last.connect(member("agent1"))
        last.receive(answer("agent1", step: 1))
        last.handle(.refused(topic: try copy(last), reason: "Not authorized."))
        #expect(last.exitCodes == [1] && last.errors[0].hasPrefix("The broker refuses a message on "))
    }

    @Test func anAgentThatStartsAgainHasLostTheVersion() throws {
        var rig = rig(try plan(step: "1"), retained: member("agent1") + member("agent2"))
        rig.receive(availability("agent1", .offline, boot: 1))
        rig.wait(.seconds(4))
        #expect(rig.exitCodes == [])
        rig.receive(availability("agent1", .online, boot: 2))
        #expect(rig.exitCodes == [1] && targets(rig) == ["agent1"])
    }

    @Test func anotherRolloutEndsIt() throws {
        var rig = rig(try plan(step: "1"))
        rig.receive(message("agent6/door/desired", JSON.bytes(state(2, .applied))))
        rig.receive(answer("agent1", step: 1))
        #expect(rig.exitCodes == [1] && targets(rig) == ["agent1"])
        #expect(rig.errors.last?.hasPrefix("agent6/door has version 2 of the group") == true)
    }

    /// What another rollout publishes, to a group or to a camera.
    private func command(_ place: String, _ version: Int, brightness: Int) -> BusMessage {
        message(
            "\(place)/desired/set",
            #"{"id": "other-2", "client": "desk", "group": "stage", "version": \#(version), "controls": {"brightness": \#(brightness)}}"#
        )
    }

    /// It began at the same moment, with the same version.
    @Test func aRolloutWithTheSameVersionEndsIt() throws {
        var rig = rig(try plan(step: "1"))
        rig.receive(answer("agent1", step: 1))
        rig.receive(command("groups/stage", 1, brightness: 8))
        let reason =
            "Another rollout uses version 1, too: v4l2mqtt/groups/stage/desired/set has it with other contents."
        let end = "This rollout has ended. A higher version begins another one."
        #expect(rig.exitCodes == [1] && rig.errors == ["\(reason) \(end)"])
        #expect(targets(rig) == ["agent1", "agent2"])
        // Nor does it begin.
        let next = self.rig(try plan(), retained: Self.everyone + [command("groups/stage", 1, brightness: 8)])
        #expect(next.exitCodes == [1] && next.published.isEmpty && next.errors == [reason])
    }

    @Test func theOtherCopyMayComeLast() throws {
        var rig = rig(try plan(), retained: member("agent1"))
        rig.receive(answer("agent1", step: 1))
        // Its own copy, as the broker delivers it.
        rig.receive(command("groups/stage", 1, brightness: 9))
        #expect(rig.exitCodes == [])
        rig.receive(command("groups/stage", 1, brightness: 8))
        #expect(rig.exitCodes == [1])
    }

    @Test func messagesForOthersEndNothing() throws {
        var rig = rig(try plan(step: "1"))
        rig.receive(
            command("agent5/door", 1, brightness: 8), command("groups/hall", 7, brightness: 8),
            message("agent5/door/desired/set", #"{"version": 7}"#))
        rig.receive(answer("agent1", step: 1))
        #expect(targets(rig) == ["agent1", "agent2"] && rig.exitCodes == [])
    }

    /// An agent has the same version with other contents.
    @Test func aCameraWithAnotherVersionEndsIt() throws {
        var rig = rig(try plan(step: "1", maxFailures: 3))
        let error = CommandError(.stale, "Version 1 has other contents.", field: "version")
        rig.receive(answer("agent1", step: 1, error))
        #expect(rig.exitCodes == [1])
        #expect(
            rig.errors.last?.hasPrefix(
                "Another rollout uses version 1, or a later one: agent1/door: Version 1 has other contents.")
                == true)
    }

    @Test func theJSONHasTheNumbers() throws {
        var rig = rig(try plan(), options(json: true), retained: member("agent1"))
        rig.receive(answer("agent1", step: 1))
        let step = try #require(JSON(Array(rig.lines[0].utf8))?.object)
        #expect(
            step["done"] == .integer(1) && step["step"] == .integer(1) && step["finished"] == .flag(false))
    }

    @Test func agentsThatWantProvedClientsGetTheClientInTheTopics() throws {
        var rig = rig(try plan(), options(client: "desk"), retained: member("agent1", clients: .proved))
        #expect(rig.published[0].topic == "v4l2mqtt/agent1/door/desired/set/desk")
        rig.receive(answer("agent1", step: 1))
        #expect(try copy(rig) == "v4l2mqtt/groups/stage/desired/set/desk")
    }
}
