internal import Base
internal import Cameras

/// The frames of a virtual camera: requested from the device one after the other, of which the newest is
/// kept.
final class OutputFrames {
    /// How long to wait when the device has no frame.
    private static let retryDelay = Duration.milliseconds(100)

    private let device: Device
    private let came: () -> Void
    /// The count of times that frames were begun; nil: none are requested.
    private var run: Int?
    private var lastRun = 0
    /// The newest frame since the begin.
    private(set) var newest: Frame?
    private let context: CameraContext
    private lazy var retryTimer = context.timer { [weak self] in self?.request() }

    /// - Parameter came: called with each frame.
    init(_ context: CameraContext, device: Device, came: @escaping () -> Void) {
        (self.context, self.device, self.came) = (context, device, came)
    }

    /// Begins to request frames, unless they are requested already.
    func begin() {
        guard run == nil else { return }
        lastRun += 1
        run = lastRun
        request()
    }

    /// Ends it, and drops the newest frame.
    func end() {
        (run, newest) = (nil, nil)
        retryTimer.cancel()
    }

    private func request() {
        guard let run, device.absence == nil else { return }
        // The newest frame, each one once.
        let time = newest?.exposedAt.advanced(by: .nanoseconds(1)) ?? context.now
        // A virtual camera needs frames all the time: a better device would never be used.
        device.frame(exposedAfter: time, isUse: false) { [weak self] result in
            guard let self, self.run == run else { return }
            switch result {
            case .success(let frame):
                newest = frame
                came()
                if self.run == run { request() }
            case .failure: retryTimer.set(after: Self.retryDelay)
            }
        }
    }
}
