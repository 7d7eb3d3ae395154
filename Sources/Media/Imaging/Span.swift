/// An interval of a row or column of samples, and how many samples are to be made of it. Sample `i` reaches
/// from `i` to `i + 1`; ends may lie between samples.
struct Span: Equatable {
    let start: Double
    let length: Double
    let count: Int

    /// How many samples become one: less than 1 when enlarging.
    var ratio: Double { length / Double(count) }

    /// The first sample, if the samples are used unscaled (to a hundredth of a sample) and exist; else nil.
    ///
    /// - Parameter all: how many samples there are.
    func unscaledStart(of all: Int) -> Int? {
        let nearest = start.rounded()
        guard abs(start - nearest) < 0.01, abs(length - Double(count)) < 0.01, nearest >= 0,
            Int(nearest) + count <= all
        else { return nil }
        return Int(nearest)
    }

    /// The samples, of `all`, that have weight in those that are made.
    func needed(of all: Int) -> Range<Int> {
        if let start = unscaledStart(of: all) { return start..<start + count }
        let reach = Lanczos.reach * max(1, ratio) + 1
        let lower = max(0, min(Int((start - reach).rounded(.down)), all - 1))
        return lower..<max(lower + 1, min(Int((start + length + reach).rounded(.up)), all))
    }
}
