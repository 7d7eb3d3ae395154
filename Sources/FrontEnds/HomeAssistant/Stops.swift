/// Where a slider of Home Assistant can stop.
///
/// Its tiles round to multiples of the step, wherever the range begins, and Home Assistant refuses what is
/// outside of the range: the end of one that is no multiple could never be reached. So the document
/// has the ends as the frontend computes them, the next multiples outside, to the last bit. The agent clamps
/// values beyond the camera's range.
struct Stops {
    /// A smaller fraction of a step counts as zero.
    private static let tolerance = 0.02

    let least: Double
    let greatest: Double
    let step: Double

    /// - Parameters:
    ///   - range: the values that the camera accepts.
    ///   - step: above 0.
    init(_ range: ClosedRange<Double>, step: Double) {
        self.step = step
        least = min(range.lowerBound, (range.lowerBound / step + Self.tolerance).rounded(.down) * step)
        greatest = max(range.upperBound, (range.upperBound / step - Self.tolerance).rounded(.up) * step)
    }

    /// The number of steps.
    var count: Double { (greatest - least) / step }
}
