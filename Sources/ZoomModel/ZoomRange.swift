/// The factors that can be requested of a camera.
package struct ZoomRange: Sendable, Equatable {
    /// The widest view; at least 1.
    package let min: Double
    /// The narrowest view; at least ``min``.
    package let max: Double

    /// - Precondition: `1 <= min <= max`, both finite.
    package init(min: Double, max: Double) {
        precondition(min >= 1 && max >= min && max.isFinite, "a zoom range is 1 <= min <= max")
        self.min = min
        self.max = max
    }

    /// The nearest factor inside the range.
    package func clamp(_ factor: Double) -> Double {
        Swift.min(Swift.max(factor, min), max)
    }

    /// Position of a factor in the range: 0 at ``min``, 1 at ``max``, linear between.
    func position(of factor: Double) -> Double {
        max > min ? (clamp(factor) - min) / (max - min) : 0
    }

    /// The factor at a position; see ``position(of:)``.
    func factor(at position: Double) -> Double {
        // Rounding could otherwise give a factor slightly beyond the end of the range.
        position == 1 ? max : min + position * (max - min)
    }
}
