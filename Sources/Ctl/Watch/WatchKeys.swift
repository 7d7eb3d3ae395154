/// The keys of `ctl watch`.
package enum WatchKey: Equatable, Sendable {
    case quit
    /// Scrolls by this number of lines; negative: up.
    case scroll(Int)

    /// Decodes what a terminal sends: arrows in both cursor key modes, page up and down, and the keys of vi.
    /// Others are ignored.
    ///
    /// - Parameter page: the number of cameras on a page.
    package static func decode(_ input: String, page: Int) -> [WatchKey] {
        let sequences = [
            "\u{1B}[A": -1, "\u{1B}OA": -1, "k": -1, "\u{1B}[B": 1, "\u{1B}OB": 1, "j": 1,
            "\u{1B}[5~": -page, "\u{1B}[6~": page,
        ]
        var keys: [WatchKey] = []
        var rest = input[...]
        while !rest.isEmpty {
            if let (sequence, lines) = sequences.first(where: { rest.hasPrefix($0.key) }) {
                keys.append(.scroll(lines))
                rest.removeFirst(sequence.count)
            } else if rest.removeFirst().lowercased() == "q" {
                keys.append(.quit)
            }
        }
        return keys
    }
}
