/// The lens as the model knows it: what it last reported, and what is still wanted of it.
struct Lens: Equatable {
    /// The factor that was last read back; 1 is the widest.
    private(set) var optical: Double
    private(set) var isMoving = false
    /// A request is under way.
    private(set) var isBusy = false
    /// It was told to stop, and has not yet said where.
    private(set) var isStopping = false
    /// The factor that was last requested.
    private(set) var requested: Double
    /// What to request as soon as it isn't busy: the newest wish only.
    private var next: Double?
    /// Somebody else is moving it.
    private(set) var isForeign = false

    init(at optical: Double = 1) {
        self.optical = optical
        requested = optical
    }

    /// Whether nothing is on its way.
    var isStill: Bool { !isMoving && !isUnsure && next == nil }

    /// Whether a report is outstanding that will say where the lens is.
    var isUnsure: Bool { isBusy || isStopping }

    /// Forgets what was requested: the next wish is a request, whatever it is.
    mutating func doubt() { requested = .nan }

    /// Wishes for a factor. Returns what to request, if it is to be requested now.
    mutating func wish(_ factor: Double) -> Double? {
        if isUnsure {
            next = factor
            return nil
        }
        // A driver that rounds may never be exactly there: asking again for the same would never end.
        // A lens that somebody else moves won't stay there by itself, though.
        if factor == requested && !isForeign { return nil }
        requested = factor
        isBusy = true
        return factor
    }

    /// Forgets what is wanted. Returns whether the lens has to be told to stop.
    mutating func stop() -> Bool {
        next = nil
        if isStopping || isStill { return false }
        isStopping = true
        return true
    }

    /// Takes a report in. Returns what to request now.
    mutating func take(_ report: LensReport) -> Double? {
        switch report {
        case .written(let optical, let moving):
            isBusy = false
            isForeign = false
            self.optical = optical
            isMoving = moving
        case .moved(let optical, let moving):
            // By somebody else's hand: what was requested once is no longer so.
            if isStill || isForeign {
                requested = optical
                isForeign = moving
            }
            self.optical = optical
            isMoving = moving
        case .stopped(let optical):
            self.optical = optical
            requested = optical
            isBusy = false
            isMoving = false
            isStopping = false
            isForeign = false
        }
        return requestNext()
    }

    /// The request was refused: the lens is where it was.
    mutating func fail() {
        isBusy = false
        isMoving = false
        isStopping = false
        requested = optical
        next = nil
    }

    private mutating func requestNext() -> Double? {
        guard !isUnsure, let factor = next else { return nil }
        next = nil
        return wish(factor)
    }
}
