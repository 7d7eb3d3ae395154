import Testing

@testable import Configuration

@Suite struct UnknownKeyTests {
    static let mqttKeys =
        "host, port, hosts, order, connect_timeout_s, protocol, base_topic, response_topics, client_id, username, password_file, keepalive_s, spread_s, tls"
    static let rootKeys =
        "agent, agent_name, mqtt, clients, state_file, state_sync, captures, recordings, log, zoom, limits, home_assistant, libcamera, devices, cameras"

    @Test(arguments: [
        (
            "mqtt: { hots: a }",
            "unknown key \"mqtt.hots\"; did you mean \"mqtt.host\"? (known here: \(mqttKeys))"
        ),
        (
            "mqtt: { password: a }",
            "unknown key \"mqtt.password\"; did you mean \"mqtt.password_file\"? (known here: \(mqttKeys))"
        ),
        ("mqtt: { xyzzy: a }", "unknown key \"mqtt.xyzzy\" (known here: \(mqttKeys))"),
        (
            "keepalive_s: 5",
            "unknown key \"keepalive_s\"; did you mean \"mqtt.keepalive_s\"? (known here: \(rootKeys))"
        ),
        ("camera: []", "unknown key \"camera\"; did you mean \"cameras\"? (known here: \(rootKeys))"),
        ("homekit: { discovery: true }", "unknown key \"homekit\" (known here: \(rootKeys))"),
        (
            "cameras: [{ id: a, zoom: { mx: 2 } }]",
            "unknown key \"cameras.0.zoom.mx\"; did you mean \"cameras.0.zoom.max\"? (known here: min, max, calibration, continuous_rate, continuous_max)"
        ),
    ])
    func aKeyThatDoesNotExistIsNamed(yaml: String, message: String) {
        #expect(load(yaml).lines == ["porch.yaml:1: " + message])
    }

    @Test func variablesAndFlags() {
        let outcome = load(
            environment: [
                "V4L2MQTT_MQTT_HOTS": "a", "V4L2MQTT_CAMERAS_3_ZOM_MAX": "2",
                "V4L2MQTT_MQTT_PASSWORD": "hush",
                "V4L2MQTT_SOMETHING_ELSE": "",
            ],
            flags: [
                ("mqtt.prot", "1"), ("live_rate", "1"), ("", ""), ("cameras.x.id", "a"), ("cameras", "[]"),
            ])
        #expect(
            outcome.lines == [
                "environment variable V4L2MQTT_CAMERAS_3_ZOM_MAX: no key has this name; did you mean V4L2MQTT_CAMERAS_3_ZOOM_MAX?",
                "environment variable V4L2MQTT_MQTT_HOTS: no key has this name; did you mean V4L2MQTT_MQTT_HOST?",
                "environment variable V4L2MQTT_MQTT_PASSWORD: no key has this name; did you mean V4L2MQTT_MQTT_PASSWORD_FILE?",
                "environment variable V4L2MQTT_SOMETHING_ELSE: no key has this name",
                "--set mqtt.prot: unknown key; did you mean \"mqtt.port\"?",
                "--set live_rate: unknown key; did you mean \"zoom.live_rate\"?",
                "--set : unknown key",
                "--set cameras.x.id: unknown key; did you mean \"cameras.0.id\"?",
                "--set cameras: unknown key; did you mean \"cameras.0.id\"?",
            ])
    }

    @Test func elementsOfListsHaveNoNames() {
        let outcome = load(
            environment: ["V4L2MQTT_CAMERAS_0_GROUPS_1": "x", "V4L2MQTT_MQTT_PORT_1": "1"],
            flags: [("mqtt.hosts.0", "a"), ("cameras.1.groups.0", "x")])
        let (instead, names) = (
            "elements of a list have no names of their own: set", "a list of names, such as [outside, street]"
        )
        #expect(
            outcome.lines == [
                "environment variable V4L2MQTT_CAMERAS_0_GROUPS_1: \(instead) V4L2MQTT_CAMERAS_0_GROUPS to \(names)",
                "environment variable V4L2MQTT_MQTT_PORT_1: no key has this name; did you mean V4L2MQTT_MQTT_PORT?",
                "--set mqtt.hosts.0: \(instead) mqtt.hosts to a list of at most 16 hosts, such as [a.example, b.example:1884, \"[::1]:1884\"]",
                "--set cameras.1.groups.0: \(instead) cameras.1.groups to \(names)",
            ])
    }

    @Test func aKeyThatWasRemovedSaysWhatToDoInstead() {
        let words = "samples count 0.2 each in limits.total_commands_per_second"
        #expect(
            load("limits: { total_samples_per_second: 5 }").lines == [
                "porch.yaml:1: \"limits.total_samples_per_second\" was removed: \(words)"
            ])
        #expect(
            load(
                environment: ["V4L2MQTT_LIMITS_TOTAL_SAMPLES_PER_SECOND": "5"],
                flags: [("limits.total_samples_per_second", "5")]
            ).lines == [
                "environment variable V4L2MQTT_LIMITS_TOTAL_SAMPLES_PER_SECOND: the key limits.total_samples_per_second was removed: \(words)",
                "--set limits.total_samples_per_second: it was removed: \(words)",
            ])
    }

    @Test func aKeyGivenTwiceIsRefused() {
        #expect(
            load("mqtt:\n  port: 1\n  host: a\n  port: 2\n").lines == [
                "porch.yaml:4: the key \"port\" is given twice; the first is on line 2"
            ])
    }

    @Test func allErrorsAreListedInTheirOrder() {
        let lines = load(
            "agent: A\nmqtt:\n  port: x\n  prt: 1\nmqtt: {}\ncameras:\n  - id: a\n  - zoom: { max: 0 }\n",
            environment: ["V4L2MQTT_LOG_LEVEL": "x"], flags: [("log.format", "x")]
        ).lines
        #expect(
            lines.map { $0.prefix(13) } == [
                "porch.yaml:1:", "porch.yaml:3:", "porch.yaml:4:", "porch.yaml:5:", "porch.yaml:8:",
                "porch.yaml:8:", "environment v", "--set log.for",
            ])
    }

    @Test func onlyTheFirstErrorsAreListed() {
        let yaml = (0..<500).map { "mqtt\($0): [" + String($0) + "]\n" }.joined()
        let errors = LoadedConfiguration.problems(in: Array(yaml.utf8), name: "x")
        #expect(errors.count == 100)
    }
}
