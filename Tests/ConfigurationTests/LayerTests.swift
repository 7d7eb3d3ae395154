import Testing

@testable import Configuration
@testable import Settings

@Suite struct LayerTests {
    @Test func laterLayersWin() throws {
        let yaml = "mqtt: { host: file, port: 1, base_topic: file }"
        let environment = ["V4L2MQTT_MQTT_PORT": "2", "V4L2MQTT_MQTT_BASE_TOPIC": "environment"]
        let flags = [("mqtt.base_topic", "earlier"), ("mqtt.base_topic", "flag")]
        let configuration = try load(yaml, environment: environment, flags: flags).get()
        #expect(configuration.settings.mqtt.host == "file")
        #expect(configuration.settings.mqtt.port == 2)
        #expect(configuration.settings.mqtt.baseTopic == "flag")
        let text = configuration.effective()
        #expect(text.contains("port: 2  # environment variable V4L2MQTT_MQTT_PORT\n"))
        #expect(text.contains("base_topic: flag  # --set mqtt.base_topic\n"))
        #expect(text.contains("keepalive_s: 15  # default\n"))
    }

    @Test func everyKeyCanBeSetByItsVariable() {
        for key in Keys.all {
            // Neither a value of a scalar key nor YAML: the error shows that the variable was recognised.
            let variable = key.variable(camera: 0)
            let lines = load(environment: [variable: "\u{7}"]).lines
            let wrongValue =
                "environment variable \(variable): expected \(key.expected), found \"\\u{07}\""
            let wrongYAML =
                "environment variable \(variable): not text: control characters are not allowed"
            #expect(lines.contains(wrongValue) || lines.contains(wrongYAML), "\(key.path)")
        }
    }

    @Test func aGroupOfKeysMayHaveTheValueOfItsShortForm() throws {
        #expect(try load().get().settings.clients == ClientSettings(mode: .open, delegates: []))
        let both = ClientSettings(mode: .proved, delegates: ["console"])
        #expect(try load("clients: proved").get().settings.clients.mode == .proved)
        #expect(try load("clients: 'proved'").get().settings.clients.mode == .proved)
        #expect(try load("clients: { mode: proved, delegates: [console] }").get().settings.clients == both)
        let environment = ["V4L2MQTT_CLIENTS": "proved", "V4L2MQTT_CLIENTS_DELEGATES": "[console]"]
        #expect(try load(environment: environment).get().settings.clients == both)
        // Layers by key, whichever form each has.
        let layered = load(
            "clients: open", environment: ["V4L2MQTT_CLIENTS_DELEGATES": "[console]"],
            flags: [("clients", "proved")])
        #expect(try layered.get().settings.clients == both)
        #expect(try layered.get().effective().contains("mode: proved  # --set clients\n"))
        #expect(try load("clients:").get().settings.clients.mode == .open)
    }

    @Test func camerasAreNumbered() throws {
        let yaml = "cameras: [{ id: door, zoom: { max: 4 } }]"
        var environment = ["V4L2MQTT_CAMERAS_0_ZOOM_MAX": "6"]
        for index in 1...11 { environment["V4L2MQTT_CAMERAS_\(index)_ID"] = "camera-\(index)" }
        environment["V4L2MQTT_CAMERAS_1_GROUPS"] = "[one, two]"
        environment["V4L2MQTT_CAMERAS_1_SOURCE"] = "[{v4l2: /dev/video0}, simulated]"
        let cameras = try load(yaml, environment: environment, flags: [("cameras.1.zoom.min", "2")]).get()
            .settings.cameras
        #expect(cameras.map(\.id) == ["door"] + (1...11).map { "camera-\($0)" })
        #expect(cameras[0].zoom == 1...6)
        #expect(cameras[1].groups == ["one", "two"])
        #expect(cameras[1].sources == [.v4l2(path: "/dev/video0"), .simulated])
        #expect(cameras[1].zoom == 2...8)
    }

    @Test func theDefaultCameraCanBeRefined() throws {
        let cameras = try load(environment: ["V4L2MQTT_CAMERAS_0_ZOOM_MAX": "3"]).get().settings.cameras
        #expect(cameras.map(\.id) == ["camera"])
        #expect(cameras[0].zoom == 1...3)
    }

    @Test func gapsAreRefused() {
        #expect(
            load(environment: ["V4L2MQTT_CAMERAS_2_ID": "x"]).lines == [
                "environment variable V4L2MQTT_CAMERAS_2_ID: there are cameras 0 to 0, so the next can only be 1"
            ])
        #expect(
            load(flags: [("cameras.1024.id", "x")]).lines == [
                "--set cameras.1024.id: there are cameras 0 to 0, so the next can only be 1"
            ])
    }

    @Test func valuesOfVariablesAreTakenLiterally() throws {
        let mqtt = try load(environment: [
            "V4L2MQTT_MQTT_USERNAME": "null", "V4L2MQTT_MQTT_CLIENT_ID": "\"a\": [#b",
        ]).get().settings.mqtt
        #expect(mqtt.username == "null")
        #expect(mqtt.clientID == "\"a\": [#b")
    }

    @Test func anEmptyVariableIsNotSet() throws {
        #expect(try load(environment: ["V4L2MQTT_MQTT_PORT": ""]).get().settings.mqtt.port == 1883)
    }

    @Test func otherProgramsVariablesAreNotOurs() throws {
        #expect(try load(environment: ["PATH": "/bin", "V4L2_PORT": "x"]).get().settings.mqtt.port == 1883)
    }

    @Test func wrongValuesNameTheVariableOrFlag() {
        #expect(
            load(environment: ["V4L2MQTT_MQTT_PORT": "abc"], flags: [("zoom.live_rate", "fast")]).lines == [
                "environment variable V4L2MQTT_MQTT_PORT: expected a whole number from 1 to 65535, found \"abc\"",
                "--set zoom.live_rate: expected a number from 1 to 120, found \"fast\"",
            ])
    }

    @Test func aWrongValueInTheFileIsReportedEvenWhenItIsOverridden() {
        #expect(load("mqtt: { port: x }", flags: [("mqtt.port", "1")]).lines.count == 1)
    }
}
