import Contract
import Settings
import TestSupport
import Testing

@testable import Configuration

/// The layer of the fleet: what it may set, and over which layers it wins.
@Suite struct FleetConfigurationTests {
    private func load(
        _ document: String, file: String? = nil, environment: [String: String] = [:],
        flags: [(String, String)] = [], in folder: TemporaryFolder = TemporaryFolder()
    ) throws -> LoadedConfiguration {
        let name = file.map { folder.write($0, to: "porch.yaml") }
        return try LoadedConfiguration.load(
            file: name, environment: environment, overrides: flags, hostName: "test",
            fleet: { _ in Array(document.utf8) })
    }

    /// Why a document is refused; nil: it isn't.
    private func refusal(
        _ document: String, file: String? = nil, environment: [String: String] = [:]
    ) throws -> FleetRefusal? {
        switch try load(document, file: file, environment: environment).fleet {
        case .refused(let refusal)?: refusal
        case .applied?, nil: nil
        }
    }

    private func document(_ text: String) throws -> FleetConfiguration {
        try FleetConfiguration(Array(text.utf8))
    }

    @Test func itWinsOverTheFileAndLosesAgainstEnvironmentAndFlags() throws {
        let configuration = try load(
            #"{"version": 7, "config": {"zoom": {"live_rate": 10}, "limits": {"photos_per_minute": 20, "commands_per_second": 30}, "log": {"level": "debug"}}}"#,
            file: """
                agent: porch
                zoom: { live_rate: 5, gesture_timeout_ms: 500 }
                limits: { photos_per_minute: 5 }
                log: { level: error }
                """,
            environment: ["V4L2MQTT_LIMITS_PHOTOS_PER_MINUTE": "21"],
            flags: [("limits.commands_per_second", "31")])
        let settings = configuration.settings
        #expect(settings.zoom.liveRate == 10 && settings.zoom.gestureTimeout == .milliseconds(500))
        #expect(settings.limits.photoRate == 21 && settings.limits.commandRate == 31)
        #expect(settings.log.level == .debug && settings.agent == "porch")
        let shown = configuration.effective()
        #expect(shown.contains("live_rate: 10  # fleet/config version 7\n"))
        #expect(
            shown.contains(
                "photos_per_minute: 21  # environment variable V4L2MQTT_LIMITS_PHOTOS_PER_MINUTE\n"))
        guard case .applied(let fleet)? = configuration.fleet else {
            Issue.record("not applied")
            return
        }
        #expect(fleet.version == 7)
    }

    @Test func whatTheDeviceHasAlreadyStaysWhenADocumentIsRefused() throws {
        let configuration = try load(
            #"{"version": 7, "config": {"log": {"level": "debug"}, "zoom": {"live_rate": 500}}}"#,
            file: "log: { level: error }")
        #expect(configuration.settings.log.level == .error && configuration.settings.zoom.liveRate == 30)
        guard case .refused(let refusal)? = configuration.fleet else {
            Issue.record("not refused")
            return
        }
        #expect(
            refusal
                == FleetRefusal(
                    version: 7,
                    error: CommandError(
                        .badPayload, "expected a number from 1 to 120, found \"500\"", field: "zoom.live_rate"
                    ))
        )
    }

    /// By the table of the keys: nothing by which an agent reaches the broker, proves itself, decides who may
    /// command it, or finds its devices and files.
    @Test func noFleetCanTakeADeviceAway() throws {
        let own = [
            "agent", "agent_name", "mqtt.host", "mqtt.port", "mqtt.hosts", "mqtt.order",
            "mqtt.connect_timeout_s",
            "mqtt.protocol", "mqtt.base_topic", "mqtt.response_topics", "mqtt.client_id", "mqtt.username",
            "mqtt.password_file", "mqtt.tls.enabled", "mqtt.tls.ca_file", "mqtt.tls.cert_file",
            "mqtt.tls.key_file", "clients.mode", "clients.delegates", "state_file", "captures.directory",
            "recordings.directory", "home_assistant.prefix", "home_assistant.client", "libcamera",
        ]
        let keys = Keys.all.map(\.path)
        let permitted = Keys.table().split(separator: "\n").compactMap { line -> String? in
            guard line.contains(" ‡") else { return nil }
            return line.split(separator: "`").dropFirst().first.map(String.init)
        }
        #expect(permitted == keys.filter { !own.contains($0) && !$0.hasPrefix("cameras[]") })
        for path in own {
            let names = path.split(separator: ".")
            let opening = names.map { "{\"\($0)\": " }.joined()
            let closing = String(repeating: "}", count: names.count)
            let found = try refusal("{\"version\": 1, \"config\": \(opening)1\(closing)}")
            #expect(found?.error.code == .forbidden, "\(path)")
            #expect(found?.error.field.map { path == $0 || path.hasPrefix("\($0).") } == true, "\(path)")
        }
        let cameras = try refusal(#"{"version": 1, "config": {"cameras": [{"id": "door"}]}}"#)
        #expect(cameras?.error.code == .forbidden && cameras?.error.field == "cameras")
        #expect(try refusal(#"{"version": 1, "config": {"clients": "open"}}"#)?.error.field == "clients")
    }

    @Test(arguments: [
        ("", nil, "isn't valid JSON"),
        ("version: 1", nil, "isn't valid JSON"),
        (#"{version: 11, config: {}}"#, nil, "isn't valid JSON"),
        (#"{"version": 11, "config": {}} # a comment"#, nil, "isn't valid JSON"),
        (#"{'version': 11, 'config': {}}"#, nil, "isn't valid JSON"),
        ("[]", nil, "expected a JSON object with version and config"),
        ("{", nil, "line 1, column 1: "),
        (#"{"config": {}}"#, "version", "required: a whole number from 1"),
        (#"{"version": 0, "config": {}}"#, "version", "expected a whole number from 1 to"),
        (#"{"version": "1", "config": {}}"#, "version", "in quotes"),
        (#"{"version": 1}"#, "config", "required: an object"),
        (#"{"version": 1, "config": 1}"#, "config", "expected an object"),
        (#"{"version": 1, "config": {}, "more": 1}"#, "more", "unknown field \"more\""),
        (#"{"version": 1, "reset": 1, "config": {}}"#, "reset", "expected true or false"),
        (#"{"version": 1, "config": {"log": "debug"}}"#, "log", "expected an object"),
        (
            #"{"version": 1, "config": {"log": {"levle": "debug"}}}"#, "log.levle",
            "did you mean \"log.level\"?"
        ),
        (#"{"version": 1, "config": {"log": {"level": "debug", "level": "info"}}}"#, nil, "duplicate"),
        (#"{"version": 1, "version": 2, "config": {}}"#, nil, "duplicate"),
        (#"{"version": 1.5, "config": {}}"#, "version", "expected a whole number from 1 to"),
        (#"{"version": 1, "config": {"log": null}}"#, "log", "expected an object"),
        (
            #"{"version": 1, "config": {"zoom.live_rate": 5}}"#, "zoom.live_rate",
            #"keys are nested: write zoom: { live_rate: … } in place of "zoom.live_rate""#
        ),
        (
            #"{"version": 1, "config": {"zoom": {"zoom.live_rate": 5}}}"#, "zoom.zoom.live_rate",
            #"did you mean "zoom.live_rate"?"#
        ),
    ])
    func aBadDocumentIsRefusedWithItsKey(text: String, key: String?, words: String) throws {
        let found = try #require(try refusal(text))
        #expect(found.error.code == .badPayload && found.error.field == key, "\(found)")
        #expect(found.error.message.contains(words), "\(found.error.message)")
    }

    /// As a schema of JSON has it: 13.0 is a whole number.
    @Test func wholeNumbersMayHaveAFractionOfZero() throws {
        #expect(try document(#"{"version": 13.0, "config": {}}"#).version == 13)
        #expect(try document(#"{"version": 1.3e1, "config": {}}"#).version == 13)
        let configuration = try load(
            #"{"version": 2.0, "config": {"zoom": {"live_rate": 12.5}, "limits": {"photos_per_minute": 20.0}}}"#
        )
        #expect(configuration.settings.zoom.liveRate == 12.5)
        #expect(configuration.settings.limits.photoRate == 20)
    }

    @Test func longNamesAreNamesToo() throws {
        let name = String(repeating: "n", count: 2_000)
        #expect(try refusal("{\"version\": 1, \"config\": {\"\(name)\": 1}}")?.error.field == name)
    }

    /// Such a key exists: the message does not say that it is unknown.
    @Test func aKeyInOneWordThatTheFleetMayNotSetIsForbidden() throws {
        let found = try refusal(#"{"version": 1, "config": {"mqtt.host": "192.0.2.1"}}"#)
        #expect(found?.error.code == .forbidden && found?.error.field == "mqtt.host")
    }

    @Test func aDocumentThatIsTooLargeIsNotRead() throws {
        let spaces = String(repeating: " ", count: FleetConfiguration.maximumSize)
        #expect(try refusal(spaces + "{}")?.error.code == .tooLarge)
    }

    /// JSON as programs write it, also with tabs.
    @Test func jsonIsReadInEveryLayout() throws {
        let text = "\t{\r\n\t\"version\":7,\"config\":{\"log\":\n\t{\"level\" : \"deb\\u0075g\"}}}\n"
        #expect(try load(text).settings.log.level == .debug)
    }

    @Test func aDocumentThatContradictsTheDeviceIsRefused() throws {
        let text = #"{"version": 3, "config": {"recordings": {"max_bytes": "1G"}}}"#
        #expect(try refusal(text) == nil)
        let found = try refusal(text, file: "recordings: { max_file_bytes: 2G }")
        #expect(found?.version == 3 && found?.error.field == "recordings.max_file_bytes")
        #expect(found?.error.message == "expected at most recordings.max_bytes, which is 1G")
    }

    /// Its own errors are reported, not those of the document.
    @Test func aDeviceWithErrorsReportsThem() {
        #expect(throws: ConfigurationErrors.self) {
            try load(#"{"version": 3, "config": {}}"#, file: "log: { level: loud }")
        }
    }

    @Test func versionsRise() throws {
        let seven = try document(#"{"version": 7, "config": {}}"#)
        #expect(seven.problem(after: nil) == nil)
        #expect(seven.problem(after: seven) == nil)
        #expect(try document(#"{"version": 8, "config": {}}"#).problem(after: seven) == nil)
        let other = try document(#"{"version": 7, "config": {"log": {}}}"#).problem(after: seven)
        #expect(other?.error.code == .stale && other?.error.message.contains("with other contents") == true)
        let older = try document(#"{"version": 6, "config": {}}"#).problem(after: seven)
        #expect(older?.error.code == .stale && older?.version == 6)
        #expect(older?.error.message == "version 6 is older than 7, which this agent has")
        #expect(try document(#"{"version": 2, "reset": true, "config": {}}"#).problem(after: seven) == nil)
        let same = try document(#"{"version": 7, "reset": true, "config": {}}"#).problem(after: seven)
        #expect(same?.error.code == .stale)
    }

    @Test func theFolderOfTheStateKeepsTheDocument() throws {
        var folders: [String] = []
        for flags in [[], [("state_file", "/srv/{hostname}/state.json")]] {
            _ = try LoadedConfiguration.load(
                file: nil, environment: [:], overrides: flags, hostName: "test",
                fleet: {
                    folders.append($0)
                    return nil
                })
        }
        #expect(folders == ["/var/lib/v4l2mqtt", "/srv/test/state.json".replacingLast])
    }
}

extension String {
    fileprivate var replacingLast: String { String(self[..<(lastIndex(of: "/") ?? startIndex)]) }
}
