internal import ArgumentParser
internal import BrokerOptions
internal import Bus
internal import Contract
internal import Ctl
internal import Fleet

/// The words that a shell offers after `--camera` and similar options: names that the broker has at the
/// moment.
enum Completions {
    /// How long the broker's first answer may take: the user has pressed Tab and waits.
    private static let timeout = Duration.milliseconds(800)

    static let agents = CompletionKind.custom { words, _, _ in
        fleet(words, FleetNeeds(required: []))?.agents.keys.sorted() ?? []
    }

    static let cameras = CompletionKind.custom { words, _, _ in
        let fleet = fleet(words, FleetNeeds(required: []), with: ["--agent"])
        return Set((fleet?.addresses ?? []).map(\.camera)).sorted()
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
        return names(words, "info") { CompletionWords.controls(of: $0, after: previous) }
    }

    /// Names in the states of a node of all selected cameras.
    private static func names(
        _ words: [String], _ node: String, _ read: (CameraFacts) -> [String]
    ) -> [String] {
        let needs = FleetNeeds(required: ["availability", node])
        guard let fleet = fleet(words, needs, with: ["--agent", "--camera"]) else { return [] }
        let found = Set(fleet.addresses.flatMap { fleet[$0].map { read($0.facts) } ?? [] })
        return found.filter(CompletionWords.isSafe).sorted()
    }

    /// - Parameter names: the options to obey besides those of the broker. Others may be incomplete.
    /// - Returns: nil without a broker.
    private static func fleet(
        _ words: [String], _ needs: FleetNeeds, with names: [String] = []
    ) -> CtlFleet? {
        let broker = BrokerOptions.names
        let arguments = CompletionWords.options(broker.withValue + names, flags: broker.flags, in: words)
        guard let options = try? BusOptions.parse(arguments).ctlOptions() else { return nil }
        return try? CtlSession.read(needs, options, within: timeout)
    }
}
