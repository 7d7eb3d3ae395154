/// The factors that can be requested of a camera: from the widest view, at least 1, to the narrowest one.
package typealias ZoomRange = ClosedRange<Double>

extension ZoomRange {
    /// The nearest factor inside the range.
    package func clamp(_ factor: Double) -> Double { Swift.min(Swift.max(factor, lowerBound), upperBound) }

    /// Position of a factor in the range: 0 at the widest view, 1 at the narrowest one, linear between.
    func position(of factor: Double) -> Double {
        upperBound > lowerBound ? (clamp(factor) - lowerBound) / (upperBound - lowerBound) : 0
    }

    /// The factor at a position; see ``position(of:)``.
    func factor(at position: Double) -> Double {
        // Rounding could otherwise give a factor slightly beyond the end of the range.
        position == 1 ? upperBound : lowerBound + position * (upperBound - lowerBound)
    }
}
