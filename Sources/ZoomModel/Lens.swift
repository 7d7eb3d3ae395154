/// The lens as the model knows it: its last report, and the requests to it.
struct Lens: Equatable {
    /// The factor that was last read back. 1 is the widest view.
    private(set) var optical: Double
    private(set) var isMoving = false
    /// A request is under way.
    private(set) var isBusy = false
    /// A stop is under way; its report is outstanding.
    private(set) var isStopping = false
    /// The factor that was last requested, or NaN if the next request has to be sent whatever it is.
    private(set) var requested: Double
    /// The factor to request as soon as no report is outstanding. Only the newest one is kept.
    private var queued: Double?
    /// The lens is being moved by hand or by another program.
    private(set) var isMovedExternally = false

    init(at optical: Double = 1) {
        self.optical = optical
        requested = optical
    }

    /// Whether the lens stands still and nothing is requested of it.
    var isStill: Bool { !isMoving && !awaitsReport && queued == nil }

    /// Whether a report with the factor of the lens is outstanding.
    var awaitsReport: Bool { isBusy || isStopping }

    /// Forgets the last request: the next one is sent even if it is for the same factor.
    mutating func invalidate() { requested = .nan }

    /// Requests a factor. Returns the factor to send to the lens now, if any; while a report is outstanding
    /// it is queued.
    mutating func request(_ factor: Double) -> Double? {
        if awaitsReport {
            queued = factor
            return nil
        }
        // A driver that rounds may never report exactly this factor: requesting it again would never end. A
        // lens that is moved externally has to be sent there again.
        if factor == requested && !isMovedExternally { return nil }
        requested = factor
        isBusy = true
        return factor
    }

    /// Drops the queued request. Returns whether a stop has to be sent to the lens.
    mutating func stop() -> Bool {
        queued = nil
        if isStopping || isStill { return false }
        isStopping = true
        return true
    }

    /// Applies an event. Returns the factor to send to the lens now, if any.
    mutating func handle(_ event: LensEvent) -> Double? {
        switch event {
        case .written(let optical, let moving):
            isBusy = false
            isMovedExternally = false
            self.optical = optical
            isMoving = moving
        case .moved(let optical, let moving):
            // Moved externally: the last request does not hold any more.
            if isStill || isMovedExternally {
                requested = optical
                isMovedExternally = moving
            }
            self.optical = optical
            isMoving = moving
        case .stopped(let optical):
            self.optical = optical
            requested = optical
            isBusy = false
            isMoving = false
            isStopping = false
            isMovedExternally = false
        }
        return requestQueued()
    }

    /// The request failed: the lens is where it was.
    mutating func fail() {
        isBusy = false
        isMoving = false
        isStopping = false
        requested = optical
        queued = nil
    }

    private mutating func requestQueued() -> Double? {
        guard !awaitsReport, let factor = queued else { return nil }
        queued = nil
        return request(factor)
    }
}
