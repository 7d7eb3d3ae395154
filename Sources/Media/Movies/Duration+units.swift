extension Duration {
    /// The time in units of 1/`timescale` seconds, rounded; at most about thirty years.
    func units(of timescale: Int) -> Int64 {
        let (seconds, attoseconds) = components
        let whole = min(max(seconds, -1_000_000_000), 1_000_000_000) * Int64(timescale)
        return whole + Int64((Double(attoseconds) * 1e-18 * Double(timescale)).rounded())
    }

    /// A number of units of 1/`timescale` seconds.
    static func units(_ count: Int64, of timescale: Int) -> Duration {
        let (seconds, rest) = count.quotientAndRemainder(dividingBy: Int64(timescale))
        return .seconds(seconds) + .seconds(Double(rest) / Double(timescale))
    }
}
