internal import Cameras

/// Waits until a device's exposure has settled: after a cold start its first frames are too dark or too
/// bright.
final class ExposureSettling {
    /// The exposure has settled when the mean luma of all frames in this window differs by at most
    /// ``tolerance`` (of 0…1).
    private static let window = Duration.milliseconds(200)
    private static let tolerance = 0.012
    private static let minFrames = 3
    /// After this duration the wait ends: the light of the scene may flicker.
    private static let timeout = Duration.milliseconds(1500)

    private let context: CameraContext
    private let device: Device
    private let photos: any PhotoService
    private let settled: () -> Void
    private let start: ContinuousClock.Instant
    private var samples: [(exposed: ContinuousClock.Instant, brightness: Double)] = []

    /// - Parameter settled: called once, also when there is no frame; not when the device is gone.
    init(
        _ context: CameraContext, device: Device, photos: any PhotoService, settled: @escaping () -> Void
    ) {
        (self.context, self.device, self.photos, self.settled) = (context, device, photos, settled)
        start = context.now
    }

    /// Begins to measure frames.
    func begin() { requestFrame(after: context.now) }

    private func requestFrame(after time: ContinuousClock.Instant) {
        device.frame(exposedAfter: time) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let frame): measure(frame)
            case .failure(.unplugged): return
            // The photo that follows reports the error.
            case .failure: settled()
            }
        }
    }

    private func measure(_ frame: Frame) {
        photos.measureBrightness(of: frame, camera: context.id) { [weak self] result in
            guard let self else { return }
            device.countIfDamaged(result, frame)
            if case .success(let brightness) = result { samples.append((frame.exposedAt, brightness)) }
            if isSettled(at: frame.exposedAt) || isTimedOut { return settled() }
            requestFrame(after: frame.exposedAt.advanced(by: .nanoseconds(1)))
        }
    }

    private func isSettled(at now: ContinuousClock.Instant) -> Bool {
        let begin = now.advanced(by: .zero - Self.window)
        guard let first = samples.first, first.exposed <= begin, samples.count >= Self.minFrames else {
            return false
        }
        let inWindow = samples.filter { $0.exposed >= begin }
        let window = inWindow.count >= Self.minFrames ? inWindow : samples.suffix(Self.minFrames)
        let values = window.map(\.brightness)
        return (values.max() ?? 1) - (values.min() ?? 0) <= Self.tolerance
    }

    private var isTimedOut: Bool { start.duration(to: context.now) >= Self.timeout }
}
