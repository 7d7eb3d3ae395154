/// What a running gesture relies on: zoom, view, and their movement. An event that does not change it rebases
/// no gesture.
struct MotionState {
    let factor: Double
    let target: Double
    let center: Point
    let ramp: Ramp?
    let isHalting: Bool
    /// What the view keeps in place while the zoom moves. Nil at rest, where it has no effect.
    let hold: PinnedPoint?

    /// Whether both are equal, apart from rounding.
    func isSame(as other: MotionState) -> Bool {
        isNear(factor, other.factor) && isNear(target, other.target)
            && isNear(center.x, other.center.x) && isNear(center.y, other.center.y)
            && ramp == other.ramp && isHalting == other.isHalting && hold == other.hold
    }
}

/// Whether two factors or coordinates are equal, apart from rounding.
func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 1e-9 * max(abs(a), abs(b)) }

extension ZoomModel {
    var motion: MotionState {
        MotionState(
            factor: factor, target: target, center: center, ramp: ramp, isHalting: isHalting,
            hold: isSettled ? nil : hold)
    }

    /// Counts an event as a change if it altered the motion state.
    mutating func countChange(since before: MotionState) {
        if !motion.isSame(as: before) { changes += 1 }
    }
}
