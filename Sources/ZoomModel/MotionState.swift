/// What a running gesture relies on: zoom, view, and their movement. An event that does not change it rebases
/// no gesture.
struct MotionState {
    private let factor: Double
    private let target: Double
    private let center: Point
    private let ramp: Ramp?
    private let isHalting: Bool
    /// What the view keeps in place while the zoom moves. Nil at rest, where it has no effect.
    private let hold: PinnedPoint?

    fileprivate init(_ model: ZoomModel) {
        factor = model.factor
        target = model.target
        center = model.center
        ramp = model.ramp
        isHalting = model.isHalting
        hold = model.isSettled ? nil : model.hold
    }

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
    var motion: MotionState { MotionState(self) }

    /// Counts an event as a change if it altered the motion state.
    mutating func countChange(since before: MotionState) {
        if !motion.isSame(as: before) { changes += 1 }
    }
}
