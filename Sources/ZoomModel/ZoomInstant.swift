/// A time as the model takes it: since an instant that its caller chose.
///
/// The size of `ContinuousClock.Instant` is known at run time only. Each copy of a gesture, of a ramp or of
/// the model then calls the runtime, which took a fifth of the instructions of a sample.
package struct ZoomInstant: InstantProtocol {
    package let sinceStart: Duration

    package init(sinceStart: Duration) { self.sinceStart = sinceStart }

    package static let start = ZoomInstant(sinceStart: .zero)

    package func advanced(by duration: Duration) -> ZoomInstant {
        ZoomInstant(sinceStart: sinceStart + duration)
    }

    package func duration(to other: ZoomInstant) -> Duration { other.sinceStart - sinceStart }

    package static func < (a: ZoomInstant, b: ZoomInstant) -> Bool { a.sinceStart < b.sinceStart }
}
