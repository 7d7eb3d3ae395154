import Configuration
import Contract

/// The schema of `fleet/config`: the keys that a fleet may set. The rest is written by hand in the file.
enum FleetSchema {
    static func text(_ file: String) -> String {
        var schema = JSON(Array(file.utf8))?.object ?? [:]
        var properties = schema["properties"]?.object ?? [:]
        var config = properties["config"]?.object ?? [:]
        let keys = Keys.all.filter(\.fleetMaySet).map { key in
            let unit = key.unit.map { ", in \($0)" } ?? ""
            return (key.path.split(separator: "."), key.expected + unit)
        }
        config["properties"] = .object(group(keys))
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
            let group: JSONObject = [
                "type": .text("object"), "additionalProperties": .flag(false),
                "properties": .object(self.group(inner)),
            ]
            members[String(path[0])] = .object(inner.isEmpty ? ["description": .text(words)] : group)
        }
        return members
    }
}
