/// A pinch under way.
///
/// Its factor is always `base × scale`: samples are levels, never added up, so that a lost one does no harm and fingers that
/// come back to where they began bring the zoom back with them.
struct Gesture: Equatable {
    /// Two clients may give the same name to their gestures.
    struct Key: Hashable {
        let client: String?
        let gesture: String
        var isTouch = false
    }

    /// Fingers can't be further apart than this, as a multiple; it keeps products finite.
    private static let scales = 1e-9...1e9

    let key: Key
    /// The factor at scale 1.
    private(set) var base: Double
    /// The scale of the last sample, from the gesture's start.
    private(set) var scale: Double
    private(set) var lastHeard: ContinuousClock.Instant
    /// The model's count of changes after this gesture's last one: when it differs, somebody else moved the zoom.
    var seenChange: Int

    private var sequence: Int?
    /// Where between the fingers is; nil as long as nobody said.
    private var anchor: Point?
    /// Where between the fingers was when ``held`` was taken.
    private var firstAnchor: Point
    /// The point of the scene that the fingers hold.
    private var held: Point
    /// The scale at which it began (1, but where its beginning was lost), or at which somebody else moved the zoom.
    private var firstScale: Double

    /// A gesture that begins, at whatever scale, from the zoom as it is.
    init(
        _ sample: PinchSample, key: Key, factor: Double, framing: Framing, change: Int,
        at now: ContinuousClock.Instant
    ) {
        self.key = key
        scale = sample.mode == .cumulative ? Self.clamp(sample.scale ?? 1) : 1
        firstScale = scale
        base = factor / scale
        anchor = sample.anchor
        firstAnchor = sample.anchor ?? .middle
        held = framing.scenePoint(at: firstAnchor, factor: factor)
        sequence = sample.sequence
        lastHeard = now
        seenChange = change
    }

    /// The factor that the fingers ask for, before the range is applied.
    var factor: Double { base * scale }

    /// What the view is to keep in place.
    var hold: Hold { Hold(scene: held, anchor: anchor ?? firstAnchor) }

    /// Whether a sample asks for the scale that was asked for last.
    func isHeld(by sample: PinchSample) -> Bool {
        guard let sampled = sample.scale else { return true }
        return Self.clamp(sample.mode == .cumulative ? sampled : scale * sampled) == scale
    }

    /// Whether a sample is no newer than one that was applied.
    func isStale(_ sample: PinchSample) -> Bool {
        guard let newest = sequence, let number = sample.sequence else { return false }
        return number <= newest
    }

    /// Goes on from the zoom as everybody sees it, after somebody else has changed it.
    mutating func rebase(factor: Double, framing: Framing) {
        base = factor / scale
        // What is taken back by a revert is what the fingers did since.
        firstScale = scale
        hold(anchor ?? firstAnchor, factor: factor, framing: framing)
    }

    /// Takes in a newer sample.
    ///
    /// - Parameters:
    ///   - factor: the zoom as it is, before the sample.
    ///   - framing: the view as it is, before the sample.
    mutating func take(
        _ sample: PinchSample, factor: Double, framing: Framing, at now: ContinuousClock.Instant
    ) {
        lastHeard = now
        sequence = sample.sequence ?? sequence
        if let place = sample.anchor {
            // The first word of where the fingers are says what they hold; it doesn't move the picture there.
            if anchor == nil { hold(place, factor: factor, framing: framing) }
            anchor = place
        }
        guard let sampled = sample.scale else { return }
        scale = Self.clamp(sample.mode == .cumulative ? sampled : scale * sampled)
    }

    /// Takes back what the fingers did.
    mutating func revert() {
        scale = firstScale
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
