import Settings
import Testing

@testable import Configuration

/// Brokers with more than one host.
@Suite struct HostsTests {
    private func brokers(
        _ yaml: String = "", environment: [String: String] = [:], flags: [(String, String)] = []
    ) throws -> [String] {
        try load(yaml, environment: environment, flags: flags).get().settings.mqtt.brokers.map {
            "\($0.host) \($0.port ?? 0)"
        }
    }

    @Test func eachHostMayHaveAPort() throws {
        #expect(
            try brokers("mqtt: { hosts: [a, 'b:1884', '::1', '[::2]:1885', 192.0.2.1] }")
                == ["a 1883", "b 1884", "::1 1883", "::2 1885", "192.0.2.1 1883"])
        #expect(try brokers("mqtt: { hosts: [a, 'b:1884'], port: 1900 }") == ["a 1900", "b 1884"])
        #expect(try brokers("mqtt: { hosts: [a], tls: true }") == ["a 8883"])
    }

    @Test func anEmptyListIsNone() throws {
        #expect(try brokers("mqtt: { host: a, hosts: [] }") == ["a 1883"])
    }

    @Test func variablesAndFlagsSetThem() throws {
        #expect(try brokers(environment: ["V4L2MQTT_MQTT_HOSTS": "[a, b]"]) == ["a 1883", "b 1883"])
        #expect(try brokers(flags: [("mqtt.hosts", "[a, b:1884]")]) == ["a 1883", "b 1884"])
    }

    @Test func aLaterLayerReplacesTheOtherKey() throws {
        let several = "mqtt: { hosts: [a, b] }"
        #expect(try brokers(several, flags: [("mqtt.host", "c")]) == ["c 1883"])
        #expect(try brokers("mqtt: { host: c }", flags: [("mqtt.hosts", "[a, b]")]) == ["a 1883", "b 1883"])
    }

    @Test func theListCountsWhereOneLayerHasBoth() throws {
        #expect(try brokers("mqtt: { host: c, hosts: [a, b] }") == ["a 1883", "b 1883"])
        func warnings(_ yaml: String) throws -> [String] { try load(yaml).get().warnings.map { "\($0)" } }
        let warning = try #require(try warnings("mqtt: { host: c, hosts: [a, b] }").first)
        #expect(warning.hasSuffix("porch.yaml:1: mqtt.host: not used, because mqtt.hosts is set"))
        #expect(try warnings("mqtt: { host: a, hosts: [a, b] }").isEmpty)
    }

    @Test func theEffectiveTextReadsAsTheSameHosts() throws {
        let text = try load("mqtt: { hosts: ['[::1]:1884', b], order: random }").get().effective()
        #expect(text.contains("hosts: [\"[::1]:1884\", b]"))
        #expect(try brokers(text) == ["::1 1884", "b 1883"])
    }

    @Test(arguments: [
        "", ":1", "a:", "a:65536", "a:b", "a:+1", "a b", "mqtt://a", "[a]:1", "[::1", "[::1]1", "[]:1", "a/b",
        "a\n", "[::1]:0",
    ])
    func whatIsNoBrokerIsRefused(text: String) { #expect(BrokerAddress(text) == nil) }

    @Test(arguments: ["a", "a:1", "::1", "[::1]:65535", "192.0.2.1:1883"])
    func aBrokerIsWrittenAsItWasRead(text: String) { #expect(BrokerAddress(text)?.description == text) }
}
