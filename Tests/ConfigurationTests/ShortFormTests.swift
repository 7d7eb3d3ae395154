import TestSupport
import Testing

@testable import Configuration
@testable import Settings

/// A value in the place of a group: `mqtt: { tls: true }` is short for `mqtt: { tls: { enabled: true } }`.
@Suite struct ShortFormTests {
    private static let keys = "(enabled, ca_file, cert_file, key_file)"

    @Test(arguments: ["mqtt: { tls: true }", "mqtt: { tls: { enabled: true } }"])
    func bothFormsMeanTheSame(yaml: String) throws {
        let mqtt = try load(yaml).get().settings.mqtt
        #expect(mqtt.tls == TLSSettings(isOn: true))
        #expect(mqtt.port == 8883)
    }

    @Test func variablesAndFlagsHaveItToo() throws {
        #expect(try load(environment: ["V4L2MQTT_MQTT_TLS": "true"]).get().settings.mqtt.tls.isOn)
        #expect(try load(flags: [("mqtt.tls", "true")]).get().settings.mqtt.tls.isOn)
    }

    @Test func aLaterLayerReplacesItInEitherForm() throws {
        let short = "mqtt: { tls: true }"
        #expect(try !load(short, flags: [("mqtt.tls.enabled", "false")]).get().settings.mqtt.tls.isOn)
        let long = "mqtt: { tls: { enabled: true } }"
        #expect(try !load(long, environment: ["V4L2MQTT_MQTT_TLS": "false"]).get().settings.mqtt.tls.isOn)
    }

    @Test func theEffectiveConfigurationHasTheLongForm() throws {
        let text = try load(flags: [("mqtt.tls", "true")]).get().effective()
        #expect(text.contains("  tls:\n    enabled: true  # --set mqtt.tls\n"))
    }

    @Test func anotherValueIsNeitherFormAndBothAreNamed() {
        #expect(
            load("mqtt: { tls: ca.pem }").lines == [
                "porch.yaml:1: mqtt.tls: expected true or false, or keys \(Self.keys), found \"ca.pem\""
            ])
        #expect(
            load("mqtt: { tls: [true] }").lines == [
                "porch.yaml:1: mqtt.tls: expected true or false, or keys \(Self.keys), found a list"
            ])
        #expect(
            load(flags: [("mqtt.tls", "ca.pem")]).lines == [
                "--set mqtt.tls: expected true or false, found \"ca.pem\""
            ])
    }

    @Test func aGroupWithoutAMainKeyHasNoShortForm() {
        #expect(load("mqtt: true").lines.first?.contains("mqtt: expected keys (host, ") == true)
        #expect(load(flags: [("mqtt", "true")]).lines.count == 1)
    }

    @Test func aGroupHasOneMainKeyAtMost() {
        let groups = Keys.all.compactMap(\.shortPath)
        #expect(Set(groups).count == groups.count)
        #expect(Set(groups).isDisjoint(with: Keys.all.map(\.path)))
    }
}
