internal import CResampling
internal import Glibc

/// The weights with which samples are made of others: Lanczos' windowed sinc of three lobes, stretched when
/// shrinking, as Pillow's `LANCZOS` has it. Samples are taken at their centres.
///
/// Keeps its memory from one span to the next.
final class Lanczos {
    /// Samples to each side of a centre that have weight, when enlarging.
    static let reach = 3.0

    /// A filter isn't made longer than for this ratio. Only what is squeezed in one direction alone gets
    /// there: the ``Resampler`` has shrunk everything else by other means.
    private static let maxScale = 64.0

    /// Enlarging, a centre's place between two samples is rounded to one of so many: to a 512th of a sample
    /// at most, which changes no weight by more than their last digit.
    private static let phases = 256

    /// For each phase the weights of six samples.
    private static let phaseWeights: [Int16] = {
        var weights: [Int16] = []
        for phase in 0..<phases {
            let past = Double(phase) / Double(phases)
            append(to: &weights, taps: 6, one: Int(RESAMPLING_ONE)) { kernel(Double($0 - 2) - past) }
        }
        return weights
    }()

    private(set) var span: Span?
    private(set) var taps = 0
    /// For each sample to make, the first that has weight in it; and the weights.
    private(set) var first: [Int32] = []
    private(set) var weights: [Int16] = []

    func prepare(_ span: Span) {
        if self.span == span { return }
        self.span = span
        first.removeAll(keepingCapacity: true)
        weights.removeAll(keepingCapacity: true)
        if span.ratio <= 1 { enlarge(span) } else { shrink(span) }
    }

    private func enlarge(_ span: Span) {
        taps = 6
        let table = Self.phaseWeights
        for index in 0..<span.count {
            // Counted from the centre of the span's first sample.
            let centre = span.start + (Double(index) + 0.5) * span.ratio - 0.5
            let nearest = Int((centre * Double(Self.phases)).rounded())
            let before = nearest >> 8
            first.append(Int32(before - 2))
            let phase = (nearest & 255) * taps
            for tap in 0..<taps { weights.append(table[phase + tap]) }
        }
    }

    private func shrink(_ span: Span) {
        let ratio = min(span.ratio, Self.maxScale)
        taps = Int((2 * Self.reach * ratio).rounded(.up))
        taps += taps % 2
        let one = Int(taps > RESAMPLING_FEW_TAPS ? RESAMPLING_FINE_ONE : RESAMPLING_ONE)
        for index in 0..<span.count {
            let centre = span.start + (Double(index) + 0.5) * span.ratio
            let start = Int((centre - Double(taps) / 2 + 0.5).rounded(.down))
            first.append(Int32(start))
            Self.append(to: &weights, taps: taps, one: one) { tap in
                Self.kernel((Double(start + tap) + 0.5 - centre) / ratio)
            }
        }
    }

    private static func kernel(_ x: Double) -> Double {
        let distance = abs(x)
        if distance < 1e-9 { return 1 }
        if distance >= reach { return 0 }
        let angle = Double.pi * distance
        return sin(angle) / angle * sin(angle / reach) / (angle / reach)
    }

    /// Appends the weight that `exact` returns for each tap, in whole numbers with a sum of exactly `one`, so
    /// that an area of one colour keeps its colour.
    @inline(__always)
    private static func append(
        to weights: inout [Int16], taps: Int, one: Int, _ exact: (Int) -> Double
    ) {
        let start = weights.count
        var sum = 0.0
        for tap in 0..<taps { sum += exact(tap) }
        var largest = start
        var missing = one
        for tap in 0..<taps {
            let weight = Int((exact(tap) / sum * Double(one)).rounded())
            missing -= weight
            weights.append(Int16(weight))
            if weights[start + tap] > weights[largest] { largest = start + tap }
        }
        weights[largest] += Int16(missing)
    }
}
