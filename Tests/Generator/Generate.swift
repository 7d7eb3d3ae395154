import Configuration
import Contract
import Foundation

/// Writes the files that follow from the forms and from the keys of the configuration; `--check` compares
/// them instead. Called by `Tests/generate` in the folder of the project.
@main
struct Generate {
    static func main() throws {
        let isCheck = CommandLine.arguments.contains("--check")
        var stale: [String] = []
        for (path, text) in files {
            let bytes = Array(text.utf8)
            if FileManager.default.contents(atPath: path).map({ Array($0) }) == bytes { continue }
            stale.append(path)
            if !isCheck { try Data(bytes).write(to: URL(filePath: path)) }
        }
        for path in stale { print(isCheck ? "\(path) is stale: run Tests/generate" : path) }
        if isCheck, !stale.isEmpty { exit(1) }
    }

    private static var files: [(path: String, text: String)] {
        var schemas = Node.allCases.map { ($0.rawValue, commandSchema($0.commandText, $0.command)) }
        schemas.append(("refresh", commandSchema(refreshText, .ofRefresh)))
        let files =
            schemas.map { ("\($0.0).set.schema.json", $0.1.fileText() + "\n") }
            + StateSchema.all.map(\.file) + [StateSchema.common, fleetConfiguration]
        return files.map { ("schemas/\($0.0)", $0.1) } + [("deploy/keys.md", Keys.table())]
    }

    /// The schema of `fleet/config` with the keys that a fleet may set. The rest is kept as the file has it.
    private static var fleetConfiguration: (name: String, text: String) {
        let name = "fleet.config.schema.json"
        var schema = StateSchema.file(name)
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
        return (name, JSON.object(schema).fileText() + "\n")
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
