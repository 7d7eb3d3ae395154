import Configuration
import Contract

/// The schema of `fleet/config` with the keys that a fleet may set. The rest is as the file has it.
enum FleetConfigurationSchema {
    static func text(_ before: String) -> String {
        var schema = JSON(Array(before.utf8))?.object ?? [:]
        var properties = schema["properties"]?.object ?? [:]
        var config = properties["config"]?.object ?? [:]
        config["properties"] = .object(
            group(
                Keys.all.filter(\.fleetMaySet).map { key in
                    let unit = key.unit.map { ", in \($0)" } ?? ""
                    return (key.path.split(separator: "."), key.expected + unit)
                }))
        properties["config"] = .object(config)
        schema["properties"] = .object(properties)
        return JSON.object(schema).fileText() + "\n"
    }

    private static func group(_ keys: [(path: [Substring], words: String)]) -> JSONObject {
        var members = JSONObject()
        for (path, words) in keys where members[String(path[0])] == nil {
            let inner = keys.filter { $0.path[0] == path[0] && $0.path.count > 1 }.map {
                (path: Array($0.path.dropFirst()), words: $0.words)
            }
            members[String(path[0])] = .object(
                inner.isEmpty
                    ? ["description": .text(words)]
                    : [
                        "type": .text("object"), "additionalProperties": .flag(false),
                        "properties": .object(group(inner)),
                    ])
        }
        return members
    }
}
