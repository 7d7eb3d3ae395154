import Base
internal import Glibc

/// The H.264 of a second node of the device: a capture thread of its own, which also opens and closes the
/// node.
final class V4L2VideoStream: VideoStream {
    private enum Report: Sendable {
        /// The node streams when a frame is requested; or why it can't.
        case opened(CameraError?)
        case capture(CaptureThread.Report)
    }

    /// How long the stream goes on after the last request.
    private static let linger = Duration.seconds(5)
    private static let closed = CameraError.device("the camera's video was closed")

    /// What is called on the loop, until ``close()``.
    struct Callbacks {
        /// See ``CameraCallbacks/streamed``.
        var streamed: (_ frames: Int, _ lost: Int) -> Void = { _, _ in }
        /// The stream can't go on without a key frame, or is to have one soon.
        var needsKeyFrame: () -> Void = {}
        /// Called once, when the node is not used any more.
        var ended: () -> Void = {}
    }

    private let callbacks: Callbacks
    private let loop: EventLoop
    private let jobs: Inbox<CaptureThread.Job>
    private let reports: Inbox<Report>
    /// Called when the node is open, or can't be opened; nil: it was called.
    private var opened: ((Result<any VideoStream, CameraError>) -> Void)?
    private var frames: [Int: (Result<Frame, CameraError>) -> Void] = [:]
    private var lastNumber = 0
    private(set) var isClosed = false

    /// Opens a node that no other camera of the agent uses, and keeps it from them until the stream ends.
    ///
    /// - Parameters:
    ///   - path: nil: the camera has none.
    ///   - callbacks: without the last one.
    ///   - then: called once, on the loop; also by ``close()``.
    static func open(
        _ path: String?, _ mode: CameraMode, among devices: (any DeviceList)?, on loop: EventLoop,
        _ callbacks: Callbacks, then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) -> V4L2VideoStream? {
        guard let path, devices?.claim(path) ?? true else {
            then(.failure(.device("another camera has the node of the video")))
            return nil
        }
        var callbacks = callbacks
        callbacks.ended = { [weak devices] in _ = devices?.claimed.remove(path) }
        do throws(LoopError) {
            return try V4L2VideoStream(at: path, mode, on: loop, callbacks, then: then)
        } catch {
            callbacks.ended()
            then(.failure(.device("\(error)")))
            return nil
        }
    }

    /// Opens the node.
    ///
    /// - Parameters:
    ///   - callbacks: the last one is called during ``close()``, or when the node can't be opened.
    ///   - then: called once, on the loop; also by ``close()``.
    init(
        at path: String, _ mode: CameraMode, on loop: EventLoop, _ callbacks: Callbacks,
        then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) throws(LoopError) {
        let (jobs, reports) = (try Inbox<CaptureThread.Job>(), try Inbox<Report>())
        (self.loop, self.jobs, self.reports) = (loop, jobs, reports)
        (self.callbacks, opened) = (callbacks, then)
        let thread = try Thread(name: "video") { Self.run(path, mode, jobs, reports) }
        thread.detach()
        reports.attach(to: loop) { [self] in received($0) }
    }

    private static func run(
        _ path: String, _ mode: CameraMode, _ jobs: Inbox<CaptureThread.Job>, _ reports: Inbox<Report>
    ) {
        do throws(CameraError) {
            let (device, setup) = try V4L2Device.openForVideo(path, mode)
            let capture = CaptureThread(device, setup, linger: linger, jobs: jobs) {
                reports.send(.capture($0))
            }
            reports.send(.opened(nil))
            // The thread's own timers refer to it weakly.
            withExtendedLifetime(capture) { capture.run() }
        } catch {
            reports.send(.opened(error))
        }
    }

    private func received(_ report: Report) {
        // Reports of the same batch arrive even after the end.
        if isClosed { return }
        switch report {
        case .opened(nil):
            let then = opened
            opened = nil
            then?(.success(self))
        case .opened(let error?):
            let then = opened
            opened = nil
            close()
            then?(.failure(error.ofVideo))
        case .capture(.frame(let number, let result)):
            frames.removeValue(forKey: number)?(result.mapError(\.ofVideo))
        case .capture(.streamed(let frames, let lost)): callbacks.streamed(frames, lost)
        case .capture(.needsKeyFrame): callbacks.needsKeyFrame()
        case .capture(.changed), .capture(.events), .capture(.deviceGone): break
        }
    }

    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        if isClosed { return then(.failure(Self.closed)) }
        lastNumber += 1
        frames[lastNumber] = then
        jobs.send(.frame(number: lastNumber, after: time))
    }

    func close() {
        if isClosed { return }
        isClosed = true
        reports.detach(from: loop)
        jobs.send(.quit)
        callbacks.ended()
        let pending = frames.sorted { $0.key < $1.key }
        frames = [:]
        opened?(.failure(Self.closed))
        opened = nil
        for (_, then) in pending { then(.failure(Self.closed)) }
    }
}

extension CameraError {
    /// As a failure of the second node: whether the device is gone, its first node reports.
    fileprivate var ofVideo: CameraError {
        self == .unplugged ? .device("the node of the camera's video is gone") : self
    }
}

// MARK: The node

extension V4L2Device {
    /// The formats of H.264 of another node of the same USB camera, and its path; nil: there is none.
    ///
    /// Some cameras have a second streaming interface for it. The driver makes a video node of each.
    func videoNode() -> (path: String, formats: [CameraDescription.Format])? {
        guard identity.driver == "uvcvideo", let own = Files.realPath(path) else { return nil }
        let folder = "/sys/class/video4linux/\(own.split(separator: "/").last ?? "")/device/video4linux"
        for name in DeviceScan.entries(of: folder).sorted() where name.hasPrefix("video") {
            let other = "/dev/" + name
            guard other != own, let device = try? V4L2Device(path: other), device.identity.captures else {
                continue
            }
            let formats = device.formats().filter { $0.pixelFormat == CameraDescription.videoFormat }
            if !formats.isEmpty { return (other, formats) }
        }
        return nil
    }

    /// Opens a node, and sets it to a mode. The thread of the stream before may not have closed it yet.
    fileprivate static func openForVideo(
        _ path: String, _ mode: CameraMode
    ) throws(CameraError) -> (V4L2Device, V4L2Setup) {
        let device = try V4L2Device(path: path)
        let setup = V4L2Setup(format: try device.format(), rate: mode.rate, crop: nil)
        let format = setup.format(for: mode)
        for _ in 0..<10 {
            guard device.isBusy(for: format) else { break }
            usleep(50_000)
        }
        return (device, try device.change(setup, to: mode, crop: nil))
    }
}
