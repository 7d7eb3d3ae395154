/// A running pinch or touch.
///
/// A cumulative scale asks for `base × scale`: a lost sample does no harm, fingers that return to where they
/// began bring the zoom back, and what the range cut off is remembered. An incremental scale multiplies the
/// clamped target.
struct Gesture: Equatable {
    /// Two clients may use the same name for a gesture.
    struct Key: Hashable {
        let client: ClientIdentity?
        let gesture: String
        var isTouch = false
    }

    /// Limits of a scale, which keep products finite.
    private static let scales = 1e-9...1e9

    let key: Key
    /// The factor at scale 1.
    private(set) var base: Double
    /// The scale of the whole gesture so far; of an incremental one, without what the range cut off.
    private(set) var scale: Double
    /// The factor that the last sample asks for, before the range is applied.
    private(set) var requested: Double
    private(set) var lastSampleTime: ZoomInstant
    /// The model's count of changes after the last sample of this gesture. If it differs now, something other
    /// than this gesture changed the zoom or the view, and the next sample rebases the gesture.
    var seenChange: Int

    private var sequence: Int?
    /// The last anchor, in fractions of the view; nil if no sample had one.
    private var anchor: Point?
    /// The anchor at which ``held`` was computed.
    private var firstAnchor: Point
    /// The point of the scene that stays at the anchor.
    private var held: Point
    /// The scale that a revert goes back to: 1, the scale of the first sample if `began` was lost, or the
    /// scale at the last rebase.
    private var firstScale: Double

    /// Starts from the present zoom. `began` applies its scale immediately. Any other first sample leaves the
    /// zoom as it is, because the scale at the start is not known.
    init(
        _ sample: PinchSample, key: Key, factor: Double, framing: Framing, in range: ZoomRange, change: Int,
        at now: ZoomInstant
    ) {
        self.key = key
        let isCumulative = sample.mode == .cumulative
        if sample.phase == .began {
            let sampled = Self.clamp(sample.scale ?? 1)
            base = factor
            requested = factor * sampled
            scale = isCumulative ? sampled : range.clamp(requested) / factor
            firstScale = 1
        } else {
            scale = isCumulative ? Self.clamp(sample.scale ?? 1) : 1
            base = factor / scale
            requested = factor
            firstScale = scale
        }
        anchor = sample.anchor
        firstAnchor = sample.anchor ?? .middle
        held = framing.scenePoint(at: firstAnchor, factor: factor)
        sequence = sample.sequence
        lastSampleTime = now
        seenChange = change
    }

    /// What the view has to keep in place.
    var hold: PinnedPoint { PinnedPoint(scene: held, anchor: anchor ?? firstAnchor) }

    /// Whether a sample asks for the same scale as the last one.
    func isRepeated(by sample: PinchSample) -> Bool {
        guard let sampled = sample.scale else { return true }
        return sample.mode == .cumulative ? Self.clamp(sampled) == scale : sampled == 1
    }

    /// Whether a sample is not newer than one that was applied.
    func isStale(_ sample: PinchSample) -> Bool {
        guard let newest = sequence, let number = sample.sequence else { return false }
        return number <= newest
    }

    /// Continues from the present zoom and view, after something else has changed them.
    mutating func rebase(factor: Double, framing: Framing) {
        base = factor / scale
        requested = factor
        // A revert takes back what the fingers did since.
        firstScale = scale
        hold(anchor ?? firstAnchor, factor: factor, framing: framing)
    }

    /// Applies a newer sample.
    ///
    /// - Parameters:
    ///   - factor: the zoom before the sample.
    ///   - framing: the view before the sample.
    ///   - range: limits the target that an incremental scale multiplies.
    mutating func take(
        _ sample: PinchSample, factor: Double, framing: Framing, in range: ZoomRange,
        at now: ZoomInstant
    ) {
        lastSampleTime = now
        sequence = sample.sequence ?? sequence
        if let place = sample.anchor {
            // The first anchor selects the point to keep in place. It does not move the view.
            if anchor == nil { hold(place, factor: factor, framing: framing) }
            anchor = place
        }
        guard let sampled = sample.scale else { return }
        switch sample.mode {
        case .cumulative:
            scale = Self.clamp(sampled)
            requested = base * scale
        case .incremental:
            requested = range.clamp(requested) * Self.clamp(sampled)
            scale = range.clamp(requested) / base
        }
    }

    /// Takes back what the gesture did since its start or its last rebase.
    mutating func revert() {
        scale = firstScale
        requested = base * scale
        anchor = firstAnchor
    }

    private mutating func hold(_ place: Point, factor: Double, framing: Framing) {
        firstAnchor = place
        held = framing.scenePoint(at: place, factor: factor)
    }

    private static func clamp(_ scale: Double) -> Double {
        min(max(scale, scales.lowerBound), scales.upperBound)
    }
}
