import Testing

@testable import Bus
@testable import Server

@Suite struct FleetMetricsTests {
    private let fleet = FleetMetrics(baseTopic: "v4l2mqtt")
    private let start = ContinuousClock.now

    init() { connect(fleet) }

    private func connect(_ fleet: FleetMetrics, after seconds: Int = 0) {
        fleet.connected(at: start + .seconds(seconds))
        fleet.subscribed(at: start + .seconds(seconds))
    }

    private func publish(
        _ topic: String, _ payload: String, after seconds: Int = 0, to fleet: FleetMetrics? = nil
    ) {
        (fleet ?? self.fleet).receive(
            BusMessage(
                topic: "v4l2mqtt/\(topic)", payload: Array(payload.utf8), qos: .atMostOnce,
                isRetained: true),
            at: start + .seconds(seconds), seconds: 1_700_000_000 + Double(seconds))
    }

    /// The broker answers all subscriptions.
    ///
    /// - Returns: what was reported as incomplete.
    @discardableResult private func pass(_ seconds: Range<Int>, of fleet: FleetMetrics) -> [Int] {
        seconds.compactMap { second in
            let time = start + .seconds(second)
            if !fleet.takeActions().isEmpty { fleet.subscribed(at: time) }
            return fleet.secondPassed(at: time)
        }
    }

    /// The samples, without comments.
    private func samples(after seconds: Int = 0) -> Set<String> {
        Set(fleet.text(at: start + .seconds(seconds)).split(separator: "\n").map(String.init))
            .filter { !$0.hasPrefix("#") }
    }

