internal import ArgumentParser
internal import BrokerOptions
internal import Bus
internal import Contract
internal import Ctl

/// The words that a shell offers after `--camera` and similar options: names that the broker has at the
/// moment.
enum Completions {
    /// How long the broker's first answer may take: the user has pressed Tab and waits.
    private static let timeout = Duration.milliseconds(800)

    static let agents = CompletionKind.custom { words, _, _ in
        fleet(words, [], with: [])?.agents.keys.sorted() ?? []
    }

    static let cameras = CompletionKind.custom { words, _, _ in
        Set((fleet(words, ["availability"], with: ["--agent"])?.addresses ?? []).map(\.camera)).sorted()
    }

    static let groups = CompletionKind.custom { words, _, _ in
        names(words, "info", CompletionWords.groups)
    }

    static let presets = CompletionKind.custom { words, _, _ in
        names(words, "presets", CompletionWords.presets)
    }

    static let media = CompletionKind.custom { words, _, _ in names(words, "media", CompletionWords.media) }

    /// Names, and after a name its values. Without "=", which bash would escape and follow by a blank.
    static let controls = CompletionKind.custom { words, index, _ in
        let previous = words.prefix(index).last { $0 != "=" }
        return names(words, "info") { CompletionWords.controls(in: $0, after: previous) }
    }

    /// Names in the states of a node of all selected cameras.
    private static func names(
        _ words: [String], _ node: String, _ read: @escaping ([UInt8]) -> [String]
    ) -> [String] {
        var found: Set<String> = []
        _ = fleet(words, [node], with: ["--agent", "--camera"]) { topic, payload in
            if topic.hasSuffix("/\(node)") { found.formUnion(read(payload)) }
        }
        return found.filter(CompletionWords.isSafe).sorted()
    }

    /// - Parameter names: the options to obey besides those of the broker. Others may be incomplete.
    /// - Returns: nil without a broker.
    private static func fleet(
        _ words: [String], _ nodes: [String], with names: [String],
        received: @escaping (_ topic: String, _ payload: [UInt8]) -> Void = { _, _ in }
    ) -> Fleet? {
        let broker = BrokerOptions.names
        let arguments = CompletionWords.options(broker.withValue + names, flags: broker.flags, in: words)
        guard let options = try? BusOptions.parse(arguments).ctlOptions() else { return nil }
        let observed = try? CtlSession.collect(options, nodes: nodes, timeout: timeout) {
            received($0.topic, $0.payload)
        }
        return observed?.fleet
    }
}
