internal import Contract

/// Words that a shell offers, and those that it passes.
package enum CompletionWords {
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
