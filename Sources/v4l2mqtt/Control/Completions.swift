internal import ArgumentParser
internal import MQTTBus
internal import Messages

/// What a shell offers after `--camera` and the like: names that are on the broker at the moment, which is asked for them.
enum Completions {
    /// The options that say where to ask; others may stand half written on the command line.
    private static let options = [
        "--host", "--port", "--protocol", "--base-topic", "--username", "--password-file", "--ca-file",
    ]

    static let agents = CompletionKind.custom { words, _, _ in
        fleet(words, [], knowing: []).agents.keys.sorted()
    }

    static let cameras = CompletionKind.custom { words, _, _ in
        Set(fleet(words, ["availability"], knowing: ["--agent"]).names.map(\.camera)).sorted()
    }

    static let presets = CompletionKind.custom { words, _, _ in
        names(words, "presets") {
            JSON.value(PresetsState.self, from: $0).map { $0.presets.keys + [PresetsSet.home] }
        }
    }

    /// Names, and after one of them its values. Without the "=" that bash would escape, and put a blank behind.
    static let controls = CompletionKind.custom { words, place, _ in
        let before = words.prefix(place).last { $0 != "=" }
        return names(words, "info") { payload in
            guard let controls = JSON.value(CameraInfo.self, from: payload)?.controls else { return nil }
            return controls.first { $0.name == before }?.choices ?? controls.filter(\.enabled).map(\.name)
        }
    }

    private static func fleet(_ words: [String], _ nodes: [String], knowing more: [String]) -> Fleet {
        guard let survey = survey(words, nodes, knowing: more) else { return Fleet(base: "") }
        try? survey.collect(isQuiet: true)
        return survey.fleet
    }

    /// Names that a node of the cameras tells of.
    private static func names(
        _ words: [String], _ node: String, _ read: @escaping ([UInt8]) -> [String]?
    ) -> [String] {
        guard let survey = survey(words, [node], knowing: ["--agent", "--camera"]) else { return [] }
        var found: Set<String> = []
        survey.heard = { message in
            if message.topic.hasSuffix("/\(node)") { found.formUnion(read(message.payload) ?? []) }
        }
        try? survey.collect(isQuiet: true)
        return found.filter(isHarmless).sorted()
    }

    /// Quick to give up: somebody has pressed Tab and waits.
    private static func survey(_ words: [String], _ nodes: [String], knowing more: [String]) -> Survey? {
        guard let options = try? BusOptions.parse(arguments(in: words, options + more)) else { return nil }
        return try? Survey(options, listeningTo: nodes, patience: .milliseconds(800))
    }

    /// Of the words of a command line, these options with their values.
    private static func arguments(in words: [String], _ names: [String]) -> [String] {
        var kept: [String] = []
        for (place, word) in words.enumerated() {
            if names.contains(where: { word.hasPrefix($0 + "=") }) { kept.append(word) }
            guard names.contains(word) else { continue }
            // bash makes a word of its own of "=".
            let value = words.dropFirst(place + 1).first { $0 != "=" }
            if let value { kept += [word, value] }
        }
        return kept
    }

    /// Names come from the bus, where anybody may have written them, and bash expands what it is offered: `$(…)` would be run.
    private static func isHarmless(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".unicodeScalars.contains($0)
        }
            && !name.hasPrefix("-")
    }
}

extension CameraInfo.Control {
    /// The words that can be its value, where it isn't any number.
    fileprivate var choices: [String] {
        switch kind {
        case "toggle": ["on", "off"]
        case "button": ["on"]
        default: options?.map(\.title) ?? []
        }
    }
}
