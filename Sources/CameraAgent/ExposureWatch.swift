internal import Cameras
internal import LoopThread

/// Waits until a camera's exposure has settled: after a cold start its first frames are too dark or too light.
final class ExposureWatch {
    /// It has settled when the mean luma of so many frames in a row is alike, within this part of the whole range.
    private static let framesAlike = 3
    private static let tolerance = 0.012
    /// A scene that flickers doesn't keep anybody waiting.
    private static let longest = Duration.milliseconds(1500)

    private unowned let camera: Camera
    private let settled: () -> Void
    private let start: ContinuousClock.Instant
    private var last: Double?
    private var alike = 1

    /// - Parameter settled: called once, also when no frame can be had.
    init(_ camera: Camera, settled: @escaping () -> Void) {
        self.camera = camera
        self.settled = settled
        start = camera.agent.loop.now
    }

    /// Looks at one frame after the other.
    func look() {
        camera.backend.frame(exposedAfter: camera.agent.loop.now) { [weak self] result in
            guard let self else { return }
            // What ails the camera is said when the photo is taken.
            guard case .success(let frame) = result else { return settled() }
            camera.agent.darkroom.measure(frame) { [weak self] in self?.measured($0) }
        }
    }

    private func measured(_ brightness: Double?) {
        guard let brightness else { return isLate ? settled() : look() }
        alike = last.map { abs($0 - brightness) <= Self.tolerance } == true ? alike + 1 : 1
        last = brightness
        if alike >= Self.framesAlike || isLate { settled() } else { look() }
    }

    private var isLate: Bool { start.duration(to: camera.agent.loop.now) >= Self.longest }
}
