import Contract
import Testing

@testable import Fleet

/// What is read, and what counts as lost.
struct FleetReadingTests {
    var broker = RetainedBroker()

    @Test mutating func everyAgentIsReadByItsNameAFewAtATime() {
        for number in 0..<300 { broker.add("agent\(number)", ["door", "yard"]) }
        broker.read()
        #expect(broker.fleet.addresses.count == 600 && broker.fleet.unknownAgents.isEmpty)
        #expect(broker.fleet.addresses.allSatisfy { broker.fleet[$0]?.facts.payloads.count == 3 })
        // 50 agents, each with those of a camera and two of its own, and some that are not ended yet.
        #expect(broker.mostFilters <= 100 * 5 + 6)
        #expect(broker.filters.allSatisfy { $0.hasPrefix("v4l2mqtt/+/") } && broker.asked.isEmpty)
    }

    /// The broker drops what a client does not take at once.
    @Test mutating func aLargeFleetIsReadWholeAndAReconnectRemovesNone() {
        for number in 0..<3_000 { broker.add("agent\(number)") }
        broker.read()
        #expect(broker.fleet.addresses.count == 3_000 && broker.fleet.unknownAgents.isEmpty)
        broker.disconnect()
        broker.capacity = 1_000  // Of the availabilities, two thirds are lost.
        broker.read()
        #expect(broker.fleet.addresses.count == 3_000 && broker.fleet.unknownAgents.isEmpty)
        #expect(broker.changes.isEmpty && broker.asked.isEmpty)
    }

    @Test mutating func anAgentThatIsGoneIsRemovedAfterItWasReadByName() {
        broker.add("porch")
        broker.add("yard")
        broker.read()
        broker.disconnect()
        broker.retained["yard"] = nil
        broker.read()
        #expect(broker.fleet.agents.keys.sorted() == ["porch"])
        let yard = CameraAddress(agent: "yard", camera: "door")
        #expect(broker.changes == [.agent("yard", node: "", cameras: [yard])])
        // It was online: it may only have nothing at this node of the broker.
        #expect(broker.asked == ["yard"])
    }

    @Test mutating func anAgentThatWasAwayIsRemovedWithoutAQuestion() {
        broker.add("yard")
        broker.retained["yard"]?["availability"] = "{\"state\":\"stopped\"}"
        broker.read()
        broker.disconnect()
        broker.retained["yard"] = nil
        broker.read()
        #expect(broker.fleet.agents.isEmpty && broker.asked.isEmpty)
    }

    /// The broker has forgotten the availability at its end.
    @Test mutating func anAgentWithoutAvailabilityIsSilent() {
        broker.add("yard")
        broker.read()
        broker.disconnect()
        broker.retained["yard"]?["availability"] = nil
        broker.read()
        #expect(broker.fleet.presence(of: "yard", at: broker.time) == .silent)
        #expect(broker.fleet.addresses.count == 1)
    }

    @Test mutating func whatIsDroppedOnceIsReadASecondTime() {
        broker.add("porch")
        broker.dropped = ["porch/door/zoom", "porch/info"]
        broker.read()
        #expect(broker.fleet.unknownAgents.isEmpty && broker.asked.isEmpty)
        let door = CameraAddress(agent: "porch", camera: "door")
        #expect(broker.fleet[door]?.facts.payloads["zoom"] == online)
    }

    @Test mutating func aStateThatIsMissingIsAskedForAndNamed() {
        broker.add("porch", ["door", "yard"])
        broker.retained["porch"]?["yard/zoom"] = nil
        broker.read()
        #expect(broker.asked == ["porch"])
        #expect(broker.fleet.unknownAgents == ["porch"])
        #expect(broker.fleet.missingCameras(of: "porch")?.map(\.camera) == ["yard"])
        broker.publish("porch/yard/zoom", "null")
        #expect(broker.fleet.unknownAgents.isEmpty)
    }

    @Test mutating func aMissingInfoIsNamed() {
        broker.add("porch")
        broker.retained["porch"]?["info"] = nil
        broker.read()
        #expect(broker.fleet.unknownAgents == ["porch"] && broker.fleet.missingCameras(of: "porch") == nil)
        #expect(broker.fleet.addresses.isEmpty)
    }

    /// What was known of it before stays.
    @Test mutating func aStateThatDoesNotComeAgainStays() {
        broker.add("porch")
        broker.read()
        broker.disconnect()
        broker.retained["porch"]?["door/zoom"] = nil
        broker.read()
        #expect(broker.fleet.unknownAgents == ["porch"] && broker.fleet.addresses.count == 1)
    }

    @Test(
        arguments: [
            ("offline", nil, ["availability"]), ("online", "private", ["availability", "zoom"]),
            ("online", nil, ["availability", "info", "zoom"]),
        ] as [(String, String?, [String])])
    mutating func aCameraNeedsWhatItPublishes(state: String, reason: String?, nodes: [String]) {
        broker.add("porch", nodes: nodes)
        let reason = reason.map { ",\"reason\":\"\($0)\"" } ?? ""
        broker.retained["porch"]?["door/availability"] = "{\"state\":\"\(state)\"\(reason)}"
        broker.read()
        #expect(broker.fleet.unknownAgents.isEmpty && broker.asked.isEmpty)
        // One state less is missing.
        var other = RetainedBroker()
        other.retained = broker.retained
        other.retained["porch"]?["door/\(nodes.last ?? "")"] = nil
        other.read()
        #expect(other.fleet.unknownAgents == ["porch"])
    }

