internal import Cameras
internal import ZoomModel

extension ContinuousClock.Instant {
    /// The instant from which the times of the models count. Any would do.
    private static let origin = ContinuousClock.now

    /// The same time, as the zoom model and the lease take it.
    var forModel: ZoomInstant { ZoomInstant(sinceStart: Self.origin.duration(to: self)) }

    /// A time of the zoom model or the lease.
    init(_ time: ZoomInstant) { self = Self.origin.advanced(by: time.sinceStart) }
}

extension Viewport {
    var forPictures: Region { Region(x: x, y: y, width: width, height: height) }
}
