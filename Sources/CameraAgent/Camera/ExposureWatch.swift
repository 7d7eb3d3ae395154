internal import Cameras
internal import LoopThread

/// Waits until a camera's exposure has settled: after a cold start its first frames are too dark or too light.
final class ExposureWatch {
    /// It has settled when the mean luma of all frames of so long is alike, within this part of the whole range.
    private static let window = Duration.milliseconds(200)
    private static let tolerance = 0.012
    private static let framesAtLeast = 3
    /// A scene that flickers doesn't keep anybody waiting.
    private static let longest = Duration.milliseconds(1500)

    private unowned let camera: Camera
    private let settled: () -> Void
    private let start: ContinuousClock.Instant
    private var seen: [(exposed: ContinuousClock.Instant, brightness: Double)] = []

    /// - Parameter settled: called once, also when no frame can be had; not when the camera is gone.
    init(_ camera: Camera, settled: @escaping () -> Void) {
        self.camera = camera
        self.settled = settled
        start = camera.agent.loop.now
    }

    /// Looks at one frame after the other.
    func look() { look(after: camera.agent.loop.now) }

    private func look(after time: ContinuousClock.Instant) {
        camera.backend.frame(exposedAfter: time) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let frame): measure(frame)
            case .failure(.unplugged): return
            // What ails the camera is said when the photo is taken.
            case .failure: settled()
            }
        }
    }

    private func measure(_ frame: Frame) {
        camera.agent.darkroom.measure(frame) { [weak self] brightness in
            guard let self else { return }
            if let brightness { seen.append((frame.exposedAt, brightness)) }
            if isSettled(at: frame.exposedAt) || isLate { return settled() }
            look(after: frame.exposedAt.advanced(by: .nanoseconds(1)))
        }
    }

    private func isSettled(at now: ContinuousClock.Instant) -> Bool {
        let begin = now.advanced(by: .zero - Self.window)
        guard let first = seen.first, first.exposed <= begin, seen.count >= Self.framesAtLeast else {
            return false
        }
        let inWindow = seen.filter { $0.exposed >= begin }
        let window = inWindow.count >= Self.framesAtLeast ? inWindow : seen.suffix(Self.framesAtLeast)
        let values = window.map(\.brightness)
        return (values.max() ?? 1) - (values.min() ?? 0) <= Self.tolerance
    }

    private var isLate: Bool { start.duration(to: camera.agent.loop.now) >= Self.longest }
}
