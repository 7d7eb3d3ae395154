/// Makes negative numbers usable on the command line of `ctl`.
///
/// ArgumentParser takes every word that begins with a dash for an option, although no option of `ctl` is a
/// number: `ctl zoom -1` would be reported as a missing factor. With the number parsed, the agent reports
/// what is wrong with it.
package enum NegativeNumbers {
    /// The options of `ctl` without a value.
    private static let flags: Set = [
        "--json", "--stop", "--audio", "--no-audio", "--tls", "--force", "--any-clock", "--help", "--version",
    ]

    /// The same words with negative numbers joined to their options (`--rate=-1`), or placed after `--`.
    package static func escaped(_ words: [String]) -> [String] {
        guard words.first == "ctl", !words.contains("--") else { return words }
        var joined: [String] = []
        for word in words {
            if isNegative(word), let option = joined.last, takesValue(option) {
                joined[joined.count - 1] = "\(option)=\(word)"
            } else {
                joined.append(word)
            }
        }
        guard let first = joined.firstIndex(where: isNegative) else { return joined }
        var options: [String] = []
        var arguments: [String] = []
        var isValue = false
        for word in joined[first...] {
            let isOption = !isValue && word.hasPrefix("-") && !isNegative(word)
            if isOption || isValue { options.append(word) } else { arguments.append(word) }
            isValue = isOption && takesValue(word)
        }
        return joined[..<first] + options + ["--"] + arguments
    }

    private static func takesValue(_ word: String) -> Bool {
        word.hasPrefix("--") && !word.contains("=") && !flags.contains(word)
    }

    private static func isNegative(_ word: String) -> Bool { word.hasPrefix("-") && Double(word) != nil }
}
