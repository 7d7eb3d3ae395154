import Exporter
import MQTTBus
import Testing

@Suite struct FleetMetricsTests {
    private let fleet = FleetMetrics(baseTopic: "v4l2mqtt")
    private let start = ContinuousClock.now

    init() { fleet.connected() }

    private func publish(_ topic: String, _ payload: String, after seconds: Int = 0) {
        fleet.receive(
            BusMessage(
                topic: "v4l2mqtt/\(topic)", payload: Array(payload.utf8), qos: .atMostOnce, isRetained: true),
            at: start + .seconds(seconds), seconds: 1_700_000_000 + Double(seconds))
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

    @Test func eventsAreCounted() {
        makeAgent()
        for _ in 0..<2 { publish("porch/door/event", #"{"event":"shutter"}"#) }
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
        #expect(samples(after: 180).contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
        let overdue = samples(after: 181)
        #expect(overdue.contains(#"v4l2mqtt_agent_up{agent="porch"} NaN"#))
        #expect(overdue.contains(#"v4l2mqtt_agent_overdue{agent="porch"} 1"#))
        #expect(overdue.contains(#"v4l2mqtt_camera_up{agent="porch",camera="door"} NaN"#))
        // A broker that is connected to again sends what it retains of cameras, also when the agent is gone.
        publish("porch/door/info", #"{"model":"Camera"}"#, after: 200)
        #expect(samples(after: 201).contains(#"v4l2mqtt_agent_up{agent="porch"} NaN"#))
        publish("porch/availability", #"{"state":"online","boot":7,"renew_s":60}"#, after: 202)
        #expect(samples(after: 382).contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
        // An agent of an earlier version promises nothing.
        publish("porch/availability", #"{"state":"online","boot":7}"#)
        #expect(samples(after: 100_000).contains(#"v4l2mqtt_agent_up{agent="porch"} 1"#))
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
