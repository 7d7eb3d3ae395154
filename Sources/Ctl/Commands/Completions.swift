internal import ArgumentParser
internal import BrokerOptions
internal import Contract
internal import Fleet

/// The words that a shell offers after `--camera` and similar options: names that the broker has at the
/// moment.
package enum Completions {
    /// How long the broker's first answer may take: the user has pressed Tab and waits.
    private static let timeout = Duration.milliseconds(800)

    static let agents = CompletionKind.custom { words, _, _ in
        fleet(words, FleetNeeds(required: []))?.agents.keys.sorted() ?? []
    }

    static let cameras = CompletionKind.custom { words, _, _ in
        let fleet = fleet(words, FleetNeeds(required: []), with: ["--agent"])
        return Set((fleet?.addresses ?? []).map(\.camera)).sorted()
    }

    static let groups = CompletionKind.custom { words, _, _ in names(words, "info", groups(of:)) }

    static let presets = CompletionKind.custom { words, _, _ in names(words, "presets", presets(of:)) }

    static let media = CompletionKind.custom { words, _, _ in names(words, "media", media(of:)) }

    /// Names, and after a name its values. Without "=", which bash would escape and follow by a blank.
    static let controls = CompletionKind.custom { words, index, _ in
        let previous = words.prefix(index).last { $0 != "=" }
        return names(words, "info") { controls(of: $0, after: previous) }
    }

    /// Names in the states of a node of all selected cameras.
    private static func names(
        _ words: [String], _ node: String, _ read: (CameraFacts) -> [String]
    ) -> [String] {
        let needs = FleetNeeds(required: ["availability", node])
        guard let fleet = fleet(words, needs, with: ["--agent", "--camera"]) else { return [] }
        let found = Set(fleet.addresses.flatMap { fleet[$0].map { read($0.facts) } ?? [] })
        return found.filter(isSafe).sorted()
    }

    /// - Parameter names: the options to obey besides those of the broker. Others may be incomplete.
    /// - Returns: nil without a broker.
    private static func fleet(
        _ words: [String], _ needs: FleetNeeds, with names: [String] = []
    ) -> CtlFleet? {
        let broker = BrokerOptions.names
        let arguments = Self.options(broker.withValue + names, flags: broker.flags, in: words)
        guard let options = try? CtlOptions(BusOptions.parse(arguments)),
            let surroundings = try? BusSurroundings(options, filters: options.topics.refreshAnswers)
        else { return nil }
        var needs = needs
        (needs.agent, needs.camera) = (options.agent, options.camera)
        let session = CtlSession(options, surroundings, needs)
        do throws(Ending) { try session.settle(within: timeout) } catch { return nil }
        return session.fleet
    }
}

// MARK: Words

extension Completions {
    /// The options with these names, and their values, out of a command line that may be incomplete.
    ///
    /// - Parameter flags: the names of options without a value.
    package static func options(
        _ names: [String], flags: [String] = [], in words: [String]
    ) -> [String] {
        var kept: [String] = []
        for (index, word) in words.enumerated() {
            if flags.contains(word) { kept.append(word) }
            if names.contains(where: { word.hasPrefix($0 + "=") }) { kept.append(word) }
            guard names.contains(word) else { continue }
            // bash passes "=" as a word of its own.
            let value = words.dropFirst(index + 1).first { $0 != "=" }
            if let value { kept += [word, value] }
        }
        return kept
    }

    /// Whether a name may be offered. Any client can publish a name, and bash expands what it offers: `$(…)`
    /// would be executed.
    package static func isSafe(_ name: String) -> Bool {
        name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "_-.".unicodeScalars.contains($0)
        }
            && !name.hasPrefix("-")
    }

    package static func groups(of camera: CameraFacts) -> [String] { camera.info?.groups ?? [] }

    package static func presets(of camera: CameraFacts) -> [String] {
        guard let payload = camera.payloads["presets"],
            let state = JSON.value(Stamped<PresetsState>.self, from: payload)
        else { return [] }
        return state.presets.keys + [PresetsSet.home]
    }

    /// The newest file.
    package static func media(of camera: CameraFacts) -> [String] {
        let state = camera.payloads["media"].flatMap { JSON.value(Stamped<MediaState>.self, from: $0) }
        return [state?.newest].compactMap { $0 }
    }

    /// The enabled controls, or, after the name of a control, its values.
    ///
    /// - Parameter previous: the word before the one that is completed, without "=".
    package static func controls(of camera: CameraFacts, after previous: String?) -> [String] {
        guard let controls = camera.info?.controls else { return [] }
        return controls.first { $0.name == previous }?.choices ?? controls.filter(\.enabled).map(\.name)
    }
}
