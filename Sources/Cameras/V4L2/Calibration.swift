import Settings

/// The factor of a lens for each value of its driver: by points, and linear between them.
struct Calibration: Sendable, Equatable {
    /// At least two; both raw values and factors rise, and the first factor is 1.
    let points: [CalibrationPoint]

    /// - Returns: nil when the points don't rise.
    init?(_ points: [CalibrationPoint]) {
        let sorted = points.sorted { $0.raw < $1.raw }
        let rises = zip(sorted, sorted.dropFirst()).allSatisfy { $0.raw < $1.raw && $0.factor < $1.factor }
        guard sorted.count >= 2, rises, let widest = sorted.first?.factor, widest > 0 else { return nil }
        self.points = sorted.map { CalibrationPoint(raw: $0.raw, factor: $0.factor / widest) }
    }

    /// The calibration of a range without a configured one: the factor is the value divided by the minimum.
    /// Nothing follows from a range that begins at 0 or below: its end is assumed to be ``unknownMax``.
    init?(minimum: Int64, maximum: Int64) {
        guard maximum > minimum else { return nil }
        let last = minimum > 0 ? Double(maximum) / Double(minimum) : Self.unknownMax
        self.init([CalibrationPoint(raw: minimum, factor: 1), CalibrationPoint(raw: maximum, factor: last)])
    }

    /// The assumed largest factor of a lens without a calibration.
    static let unknownMax = 4.0

    /// The largest factor.
    var max: Double { points[points.count - 1].factor }

    func factor(at raw: Int64) -> Double {
        let (low, high) = segment { raw < $0.raw }
        let share = Double(raw - low.raw) / Double(high.raw - low.raw)
        return min(Swift.max(low.factor + share * (high.factor - low.factor), 1), max)
    }

    /// The driver's value for a factor, before it is rounded to the lens's steps.
    func raw(at factor: Double) -> Double {
        let (low, high) = segment { factor < $0.factor }
        let share = (factor - low.factor) / (high.factor - low.factor)
        return Double(low.raw) + share * Double(high.raw - low.raw)
    }

    private func segment(_ isBefore: (CalibrationPoint) -> Bool) -> (CalibrationPoint, CalibrationPoint) {
        let end = Swift.max(1, points.firstIndex(where: isBefore) ?? points.count - 1)
        return (points[end - 1], points[end])
    }
}
