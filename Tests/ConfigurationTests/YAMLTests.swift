import TestSupport
import Testing

@testable import Configuration

@Suite struct YAMLTests {
    @Test(arguments: [
        (
            "mqtt:\n  host: [a\n",
            "porch.yaml:3: column 1: did not find expected ',' or ']' while parsing a flow sequence"
        ),
        ("a: b: c\n", "porch.yaml:1: column 5: mapping values are not allowed in this context"),
        (
            "mqtt:\n\thost: a\n",
            "porch.yaml:2: column 1: a tab, where YAML takes only spaces"
        ),
        (
            "agent: tür\nmqtt:\n  host: a\n\tport: 3\n",
            "porch.yaml:4: column 1: a tab, where YAML takes only spaces"
        ),
        (
            "agent: @\n",
            "porch.yaml:1: column 8: found character that cannot start any token while scanning for the next token"
        ),
        ("agent: &a porch\n", "porch.yaml:1: anchors (&name) aren't supported here"),
        ("agent: *a\n", "porch.yaml:1: aliases (*name) aren't supported here"),
        ("mqtt: !map {}\n", "porch.yaml:1: tags (!name) aren't supported here"),
        ("agent: a\n---\nagent: b\n", "porch.yaml:2: a second document (after ---) isn't supported here"),
        ("? [a]\n: b\n", "porch.yaml:1: a key must be a plain word"),
        (
            "just words\n",
            "porch.yaml:1: expected keys (agent, mqtt, clients, state_file, state_sync, captures, recordings, log, zoom, limits, home_assistant, libcamera, devices, cameras), found \"just words\""
        ),
        (
            "- a\n",
            "porch.yaml:1: expected keys (agent, mqtt, clients, state_file, state_sync, captures, recordings, log, zoom, limits, home_assistant, libcamera, devices, cameras), found a list"
        ),
    ])
    func whatIsNotUnderstoodHasALine(yaml: String, message: String) {
        #expect(load(yaml).lines == [message])
    }

    @Test func bytesThatAreNotTextHaveALine() {
        let bytes = Array("agent: a\n# ".utf8) + [0xFF, 0xFE]
        #expect(
            LoadedConfiguration.problems(in: bytes, name: "x.yaml").map(\.description) == [
                "x.yaml:2: not text: invalid leading UTF-8 octet"
            ])
    }

    @Test func depthAndSizeHaveLimits() {
        let deep = Array(("agent: " + String(repeating: "[", count: 40)).utf8)
        #expect(
            LoadedConfiguration.problems(in: deep, name: "x").map(\.description)
                == ["x:1: nested deeper than 32 levels"])
        let big = [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)
        #expect(
            LoadedConfiguration.problems(in: big, name: "x").map(\.description) == ["x:1: longer than 1 MiB"])
    }

    @Test func noMutationOfAFileCrashes() {
        let sample = Array(Keys.sample().utf8)
        var random = SeededGenerator(seed: 42)
        for _ in 0..<3_000 {
            var bytes = sample
            for _ in 0..<(1 + Int.random(in: 0..<8, using: &random)) where !bytes.isEmpty {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: at)
                case 2: bytes.insert("\n:-[]{}&*!#'\"\t %".utf8.randomElement(using: &random) ?? 0, at: at)
                default: bytes = Array(bytes.prefix(max(at, 1)))
                }
            }
            for error in LoadedConfiguration.problems(in: bytes, name: "x") {
                #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            }
        }
    }
}