    private func makeAgent() {
        publish("porch/availability", #"{"state":"online","boot":7,"renew_s":60}"#)
        publish(
            "porch/info", #"{"agent":"porch","version":"1.2","protocol":1,"host":"pi","cameras":["door"]}"#)
        publish("porch/door/availability", #"{"state":"online"}"#)
        publish("porch/door/info", #"{"model":"Cam \"X\"\\1\nnew"}"#)
    }

    @Test func agentsAndCamerasAreShown() {
        makeAgent()
        publish("porch/door/diagnostics", #"{"frames":900,"lost":2,"free_bytes":12000000000}"#)
        publish("porch/door/recording", #"{"state":"recording"}"#)
        let shown = samples()
        for sample in [
            #"v4l2mqtt_exporter_connected 1"#, #"v4l2mqtt_exporter_messages_total 6"#,
            #"v4l2mqtt_exporter_left_out_messages_total 0"#,
            #"v4l2mqtt_agent_up{agent="porch"} 1"#, #"v4l2mqtt_agent_overdue{agent="porch"} 0"#,
            #"v4l2mqtt_agent_info{agent="porch",version="1.2",host="pi",protocol="1"} 1"#,
            #"v4l2mqtt_agent_boot{agent="porch"} 7"#,
            #"v4l2mqtt_agent_last_message_timestamp_seconds{agent="porch"} 1700000000"#,
            #"v4l2mqtt_camera_up{agent="porch",camera="door"} 1"#,
            #"v4l2mqtt_camera_info{agent="porch",camera="door",model="Cam \"X\"\\1\nnew"} 1"#,
            #"v4l2mqtt_camera_frames_total{agent="porch",camera="door"} 900"#,
            #"v4l2mqtt_camera_lost_frames_total{agent="porch",camera="door"} 2"#,
            #"v4l2mqtt_camera_free_bytes{agent="porch",camera="door"} 12000000000"#,
            #"v4l2mqtt_camera_recording{agent="porch",camera="door"} 1"#,
            #"v4l2mqtt_camera_photos_total{agent="porch",camera="door"} 0"#,
        ] {
            #expect(shown.contains(sample), "\(sample)")
        }
        #expect(!shown.contains { $0.hasPrefix("v4l2mqtt_camera_unavailable") })
    }

    @Test func conflictsOfNamesAndTheConfigurationOfTheFleetAreShown() {
        makeAgent()
        #expect(samples().contains(#"v4l2mqtt_agent_same_name{agent="porch"} 0"#))
        #expect(!samples().contains { $0.hasPrefix("v4l2mqtt_agent_fleet") })
        publish(
            "porch/info",
            #"{"agent":"porch","same_name":{"at":"x"},"fleet":{"version":6,"refused":{"version":7,"error":{"code":"stale"}}}}"#
        )
        let shown = samples()
        for sample in [
            #"v4l2mqtt_agent_same_name{agent="porch"} 1"#, #"v4l2mqtt_agent_fleet_version{agent="porch"} 6"#,
            #"v4l2mqtt_agent_fleet_refused{agent="porch",code="stale"} 1"#,
        ] {
            #expect(shown.contains(sample), "\(sample)")
        }
    }

    /// A broker drops what a reader does not take in time; `info` of the agent lists the cameras.
    @Test func camerasOfWhichStatesAreMissingAreCounted() {
        func incomplete() -> Int { fleet.incompleteCameras(at: start) }
        publish("porch/availability", #"{"state":"online"}"#)
        #expect(incomplete() == 1, "nothing is known of its cameras")
        publish("porch/info", #"{"agent":"porch","cameras":["door","yard","hall"]}"#)
        #expect(incomplete() == 3)
        #expect(samples().contains("v4l2mqtt_exporter_incomplete_cameras 3"))
        publish("porch/door/availability", #"{"state":"online"}"#)
        publish("porch/door/info", #"{"model":"Camera"}"#)
        publish("porch/yard/availability", #"{"state":"offline"}"#)
        #expect(incomplete() == 2, "one that is away may have no other states")
        publish("porch/door/recording", #"{"state":"idle"}"#)
        #expect(incomplete() == 1)
        publish("porch/hall/availability", #"{"state":"online","reason":"private"}"#)
        publish("porch/hall/recording", #"{"state":"idle"}"#)
        #expect(incomplete() == 0, "a private one may have no info")
        publish("porch/hall/availability", #"{"state":"online"}"#)
        #expect(incomplete() == 1)
        publish("porch/availability", #"{"state":"offline"}"#)
        #expect(incomplete() == 0)
    }

    @Test func eventsAreCounted() {
        makeAgent()
        for _ in 0..<2 { publish("porch/door/event", #"{"event":"shutter"}"#) }
        publish("porch/door/event", #"{"event":"recording_finished","recording":{"reason":"continued"}}"#)
        publish("porch/door/event", #"{"event":"recording_finished","recording":{"reason":"stopped"}}"#)
        publish("porch/door/event", #"{"event":"refused","node":"zoom","error":{"code":"held"}}"#)
        publish("porch/door/event", #"{"event":"refused","node":"zoom","error":{"code":"held"}}"#)
        publish("porch/door/event", #"{"event":"refused","node":"zoom","error":{"code":"busy"}}"#)
        publish("porch/door/event", #"{"event":"sound"}"#)
        publish("porch/door/event", "no JSON")
        let shown = samples()
        for sample in [
            #"v4l2mqtt_camera_photos_total{agent="porch",camera="door"} 2"#,
            #"v4l2mqtt_camera_recordings_total{agent="porch",camera="door",reason="stopped"} 1"#,
            #"v4l2mqtt_camera_refusals_total{agent="porch",camera="door",code="held"} 2"#,
            #"v4l2mqtt_camera_refusals_total{agent="porch",camera="door",code="busy"} 1"#,
        ] {
            #expect(shown.contains(sample), "\(sample)")
        }
    }

    @Test func whatIsOfflineHasItsReason() {
        makeAgent()
        publish("porch/door/availability", #"{"state":"offline","reason":"unplugged"}"#)
        var shown = samples()
        #expect(shown.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} 0"#))
        #expect(
            shown.contains(#"v4l2mqtt_camera_unavailable{agent="porch",camera="door",reason="unplugged"} 1"#))
        publish("porch/door/availability", #"{"state":"online"}"#)
        publish("porch/availability", #"{"state":"offline"}"#)
        shown = samples()
        #expect(shown.contains(#"v4l2mqtt_agent_up{agent="porch"} 0"#))
        #expect(shown.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} 0"#))
    }

    @Test func anOverdueAgentIsUnknown() {
        makeAgent()
        #expect(samples(after: 179).contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
        let overdue = samples(after: 180)
        #expect(overdue.contains(#"v4l2mqtt_agent_up{agent="porch"} NaN"#))
        #expect(overdue.contains(#"v4l2mqtt_agent_overdue{agent="porch"} 1"#))
        #expect(overdue.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} NaN"#))
        // A broker that is connected to again sends what it retains of cameras, also when the agent is gone.
        publish("porch/door/info", #"{"model":"Camera"}"#, after: 200)
        #expect(samples(after: 201).contains(#"v4l2mqtt_agent_up{agent="porch"} NaN"#))
        publish("porch/availability", #"{"state":"online","boot":7,"renew_s":60}"#, after: 202)
        #expect(samples(after: 381).contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
        // An agent of an earlier version promises nothing.
        publish("porch/availability", #"{"state":"online","boot":7}"#)
        #expect(samples(after: 100_000).contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
    }

    /// The exporter has begun after the broker deleted the availability of an agent that did not renew it.
    @Test func anAgentWithoutAvailabilityIsUnknown() {
        publish("porch/info", #"{"agent":"porch","cameras":["door"]}"#)
        publish("porch/door/info", #"{"model":"Camera"}"#)
        publish("porch/door/availability", #"{"state":"online"}"#)
        let unknown = samples()
        #expect(unknown.contains(#"v4l2mqtt_agent_up{agent="porch"} NaN"#))
        #expect(unknown.contains(#"v4l2mqtt_agent_overdue{agent="porch"} 1"#))
        #expect(unknown.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} NaN"#))
        publish("porch/availability", #"{"state":"offline"}"#)
        let offline = samples()
        #expect(offline.contains(#"v4l2mqtt_agent_up{agent="porch"} 0"#))
        #expect(offline.contains(#"v4l2mqtt_agent_overdue{agent="porch"} 0"#))
        #expect(offline.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} 0"#))
    }

    @Test func aCameraIsUnknownWithoutItsAvailabilityOrItsAgent() {
        publish("porch/availability", #"{"state":"online","boot":7}"#)
        for agent in ["porch", "hall"] { publish("\(agent)/info", #"{"cameras":["door"]}"#) }
        publish("porch/door/info", #"{"model":"Camera"}"#)
        publish("hall/door/availability", #"{"state":"online"}"#)
        #expect(samples().contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} NaN"#))
        #expect(samples().contains(#"v4l2mqtt_camera_up{agent="hall",camera="door"} NaN"#))
    }

    @Test func onlyCamerasThatTheirAgentListsAreShown() {
        makeAgent()
        publish("porch/ghost/availability", #"{"state":"online"}"#)
        publish("porch/ghost/info", #"{"model":"Ghost"}"#)
        #expect(!samples().contains { $0.contains("ghost") })
        #expect(samples().contains("v4l2mqtt_exporter_left_out_messages_total 2"))
    }

    @Test func whatWasRemovedWithoutAConnectionIsForgotten() {
        makeAgent()
        func makeHall() {
            publish("hall/availability", #"{"state":"online","boot":1}"#)
            publish("hall/info", #"{"cameras":["door"]}"#)
            publish("hall/door/info", #"{"model":"Camera"}"#)
        }
        makeHall()
        let before = samples().filter { $0.contains("porch") }
        fleet.disconnected()
        #expect(pass(0..<20, of: fleet).isEmpty)
        fleet.connected(at: start + .seconds(20))
        #expect(pass(20..<40, of: fleet).isEmpty, "the subscriptions are not answered")
        #expect(samples().filter { $0.contains("porch") } == before)
        fleet.subscribed(at: start + .seconds(40))
        makeHall()
        // Each agent is read twice.
        pass(40..<44, of: fleet)
        #expect(samples().filter { $0.contains("porch") } == before)
        #expect(pass(44..<60, of: fleet) == [1], "a state of the camera in the hall is missing")
        let settled = samples()
        #expect(!settled.contains { $0.contains("porch") })
        #expect(settled.contains(#"v4l2mqtt_agent_up{agent="hall"} 1"#))
        #expect(settled.contains(#"v4l2mqtt_camera_info{agent="hall",camera="door",model="Camera"} 1"#))
    }

    @Test func anExporterWithoutAConnectionCallsNoAgentOverdue() {
        makeAgent()
        fleet.disconnected()
        #expect(samples(after: 500).contains(#"v4l2mqtt_agent_overdue{agent="porch"} 0"#))
    }

    @Test func agentsAndCamerasHaveALimit() {
        let fleet = FleetMetrics(baseTopic: "v4l2mqtt", limit: 2)
        func shown() -> [Substring] {
            fleet.text(at: start).split(separator: "\n").filter {
                $0.hasPrefix("v4l2mqtt_agent_boot") || $0.hasPrefix("v4l2mqtt_camera_info")
            }
        }
        func lines(of names: String...) -> [String] {
            names.map { "v4l2mqtt_agent_boot{agent=\"\($0)\"} 1" }
                + names.map { "v4l2mqtt_camera_info{agent=\"\($0)\",camera=\"c\",model=\"m\"} 1" }
        }
        func add(_ names: String...) {
            for name in names {
                publish("\(name)/availability", #"{"state":"online","boot":1}"#, to: fleet)
                publish("\(name)/info", #"{"cameras":["c"]}"#, to: fleet)
                publish("\(name)/c/info", #"{"model":"m"}"#, to: fleet)
            }
        }
        connect(fleet)
        add("a", "b", "c")
        #expect(shown().map(String.init) == lines(of: "a", "b"))
        #expect(fleet.text(at: start).contains("v4l2mqtt_exporter_left_out_messages_total 3\n"))
        // A removed one gives its place to another one.
        publish("a/availability", "", to: fleet)
        publish("a/info", "", to: fleet)
        add("c")
        #expect(shown().map(String.init) == lines(of: "b", "c"))
        // So do those of which nothing came again.
        fleet.disconnected()
        connect(fleet, after: 10)
        pass(10..<30, of: fleet)
        add("d", "e", "f")
        #expect(shown().map(String.init) == lines(of: "d", "e"))
    }

    @Test func withoutABrokerNothingIsKnown() {
        makeAgent()
        fleet.disconnected()
        let shown = samples()
        #expect(shown.contains("v4l2mqtt_exporter_connected 0"))
        #expect(shown.contains(#"v4l2mqtt_agent_up{agent="porch"} NaN"#))
        #expect(shown.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} NaN"#))
    }

    @Test func whatIsRemovedIsGone() {
        makeAgent()
        for topic in ["availability", "info", "door/availability", "door/info"] {
            publish("porch/\(topic)", "")
        }
        #expect(!samples().contains { $0.contains("porch") })
    }

    @Test(arguments: [
        "porch/door/zoom/set", "Porch/door/info", "porch/../info", "porch//info", "porch/a b/availability",
    ])
    func otherTopicsAreLeftOut(topic: String) {
        publish(topic, #"{"state":"online","model":"x"}"#)
        #expect(samples().contains("v4l2mqtt_exporter_left_out_messages_total 1"))
        #expect(!samples().contains { $0.contains("camera=") || $0.contains("agent=") })
    }

    @Test(arguments: [
        "no JSON", "[]", "null", "17", #"{"state":17}"#, #"{"state":"online","boot":"x"}"#,
        #"{"model":{}}"#, #"{"frames":"1"}"#, "\u{0}",
    ])
    func badMessagesHarmNothing(payload: String) {
        makeAgent()
        for node in ["info", "availability", "diagnostics", "recording", "event"] {
            publish("porch/door/\(node)", payload)
        }
        publish("hall/availability", payload)
        #expect(samples().contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
    }

    @Test func strangersCannotMakeAnyNumberOfSeries() {
        makeAgent()
        for number in 0..<100 {
            publish("porch/door/event", #"{"event":"refused","error":{"code":"c\#(number)"}}"#)
        }
        publish(
            "porch/door/event",
            #"{"event":"refused","error":{"code":"\#(String(repeating: "x", count: 500))"}}"#)
        #expect(samples().count { $0.hasPrefix("v4l2mqtt_camera_refusals_total") } == 33)
        publish("porch/door/info", "{\"model\":\"\(String(repeating: "m", count: 70_000))\"}")
        #expect(samples().contains("v4l2mqtt_exporter_left_out_messages_total 1"))
    }

    /// Each metric has its comments once and before its samples, as Prometheus requires.
    @Test func commentsComeBeforeSamples() {
        makeAgent()
        publish("hall/availability", #"{"state":"online","boot":1}"#)
        var described: Set<String> = []
        var current = ""
        for line in fleet.text(at: start).split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP") {
                current = String(words[2])
                #expect(described.insert(current).inserted)
            } else if line.hasPrefix("# TYPE") {
                #expect(words[2] == current)
            } else {
                #expect(line.hasPrefix("\(current){") || line.hasPrefix("\(current) "))
            }
        }
    }
}
