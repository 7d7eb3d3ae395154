@testable import Configuration

/// Lines `NAME=VALUE`: variables where the name begins as the agent's do, flags otherwise. The whole is also
/// tried as the name of the host.
func checkOverrides(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    var environment: [String: String] = [:]
    var overrides: [(String, String)] = []
    for line in text.split(separator: "\n").prefix(16) {
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let value = parts.count > 1 ? parts[1] : ""
        if parts[0].hasPrefix(environmentPrefix) {
            environment[parts[0]] = value
        } else {
            overrides.append((parts[0], value))
        }
    }
    var layers = Layers()
    layers.add(environment: environment)
    layers.add(overrides: overrides)
    check(layers, hostName: text)
}