    @Test mutating func ofAnAgentThatIsAwayNothingIsMissing() {
        broker.add("porch", nodes: [])
        broker.retained["porch"]?["availability"] = "{\"state\":\"offline\"}"
        broker.read()
        #expect(broker.fleet.unknownAgents.isEmpty && broker.asked.isEmpty)
        #expect(broker.fleet.addresses.count == 1)
    }

    @Test mutating func anAgentThatAnswersInTimeIsRead() {
        broker = RetainedBroker(.usual, .person)
        broker.add("porch")
        broker.retained["porch"]?["door/zoom"] = nil
        broker.connect()
        while broker.asked.isEmpty, let deadline = broker.fleet.deadline {
            broker.time = deadline
            broker.tick()
        }
        broker.fleet.promised("porch", at: broker.time)
        broker.time += .seconds(10)
        broker.tick()
        #expect(!broker.fleet.isRead)
        broker.publish("porch/door/zoom", "null")
        #expect(broker.fleet.isRead && broker.fleet.unknownAgents.isEmpty)
    }

    @Test mutating func withoutAQuestionItIsNamedAtOnce() {
        broker = RetainedBroker(.usual, FleetTimes(quiet: .milliseconds(300), asking: nil))
        broker.add("porch")
        broker.retained["porch"]?["door/zoom"] = nil
        let begin = broker.time
        broker.read()
        #expect(broker.asked.isEmpty && broker.fleet.unknownAgents == ["porch"])
        #expect(broker.time - begin == .milliseconds(600))
    }

    // MARK: One agent

    @Test mutating func aNamedAgentIsReadAloneAndWithoutAPause() {
        broker = RetainedBroker(
            FleetNeeds(
                agent: "porch", camera: "door", required: ["availability", "zoom"], live: ["zoom/live"]),
            .person)
        broker.add("porch", ["door", "yard"])
        broker.add("other")
        broker.connect()
        #expect(broker.fleet.isRead)
        #expect(broker.fleet.addresses.map(\.description) == ["porch/door"])
        #expect(broker.fleet.agents["porch"]?.cameraNames == ["door", "yard"])
        #expect(broker.filters.allSatisfy { $0.hasPrefix("v4l2mqtt/porch/") })
        broker.publish("porch/door/zoom", "new")
        #expect(broker.fleet[.init(agent: "porch", camera: "door")]?.facts.payloads["zoom"] == "new")
        #expect(broker.publish("other/info", "{\"cameras\":[]}") == .other)
    }

    @Test mutating func aNamedAgentThatGetsACameraIsReadAgain() {
        broker = RetainedBroker(FleetNeeds(agent: "porch", required: ["availability", "zoom"]), .person)
        broker.add("porch")
        broker.read()
        broker.add("porch", ["door", "yard"])
        broker.publish("porch/info", "{\"cameras\":[\"door\",\"yard\"]}")
        #expect(broker.fleet[.init(agent: "porch", camera: "yard")]?.facts.payloads["zoom"] == online)
        #expect(broker.fleet.isRead)
    }

    @Test mutating func aNamedAgentIsAskedEvenIfNothingCame() {
        broker = RetainedBroker(FleetNeeds(agent: "porch", required: ["availability"]), .person)
        broker.read()
        #expect(broker.asked == ["porch"] && broker.fleet.isRead && broker.fleet.agents.isEmpty)
    }

    @Test mutating func anAgentThatIsKnownByAnAnswerIsRead() {
        broker.read()
        broker.retained["porch"] = ["info": "{\"cameras\":[\"door\"]}"]
        broker.fleet.read("porch", at: broker.time)
        #expect(!broker.fleet.isRead)
        broker.carryOut()
        #expect(broker.fleet.agents["porch"]?.cameraNames == ["door"])
    }

    // MARK: Connections

    @Test mutating func subscriptionsOfTheReadingEndWithTheConnection() {
        for number in 0..<60 { broker.add("agent\(number)", nodes: []) }
        broker.connect()
        #expect(!broker.fleet.isRead)
        broker.fleet.disconnected()
        let ended = broker.fleet.takeActions().flatMap { action -> [String] in
            if case .unsubscribe(let filters) = action { filters } else { [] }
        }
        let own = Set(broker.filters.filter { !$0.contains("/+/") || !$0.hasPrefix("v4l2mqtt/+") })
        #expect(own.subtracting(ended).allSatisfy { $0.hasPrefix("v4l2mqtt/+") } && !ended.isEmpty)
    }

    @Test mutating func withoutAnAnswerOfTheBrokerNothingIsMissing() {
        broker.fleet.connected(at: broker.time)
        #expect(broker.fleet.deadline == nil)
        broker.fleet.subscribed(at: broker.time)
        _ = broker.fleet.take("v4l2mqtt/porch/availability", Array(online.utf8), at: broker.time)
        #expect(!broker.fleet.takeActions().isEmpty && broker.fleet.deadline == nil)
        #expect(broker.fleet.tick(at: broker.time + .seconds(60)).isEmpty)
        #expect(broker.fleet.takeActions().isEmpty)
        #expect(!broker.fleet.isRead)
    }

    @Test mutating func aFleetWithoutAgentsIsReadAfterAPause() {
        let begin = broker.time
        broker.read()
        #expect(broker.fleet.isRead && broker.time - begin == .seconds(2))
    }
}
