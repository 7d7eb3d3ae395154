import Messages
import Settings
import Swarm
import Testing

/// The agents of a swarm: their names, their topics, and how they are distributed.
struct SwarmPlanTests {
    private let plan = SwarmPlan(
        agents: 10_000, processes: 8, name: "swarm", baseTopic: "v4l2mqtt", discoveryPrefix: "v4l2mqtt-swarm")

    @Test(arguments: [1, 3, 7, 8]) func eachAgentRunsInOneProcess(processes: Int) {
        var plan = plan
        plan.agents = 1001
        plan.processes = processes
        let shares = (0..<processes).map(plan.share(ofProcess:))
        #expect(shares.flatMap(Array.init) == Array(0..<1001))
        let sizes = shares.map(\.count)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
        #expect(plan.descriptorsPerProcess >= (sizes.max() ?? 0) * SwarmPlan.descriptorsPerAgent)
    }

    @Test func theNumberOfAnAgentIsReadFromItsName() {
        for number in [0, 9, 9_999] { #expect(plan.number(ofAgent: plan.agent(number)[...]) == number) }
        for other in [
            "swarm", "swarm-", "swarm-10000", "swarm-01", "swarm-+1", "swarm--1", "porch", "swarmed-1",
        ] {
            #expect(plan.number(ofAgent: other[...]) == nil, "\(other)")
        }
    }

    @Test func retainedTopicsAreThoseOfTheAgentItsCameraAndItsDocument() {
        let topics = plan.retained(7)
        #expect(Set(topics).count == topics.count)
        #expect(topics.contains("v4l2mqtt/swarm-7/availability"))
        #expect(topics.contains("v4l2mqtt/swarm-7/camera/zoom"))
        #expect(topics.contains("v4l2mqtt-swarm/device/v4l2mqtt_camera_AT_swarm-7/config"))
    }

    @Test func theSettingsOfAnAgentAreItsOwn() {
        var mqtt = MQTTSettings(baseTopic: "other", clientID: "other")
        mqtt.spread = 60
        let settings = plan.settings(7, mqtt, folder: "/nonexistent")
        #expect(settings.agent == "swarm-7" && settings.mqtt.clientID == "v4l2mqtt-swarm-7")
        #expect(settings.mqtt.baseTopic == "v4l2mqtt" && settings.mqtt.spread == 60)
        #expect(settings.cameras.map(\.groups) == [["swarm"]])
        #expect(settings.homeAssistant.isOn && settings.homeAssistant.prefix == "v4l2mqtt-swarm")
        var plan = plan
        plan.isDiscovered = false
        #expect(!plan.settings(7, mqtt, folder: "/nonexistent").homeAssistant.isOn)
    }

    @Test func linesAreReadInPiecesOfAnySize() {
        var (first, second) = (WorkerLine(), WorkerLine())
        first.isReady = true
        second.subscribed = 3
        second.reason = "two\nlines"
        let bytes = first.bytes + second.bytes
        for size in [1, 5, bytes.count] {
            var reader = LineReader()
            let lines = stride(from: 0, to: bytes.count, by: size).flatMap {
                reader.lines(in: bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(lines.map { WorkerLine($0) } == [first, second])
        }
        #expect(WorkerLine(Array("agents".utf8)) == nil)
    }
}
