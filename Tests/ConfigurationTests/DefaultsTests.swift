import TestSupport
import Testing

@testable import Configuration
@testable import Settings

@Suite struct DefaultsTests {
    @Test(arguments: ["", "\n# only a comment\n", "---\n", "mqtt:\ncameras:\n  - id: camera\n"])
    func anEmptyFileGivesTheDefaults(yaml: String) throws {
        #expect(try load(yaml).get().effective().isEmpty == false)
    }

    @Test(arguments: [
        ("Porch.LAN", "porch-lan"), ("groups", "agent"), ("", "agent"), ("tür", "t--r"),
        (String(repeating: "x", count: 80), String(repeating: "x", count: 64)),
    ])
    func theHostNameBecomesAValidName(host: String, agent: String) throws {
        let configuration = try LoadedConfiguration.load(
            file: nil, environment: [:], overrides: [], hostName: host)
        #expect(configuration.settings.agent == agent)
    }

    @Test func theSampleReadsAsTheDefaults() throws {
        let sample = Keys.sample()
        #expect(
            try load(sample).get().effective().strippedOfNotes == load().get().effective().strippedOfNotes)
        for key in Keys.all { #expect(sample.contains(key.help)) }
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
        #expect(second.settings.mqtt.username == #"a "quoted" \ name: #1"#)
    }

    @Test func differencesNameEachCameraByItsId() throws {
        #expect(try load().get().differences() == "# Each key has its default:\n")
        let folder = TemporaryFolder()
        let yaml = """
            mqtt: { host: b.lan, port: 1883, keepalive_s: 15 }
            cameras:
              - id: door
              - { id: yard, zoom: { max: 4 } }
            """
        let place = folder.path + "/porch.yaml"
        #expect(
            try load(yaml, flags: [("cameras.1.groups", "[a]")], in: folder).get().differences() == """
                # These keys differ from the defaults:
                #   mqtt.host: b.lan  (\(place):1)
                #   mqtt.port: 1883  (\(place):1)
                #   cameras.door.id: door  (\(place):3)
                #   cameras.yard.id: yard  (\(place):4)
                #   cameras.yard.groups: [a]  (--set cameras.1.groups)
                #   cameras.yard.zoom.max: 4  (\(place):4)
                # All keys:

                """)
    }

    @Test func aServiceAndAUserHaveTheirFolders() throws {
        let folders = { (environment: [String: String]) throws in
            let settings = try load(environment: environment).get().settings
            return [
                settings.stateFile, settings.captures.folder.directory, settings.recordings.folder.directory,
            ]
        }
        #expect(
            try folders(["STATE_DIRECTORY": "/srv/cam:/srv/other"])
                == ["/srv/cam/state.json", "/srv/cam/captures", "/srv/cam/recordings"])
        #expect(
            try folders(["STATE_DIRECTORY": "/srv/cam", "V4L2MQTT_STATE_FILE": "/srv/state.json"])
                == ["/srv/state.json", "/srv/cam/captures", "/srv/cam/recordings"])
    }

    @Test func everyKeyHasItsLineInTheEffectiveText() throws {
        let names = try load().get().effective().split(separator: "\n").map {
            $0.drop { " #-".contains($0) }.prefix { $0 != ":" }
        }
        for key in Keys.all {
            let name = key.path.split(separator: ".").last
            #expect(names.contains { $0 == name }, "\(key.path)")
        }
    }

    @Test func noTwoKeysShareAVariable() {
        let variables = Keys.all.map { $0.variable(camera: 0) }
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
