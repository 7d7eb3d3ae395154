/// What a running gesture relies on: the zoom, the view, and where both are going.
///
/// An event that leaves it as it is rebases no gesture.
struct Course {
    private let factor: Double
    private let target: Double
    private let center: Point
    private let ramp: Ramp?
    private let isHalting: Bool
    /// What the view keeps in place on the way. At rest it has no effect.
    private let hold: Hold?

    fileprivate init(_ model: ZoomModel) {
        factor = model.factor
        target = model.target
        center = model.center
        ramp = model.ramp
        isHalting = model.isHalting
        hold = model.isSettled ? nil : model.hold
    }

    /// Whether another course is the same, but for rounding.
    func isSame(as other: Course) -> Bool {
        Self.near(factor, other.factor) && Self.near(target, other.target)
            && Self.near(center.x, other.center.x) && Self.near(center.y, other.center.y)
            && ramp == other.ramp && isHalting == other.isHalting && hold == other.hold
    }

    private static func near(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 1e-9 * max(abs(a), abs(b)) }
}

extension ZoomModel {
    var course: Course { Course(self) }

    /// Counts an event as a change if it altered the course.
    mutating func countChange(since before: Course) {
        if !course.isSame(as: before) { changes += 1 }
    }
}
