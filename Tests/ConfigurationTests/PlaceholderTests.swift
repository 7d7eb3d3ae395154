import Settings
import TestSupport
import Testing

@testable import Configuration

/// A device with these properties.
private final class TestDevice {
    var properties: [DeviceProperty: String] = [
        .hostname: "Pi 4.lan", .machineID: "0123456789abcdef", .serial: "100 000/Ä", .mac: "b827eb123456",
        .commonName: "porch-7",
    ]
    /// With which it was asked.
    private(set) var certificates: [String?] = []

    func value(of property: DeviceProperty, certificate: String?) throws(MissingProperty) -> String {
        certificates.append(certificate)
        guard let value = properties[property] else { throw MissingProperty("it was taken away") }
        return value
    }
}

@Suite struct PlaceholderTests {
    private let folder = TemporaryFolder()

    /// The outcome, with the device as it was asked.
    private func load(
        _ yaml: String, flags: [(String, String)] = []
    ) -> (LoadedConfiguration?, errors: [String], TestDevice) {
        let device = TestDevice()
        let file = folder.write(yaml, to: "porch.yaml")
        do throws(ConfigurationErrors) {
            let loaded = try LoadedConfiguration.load(
                file: file, environment: [:], overrides: flags, hostName: "test", device: device.value)
            return (loaded, [], device)
        } catch {
            return (nil, error.errors.map(\.description), device)
        }
    }

    @Test func namesHaveTheCharactersOfNames() throws {
        let yaml = "agent: cam-{serial}\nmqtt: { client_id: '{hostname}_{mac}', username: '{machine_id}' }"
        let settings = try #require(load(yaml).0).settings
        #expect(settings.agent == "cam-100-000---")
        #expect(settings.mqtt.clientID == "Pi-4.lan_b827eb123456")
        #expect(settings.mqtt.username == "0123456789abcdef")
    }

    @Test func aValueIsOneComponentOfAPath() throws {
        let yaml = "captures: { directory: '/srv/{serial}/photos' }\nrecordings: { directory: '{hostname}' }"
        let settings = try #require(load(yaml).0).settings
        #expect(settings.captures.folder.directory == "/srv/100-000---/photos")
        #expect(settings.recordings.folder.directory == "\(folder.path)/Pi-4.lan")
    }

    @Test(arguments: [("..", "-."), ("../../etc", "-.-..-etc"), (".hidden", "-hidden"), ("a/b", "a-b")])
    func noValueLeavesItsFolder(value: String, component: String) throws {
        let device = TestDevice()
        device.properties[.serial] = value
        let file = folder.write("captures: { directory: '/srv/{serial}' }", to: "porch.yaml")
        let loaded = try LoadedConfiguration.load(
            file: file, environment: [:], overrides: [], hostName: "test", device: device.value)
        #expect(loaded.settings.captures.folder.directory == "/srv/\(component)")
    }

    @Test func flagsMayHavePlaceholdersToo() throws {
        let settings = try #require(load("agent: porch", flags: [("agent", "{mac}")]).0).settings
        #expect(settings.agent == "b827eb123456")
    }

    @Test func aLaterLayerReplacesAPlaceholder() throws {
        let outcome = load("agent: '{serial}'", flags: [("agent", "porch")])
        #expect(try #require(outcome.0).settings.agent == "porch")
        #expect(outcome.2.certificates.isEmpty, "nothing is read that is not used")
    }

    @Test func theCommonNameIsThatOfTheCertificate() throws {
        let certificate = folder.write("", to: "b827eb123456.crt")
        let yaml = """
            agent: '{cn}'
            mqtt: { tls: { cert_file: '{mac}.crt', key_file: '{mac}.crt' } }
            """
        let outcome = load(yaml)
        #expect(try #require(outcome.0).settings.agent == "porch-7")
        #expect(outcome.2.certificates == [nil, certificate, certificate])
        #expect(
            load("mqtt: { tls: { cert_file: '{cn}.crt', key_file: a } }").errors.contains {
                $0.hasSuffix("mqtt.tls.cert_file: {cn} is read from this file")
            })
    }

    @Test(arguments: [
        ("agent: '{serial'", "a brace without its other one"),
        ("agent: 'serial}'", "a brace without its other one"),
        ("agent: '{Serial}'", "unknown placeholder {Serial}; known are {hostname}"),
        ("agent: '{}'", "unknown placeholder {}"), ("mqtt: { host: '{hostname}' }\nagent: '{x}'", "{x}"),
    ])
    func badPlaceholdersAreErrors(yaml: String, message: String) {
        let errors = load(yaml).errors
        #expect(errors.count == 1 && errors.contains { $0.contains("porch.yaml:") && $0.contains(message) })
    }

    @Test func aMissingPropertyIsAnError() {
        let device = TestDevice()
        device.properties = [:]
        let file = folder.write("agent: a-{serial}", to: "porch.yaml")
        #expect {
            _ = try LoadedConfiguration.load(
                file: file, environment: [:], overrides: [], hostName: "test", device: device.value)
        } throws: { error in
            "\(error)".hasSuffix(
                "porch.yaml:1: agent: {serial}: this device has no serial number: it was taken away")
        }
    }

    @Test func theResultIsCheckedAsAnyValue() {
        let long = String(repeating: "x", count: 60)
        #expect(load("agent: \(long)-{mac}").errors.contains { $0.contains("a name of 1 to 64") })
    }

    /// Other keys take braces as they are, and `groups` and `fleet` are no agents.
    @Test func reservedNamesAreRefused() {
        for name in ["groups", "fleet"] {
            #expect(load("agent: \(name)").errors.contains { $0.contains("other than groups and fleet") })
        }
        #expect(load("home_assistant: { prefix: 'a{b}' }").errors.isEmpty)
    }
}
