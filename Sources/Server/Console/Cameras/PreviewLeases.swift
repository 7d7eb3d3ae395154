internal import Contract

/// The preview leases of the console: one for each camera of which pages want pictures, with the largest
/// width and the largest rate of their previews. It sends nothing itself.
struct PreviewLeases {
    /// What new previews mean for the lease of a camera.
    enum Change {
        case begins, changes, ends
    }

    private struct Lease {
        var width: Int
        var rate: Double
        /// Nil: it was not sent yet.
        var renewed: ContinuousClock.Instant?
    }

    /// In seconds: the duration of a lease.
    private static let seconds = 30
    /// The age at which a lease is sent again.
    private static let renewal = Duration.seconds(10)

    /// How long a lease stays for the next snapshot: a program that polls them must not start and stop the
    /// camera each time.
    private static let kept = Duration.seconds(10)

    /// The command that ends a lease.
    static let end: JSONObject = ["stop": .flag(true)]

    private var leases: [CameraAddress: Lease] = [:]
    /// What snapshots have wanted, and until when that stays.
    private var polled: [CameraAddress: (preview: PreviewRequest, until: ContinuousClock.Instant)] = [:]

    /// The cameras that have a lease.
    var cameras: [CameraAddress] { Array(leases.keys) }

    func contains(_ camera: CameraAddress) -> Bool { leases[camera] != nil }

    /// A snapshot was taken.
    mutating func keep(_ preview: PreviewRequest, at time: ContinuousClock.Instant) {
        polled[preview.camera] = (preview, time + Self.kept)
    }

    /// The cameras whose leases need not be kept for snapshots any more.
    mutating func takeUnpolled(at time: ContinuousClock.Instant) -> [CameraAddress] {
        let old = polled.filter { $0.value.until <= time }.map(\.key)
        for camera in old { polled[camera] = nil }
        return old
    }

    /// Takes the previews of all pages for a camera; none end its lease, unless it is kept.
    ///
    /// - Parameter isThere: false: the camera is gone.
    /// - Returns: nil: the lease stays as it is.
    mutating func set(_ camera: CameraAddress, _ previews: [PreviewRequest], isThere: Bool) -> Change? {
        if !isThere { polled[camera] = nil }
        let previews = isThere ? previews + (polled[camera].map { [$0.preview] } ?? []) : []
        guard let width = previews.map(\.width).max(), let rate = previews.map(\.rate).max() else {
            return leases.removeValue(forKey: camera) == nil ? nil : .ends
        }
        let before = leases[camera]
        if before?.width == width, before?.rate == rate { return nil }
        leases[camera] = Lease(width: width, rate: rate, renewed: nil)
        return before == nil ? .begins : .changes
    }

    /// The command that takes or renews the lease of a camera now; nil: the camera has none.
    mutating func renew(_ camera: CameraAddress, at time: ContinuousClock.Instant) -> JSONObject? {
        guard let lease = leases[camera] else { return nil }
        leases[camera]?.renewed = time
        return [
            "fps": .number(lease.rate), "width": .integer(lease.width), "seconds": .integer(Self.seconds),
        ]
    }

    /// The cameras whose leases are to be sent again.
    func due(at time: ContinuousClock.Instant) -> [CameraAddress] {
        leases.filter { $0.value.renewed.map { time - $0 >= Self.renewal } ?? true }.map(\.key)
    }
}
