/// Error messages for unknown keys, with the key that was probably meant.
enum Suggestions {
    /// - Parameters:
    ///   - path: the whole path, such as `mqtt.hots`.
    ///   - group: where it is, as ``Keys/groups`` names it.
    static func unknownKey(_ path: String, in group: String) -> String {
        if let words = removed[path] { return "\(quote(path)) was removed: \(words)" }
        let (parent, name) = split(path)
        // A key in one word with dots, where keys are nested.
        if Keys[path] != nil {
            return "keys are nested: write \(nested(path)) in place of \(quote(path))"
        }
        var suggestion = closest(to: name, among: Keys.groups[group] ?? []).map {
            parent.isEmpty ? $0 : "\(parent).\($0)"
        }
        // The key may have dots itself.
        if suggestion == path { suggestion = nil }
        // The name may exist in another group.
        suggestion = suggestion ?? Keys.all.first { split($0.path).name == name }?.path
        return
            "unknown key \(quote(path))\(question(suggestion.map(quote))) (known here: \(Keys.list(group)))"
    }

    /// What to do instead of keys that earlier versions had.
    private static let removed = [
        "limits.total_photos_per_minute":
            "it is 4 times limits.photos_per_minute; with clients: proved, each client has its own limit",
        "limits.total_samples_per_second":
            "samples count 0.2 each in limits.total_commands_per_second",
        "limits.total_bytes_per_second":
            "payloads count 1 for each KiB in limits.total_commands_per_second",
    ]

    static func unknown(_ name: String, _ spelling: Spelling) -> String {
        if let (path, words) = removed.first(where: { spelling.name($0.key) == name }) {
            return "\(path == name ? "it" : "the key \(path)") was removed: \(words)"
        }
        // Earlier versions had elements of lists.
        if let end = name.lastIndex(of: spelling.separator), Int(name[name.index(after: end)...]) != nil,
            let key = Address(String(name[..<end]), spelling)?.key, !key.isScalar
        {
            return "elements of a list have no names of their own: set \(name[..<end]) to \(key.expected)"
        }
        let camera = spelling.camera(in: name)
        let known = Keys.all.map { spelling.name($0.path(camera: camera)) }
        let suggestion = closest(to: name, among: known)
        if spelling.separator == "_" { return "no key has this name\(question(suggestion))" }
        let other = suggestion ?? known.first { split($0).name == split(name).name }
        return "unknown key\(question(other.map(quote)))"
    }

    /// A path as nested keys.
    private static func nested(_ path: String) -> String {
        let names = path.split(separator: ".")
        return names.dropLast().map { "\($0): { " }.joined() + "\(names.last ?? ""): …"
            + String(repeating: " }", count: names.count - 1)
    }

    private static func question(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean \($0)?" } ?? ""
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        guard let dot = path.lastIndex(of: ".") else { return ("", path) }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }

    /// The candidate at the smallest edit distance, if that is small. Otherwise one with the same beginning.
    static func closest(to word: String, among candidates: [String]) -> String? {
        let letters = Array(word.utf8)
        guard (1...100).contains(letters.count) else { return nil }
        let scored = candidates.map { ($0, distance(letters, Array($0.utf8))) }
        if let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(1, min(3, letters.count / 3)) {
            return best.0
        }
        return candidates.first { letters.count >= 4 && ($0.hasPrefix(word) || word.hasPrefix($0)) }
    }

    /// The number of bytes to delete, insert, replace or exchange with their neighbour (optimal string
    /// alignment distance).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
