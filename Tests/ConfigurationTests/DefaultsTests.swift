import Configuration
import Testing

@Suite struct DefaultsTests {
    @Test func nothingSaidGivesTheDocumentedDefaults() throws {
        let configuration = try load().get()
        #expect(configuration.agent == "test")
        #expect(configuration.mqtt.host == "127.0.0.1")
        #expect(configuration.mqtt.port == 1883)
        #expect(configuration.mqtt.protocolVersion == .v5)
        #expect(configuration.mqtt.baseTopic == "v4l2mqtt")
        #expect(configuration.mqtt.clientID == "v4l2mqtt-test")
        #expect(configuration.mqtt.username == nil)
        #expect(configuration.mqtt.password == nil)
        #expect(configuration.mqtt.keepalive == 15)
        #expect(configuration.mqtt.tls == nil)
        #expect(configuration.stateFile == "/var/lib/v4l2mqtt/state.json")
        #expect(configuration.captures.directory == "/var/lib/v4l2mqtt/captures")
        #expect(configuration.captures.maxBytes == 2 << 30)
        #expect(!configuration.captures.retainImage)
        #expect(configuration.log.level == .info)
        #expect(configuration.log.format == .text)
        #expect(configuration.homeAssistant.discovery)
        #expect(configuration.homeAssistant.prefix == "homeassistant")
        #expect(configuration.homeAssistant.previewRate == nil)
        #expect(configuration.zoom.liveRate == 30)
        #expect(configuration.zoom.gestureTimeout == .seconds(2))
        let camera = try #require(configuration.cameras.first)
        #expect(configuration.cameras.count == 1)
        #expect(camera.id == "camera")
        #expect(camera.sources == [.simulated])
        #expect(camera.image == nil)
        #expect(camera.groups == [])
        #expect(camera.zoom == 1...8)
        #expect(camera.simulation.opticalMax == 2)
        #expect(camera.simulation.lensSpeed == 0)
        #expect(camera.simulation.writeLatency == .zero)
        #expect(camera.simulation.frameRate == 30)
        #expect(camera.simulation.width == nil)
        #expect(camera.simulation.height == nil)
        #expect(camera.simulation.fault == .none)
    }

    @Test(arguments: ["", "\n# only a comment\n", "---\n", "mqtt:\ncameras:\n  - id: camera\n"])
    func anEmptyFileIsAsNone(yaml: String) throws {
        #expect(try load(yaml).get().effective().isEmpty == false)
    }

    @Test(arguments: [
        ("Porch.LAN", "porch-lan"), ("groups", "agent"), ("", "agent"), ("tür", "t--r"),
        (String(repeating: "x", count: 80), String(repeating: "x", count: 64)),
    ])
    func theHostNameBecomesAValidName(host: String, agent: String) throws {
        let configuration = try Configuration.load(
            file: nil, environment: [:], overrides: [], hostName: host)
        #expect(configuration.agent == agent)
    }

    @Test func theSampleReadsAsTheDefaults() throws {
        let sample = Configuration.sample()
        #expect(
            try load(sample).get().effective().strippedOfNotes == load().get().effective().strippedOfNotes)
        for key in Configuration.keys { #expect(sample.contains(key.help)) }
    }

    @Test func theEffectiveTextReadsAsTheSameConfiguration() throws {
        let folder = TemporaryFolder()
        for name in ["ca.pem", "cert.pem", "key.pem", "picture.jpg"] { folder.write("x", to: name) }
        folder.write("s3cret\n", to: "password")
        let yaml = """
            agent: porch
            mqtt:
              host: "::1"
              protocol: 3.1.1
              base_topic: "haus/tür 1"
              username: 'a "quoted" \\ name: #1'
              password_file: password
              tls: { ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem }
            captures: { max_bytes: 1536K, retain_image: true }
            zoom: { live_rate: 12.5 }
            cameras:
              - id: door
                source: [{ v4l2: /dev/video0 }, { serial: "46D-0892" }, simulated]
                image: picture.jpg
                groups: [outside, "1"]
              - id: yard
                simulated: { inject_fault: write_error }
            """
        let first = try load(yaml, in: folder).get()
        let text = first.effective()
        #expect(!text.contains("s3cret"))
        #expect(!"\(first)".contains("s3cret"))
        #expect(text.contains("  host: \"::1\"  # \(folder.path)/porch.yaml:3\n"))
        #expect(text.contains("    ca_file: \(folder.path)/ca.pem  # "))
        #expect(text.contains("  - id: door  # "))
        #expect(text.contains("  port: 8883  # default\n"))
        let second = try load(text, in: folder).get()
        #expect(second.effective().strippedOfNotes == text.strippedOfNotes)
        #expect(second.mqtt.username == #"a "quoted" \ name: #1"#)
    }

    @Test func everyKeyHasItsLineInTheEffectiveText() throws {
        let names = try load().get().effective().split(separator: "\n").map {
            $0.drop { " #-".contains($0) }.prefix { $0 != ":" }
        }
        for key in Configuration.keys {
            let name = key.path.split(separator: ".").last
            #expect(names.contains { $0 == name }, "\(key.path)")
        }
    }

    @Test func noTwoKeysShareAVariable() {
        let variables = Configuration.keys.map(\.variable)
        #expect(Set(variables).count == variables.count)
    }
}

extension String {
    /// The lines without the comments beside them.
    fileprivate var strippedOfNotes: [String] {
        split(separator: "\n").map { line in
            guard let note = line.lastRange(of: "  # ") else { return String(line) }
            return String(line[..<note.lowerBound])
        }
    }
}

extension Substring {
    fileprivate func lastRange(of part: String) -> Range<Index>? { ranges(of: part).last }
}
