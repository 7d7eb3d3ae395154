/// Where a slider of Home Assistant can stop.
///
/// Its tiles round to multiples of the step, wherever the range begins, and Home Assistant refuses what is
/// outside of the range: the end of one that is no multiple could never be reached. So the ends are told as
/// the frontend reckons them, the next multiples outside, to the last bit; the agent takes what is beyond the
/// camera's own back to it.
struct Stops {
    /// So small a part of a step is none.
    private static let grain = 0.02

    let least: Double
    let greatest: Double
    let step: Double

    /// - Parameters:
    ///   - range: what the camera takes.
    ///   - step: above 0.
    init(_ range: ClosedRange<Double>, step: Double) {
        self.step = step
        least = min(range.lowerBound, (range.lowerBound / step + Self.grain).rounded(.down) * step)
        greatest = max(range.upperBound, (range.upperBound / step - Self.grain).rounded(.up) * step)
    }

    /// How many steps there are.
    var count: Double { (greatest - least) / step }
}
