import Contract
import Foundation

/// The parts of `schemas/asyncapi.yaml` that follow from the nodes, the states and their schemas. Each stands
/// between `# <name>` and `# </name>`; all else is written by hand.
enum AsyncAPI {
    /// - Parameter before: the file as it is.
    static func text(_ before: String) -> String {
        let topics = SchemaFile.all.filter(\.hasTopic)
        let (states, commands) = (topics.filter { $0.command == nil }, topics.filter { $0.command != nil })
        let unretained = commands.filter { $0.name != "desired.set" }
        let parts: KeyValuePairs = [
            "channels": topics.flatMap(channel), "operations": states.flatMap(operation),
            "receive": commands.flatMap(operation),
            "messages": topics.flatMap {
                [
                    "\($0.messages[0]):",
                    "  payload: { schemaFormat: *jsonSchema, schema: { $ref: \($0.file) } }",
                ]
            },
            "commands": references(commands), "unretained": references(unretained),
            "node examples": ["examples: [\(names(commands))]"], "nodes": ["enum: [\(names(commands))]"],
            "unretained nodes": ["enum: [\(names(unretained))]"],
        ]
        return parts.reduce(before) { $0.replacing($1.key, $1.value) }
    }

    private static func names(_ commands: [SchemaFile]) -> String {
        commands.map { String($0.words[0]) }.joined(separator: ", ")
    }

    private static func channel(_ file: SchemaFile) -> [String] {
        let levels = ["base", "agent", "camera"].filter { file.address.contains("{\($0)}") }
        return [
            "\(file.channel):", "  address: '\(file.address)'", "  title: \(file.title)", "  parameters:",
        ]
            + levels.map { "    \($0): { $ref: '#/components/parameters/\($0)' }" } + ["  messages:"]
            + references([file]).map { "    \($0)" }
    }

    private static func references(_ files: [SchemaFile]) -> [String] {
        let keys = files.flatMap(\.messages)
        return keys.indices.filter { keys.firstIndex(of: keys[$0]) == $0 }.map {
            "\(keys[$0]): { $ref: '#/components/messages/\(keys[$0])' }"
        }
    }

    private static func operation(_ file: SchemaFile) -> [String] {
        let (isCommand, key) = (file.command != nil, file.channel)
        let binding =
            switch file.name {
            case "desired.set": ""
            case "event": "qos: 1, retain: false, "
            case "zoom.live": "qos: 0, retain: false, "
            default: isCommand ? "retain: false, " : "qos: 1, retain: true, "
            }
        return [
            "\(isCommand ? "receive" : "publish")\(key.prefix(1).uppercased())\(key.dropFirst()):",
            "  action: \(isCommand ? "receive" : "send")", "  channel: { $ref: '#/channels/\(key)' }",
            "  bindings: { mqtt: { \(binding)bindingVersion: 0.2.0 } }",
        ] + (isCommand ? ["  reply: *responseTopic"] : [])
    }
}

extension SchemaFile {
    /// Whether exactly one topic has the message.
    fileprivate var hasTopic: Bool {
        !["reply", "refresh.set"].contains(name) && !name.hasSuffix(".headers")
    }

    var words: [String] { name.split(separator: ".").map(String.init) }

    fileprivate var channel: String { Self.key(words.last == "state" ? words.dropLast() : words) }

    fileprivate var address: String { "{base}/{agent}/\(words[0] == "agent" ? "" : "{camera}/")\(topic)" }

    /// The last levels of the topic.
    var topic: String {
        words.filter { !["agent", "camera", "state"].contains($0) }.joined(separator: "/")
    }

    /// The keys of the channel's messages: that of the schema, and those of payloads that aren't JSON.
    fileprivate var messages: [String] {
        let word: String? =
            switch command?.word {
            case .onOrOff: "onOffWord"
            case .any: "anyWord"
            case nil: nil
            }
        return [Self.key(words), word, command?.mayBeEmpty == true ? "empty" : nil].compactMap { $0 }
    }

    private static func key(_ words: [String]) -> String {
        words[0] + words.dropFirst().map(\.capitalized).joined()
    }
}
