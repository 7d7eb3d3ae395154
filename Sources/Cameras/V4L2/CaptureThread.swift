internal import Base
internal import CV4L2
internal import Glibc

/// The capture thread of a device: it takes the frames, and the events of the driver.
///
/// It streams while frames are requested, and for a while afterwards. The newest frame stays in the driver's
/// memory; it is copied only when it is requested.
final class CaptureThread {
    enum Job: Sendable {
        /// The first frame exposed at or after this time.
        case frame(number: Int, after: ContinuousClock.Instant)
        /// Changes the mode.
        case change(CameraMode)
        case quit
    }

    enum Report: Sendable {
        case frame(number: Int, Result<Frame, CameraError>)
        case changed(Result<ModeChangeResult, CameraError>)
        case events([cv4l2_event])
        /// Frames that came, and frames that the driver lost or that were refused, since the last report.
        case streamed(frames: Int, lost: Int)
        /// The stream of H.264 can't go on without a key frame, or is to have one soon.
        case needsKeyFrame
        /// The device is gone; nothing else is reported afterwards.
        case deviceGone
    }

    struct ModeChangeResult: Sendable {
        let setup: V4L2Setup
        /// The factor of the sensor's crop; nil where there is none.
        let cropFactor: Double?
    }

    struct NewestFrame {
        let buffer: cv4l2_buffer
        let exposedAt: ContinuousClock.Instant
    }

    /// A stream: the driver has made buffers for us.
    struct Stream {
        var buffers: [MappedBuffer] = []
        var newest: NewestFrame?
        /// Instead of the newest frame, where frames are H.264: each is copied.
        var group: H264Group?
        /// When the last frame came.
        var lastArrival: ContinuousClock.Instant?
        /// The driver's number of the last frame.
        var sequence: UInt32?
        /// The number of the last frame, from the driver's first number on; it does not overflow.
        var number = 0
    }

    struct Counts {
        var frames = 0
        var lost = 0
        var since: ContinuousClock.Instant
    }

    private struct FrameRequest {
        let number: Int
        let after: ContinuousClock.Instant
        /// The time from which its timeout counts.
        var since: ContinuousClock.Instant
    }

    /// Longest time until a frame comes.
    private static let frameTimeout = Duration.seconds(3)
    /// Longest time until a key frame comes, while other frames come.
    private static let keyFrameTimeout = Duration.seconds(10)
    private static let bufferCount: UInt32 = 4
    /// Of H.264: a lost frame costs all up to the next key frame.
    private static let h264BufferCount: UInt32 = 8
    /// Minimum interval between two reports of how many frames came.
    private static let countInterval = Duration.seconds(10)
    /// Time after which a stream that is to run always is started again.
    private static let retryDelay = Duration.seconds(5)

    let device: V4L2Device
    var setup: V4L2Setup
    /// How long the stream goes on after the last request; nil: always.
    private let linger: Duration?
    let loop = EventLoop()
    let report: (Report) -> Void
    /// Nil: nothing streams.
    var stream: Stream?
    private var isGone = false
    var counts: Counts
    private var requests: [FrameRequest] = []
    /// When a key frame was last requested.
    var keyFrameRequested: ContinuousClock.Instant?
    private lazy var retryTimer = loop.timer { [weak self] in self?.keepStreaming() }
    private lazy var frameTimer = loop.timer { [weak self] in self?.frameTimedOut() }
    private lazy var lingerTimer = loop.timer { [weak self] in self?.stopStream() }

    /// - Parameter setup: of the device, as it was set.
    init(
        _ device: V4L2Device, _ setup: V4L2Setup, linger: Duration?, jobs: Inbox<Job>,
        report: @escaping (Report) -> Void
    ) {
        self.device = device
        (self.setup, self.linger, self.report) = (setup, linger, report)
        counts = Counts(since: loop.now)
        jobs.attach(to: loop) { [weak self] in self?.perform($0) }
    }

    private var isStreaming: Bool { stream != nil }

    /// Runs until ``Job/quit``.
    func run() {
        loop.watch(
            device.descriptor,
            for: { [weak self] in self?.isStreaming == true ? [.readable, .urgent] : .urgent },
            ready: { [weak self] in self?.isReady($0) })
        if linger == nil { keepStreaming() }
        loop.run()
        stopStream()
    }

    private func keepStreaming() {
        if isGone || isStreaming { return }
        if (try? startStream()) == nil { retryTimer.set(after: Self.retryDelay) }
    }

    private func perform(_ job: Job) {
        switch job {
        case .quit: loop.stop()
        case .frame(let number, let after):
            guard !isGone else { return report(.frame(number: number, .failure(.unplugged))) }
            lingerTimer.cancel()
            do throws(CameraError) {
                if !isStreaming { try startStream() }
                requests.append(FrameRequest(number: number, after: after, since: loop.now))
                serve()
            } catch {
                report(.frame(number: number, .failure(error)))
            }
        case .change(let mode):
            let result = change(to: mode)
            report(.changed(result))
            if case .failure(.unplugged) = result { deviceGone() }
        }
    }

    // MARK: Frames and events of the driver

    private func isReady(_ what: EventLoop.Interest) {
        if what.contains(.urgent) || !what.isDisjoint(with: .failed) { takeEvents() }
        if isStreaming && (what.contains(.readable) || !what.isDisjoint(with: .failed)) {
            takeFrames()
        }
    }

    private func takeEvents() {
        var events: [cv4l2_event] = []
        do throws(CameraError) {
            while let event = try device.nextEvent() { events.append(event) }
        } catch {
            return deviceGone()
        }
        if !events.isEmpty { report(.events(events)) }
    }

    /// One frame in each turn of the loop: the next poll shows whether there is another one.
    private func takeFrames() {
        var buffer = cv4l2_buffer()
        switch cv4l2_dequeue(device.node, &buffer) {
        case 0:
            let count = stream?.buffers.count ?? 0
            guard buffer.index < count else {
                stopStream()
                return failAll(.device("VIDIOC_DQBUF: the driver gave buffer \(buffer.index) of \(count)"))
            }
            take(buffer)
            if !requests.isEmpty { serve() }
        case -EAGAIN: return
        case -ENODEV: deviceGone()
        case let code:
            // A driver whose device was unplugged returns EINVAL first.
            if (try? device.format()) == nil { return deviceGone() }
            stopStream()
            failAll(V4L2Device.error("VIDIOC_DQBUF", code))
        }
    }

    private func take(_ buffer: cv4l2_buffer) {
        // A driver may give two frames the same number.
        let step = stream?.sequence.map { Int(Int32(bitPattern: buffer.sequence &- $0)) }
        if let step { counts.lost += max(0, step - 1) }
        stream?.number += step ?? Int(buffer.sequence)
        stream?.sequence = buffer.sequence
        stream?.lastArrival = loop.now
        counts.frames += 1
        if counts.since.duration(to: loop.now) >= Self.countInterval { reportCounts() }
        // Buffers are queued in the order in which they came: libcamera's layer expects it.
        if let newest = stream?.newest { _ = cv4l2_queue(device.node, newest.buffer.index, 0) }
        stream?.newest = nil
        guard !buffer.damaged, !buffer.isEmpty else {
            counts.lost += 1
            _ = cv4l2_queue(device.node, buffer.index, 0)
            if stream?.group != nil { loseGroup() }
            return
        }
        if stream?.group != nil { return takeH264(buffer, exposedAt: exposure(of: buffer)) }
        stream?.newest = NewestFrame(buffer: buffer, exposedAt: exposure(of: buffer))
    }

    private func reportCounts() {
        report(.streamed(frames: counts.frames, lost: counts.lost))
        counts = Counts(since: loop.now)
    }

    /// The driver's clock stands still while the machine is suspended, ours does not. So the age of the frame
    /// is what is converted.
    private func exposure(of buffer: cv4l2_buffer) -> ContinuousClock.Instant {
        guard buffer.time > 0 else { return loop.now }
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let age = Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec) - buffer.time
        // A frame whose time is that of its end was exposed one interval earlier.
        let interval = buffer.timed_at_start ? 0 : 1 / setup.rate
        return loop.now.advanced(by: .nanoseconds(-age)).advanced(by: .seconds(-interval))
    }

    // MARK: Requests for frames

    private func serve() {
        if let group = stream?.group { serveH264(group) }
        if let stream, let newest = stream.newest {
            let ready = takeRequests(upTo: newest.exposedAt)
            if !ready.isEmpty {
                let frame = Result { () throws(CameraError) in try picture(of: newest, stream.buffers) }
                if case .failure = frame { drop(newest) }
                for number in ready { report(.frame(number: number, frame)) }
            }
        }
        if let oldest = requests.first {
            frameTimer.set(at: oldest.since.advanced(by: timeout))
        } else {
            frameTimer.cancel()
            if let linger, isStreaming, !lingerTimer.isSet { lingerTimer.set(after: linger) }
        }
    }

    /// Takes out the requests for a frame that was exposed at this time or before. Returns their numbers.
    func takeRequests(upTo time: ContinuousClock.Instant) -> [Int] {
        let ready = requests.filter { $0.after <= time }
        requests.removeAll { $0.after <= time }
        return ready.map(\.number)
    }

    private func picture(
        of newest: NewestFrame, _ buffers: [MappedBuffer]
    ) throws(CameraError) -> Frame {
        let format = setup.format
        let frame = try format.frame(
            newest.buffer.filled, in: buffers[Int(newest.buffer.index)].planes)
        return Frame(
            picture: try format.picture(of: frame), field: .whole, number: Int(newest.buffer.sequence),
            exposedAt: newest.exposedAt)
    }

    /// Drops the newest frame, because no picture can be made of it: it counts as lost, and later requests
    /// get another frame.
    private func drop(_ newest: NewestFrame) {
        counts.lost += 1
        stream?.newest = nil
        _ = cv4l2_queue(device.node, newest.buffer.index, 0)
    }

    /// The longest time until the oldest request has its frame.
    private var timeout: Duration {
        guard let stream, let group = stream.group, group.awaitsKeyFrame, let last = stream.lastArrival,
            last.duration(to: loop.now) < Self.frameTimeout
        else { return Self.frameTimeout }
        return Self.keyFrameTimeout
    }

    private func frameTimedOut() {
        let timeout = timeout
        if let oldest = requests.first, oldest.since.duration(to: loop.now) < timeout {
            return frameTimer.set(at: oldest.since.advanced(by: timeout))
        }
        let what = timeout == Self.keyFrameTimeout ? "key frame of H.264" : "frame"
        failAll(.device("no \(what) came within \(Int(timeout / .seconds(1))) s"))
        // A new start brings some devices back.
        stopStream()
    }

    func failAll(_ error: CameraError) {
        let failed = requests
        requests = []
        frameTimer.cancel()
        for request in failed { report(.frame(number: request.number, .failure(error))) }
    }

    private func deviceGone() {
        guard !isGone else { return }
        loop.unwatch(device.descriptor)
        stopStream()
        isGone = true
        retryTimer.cancel()
        failAll(.unplugged)
        report(.deviceGone)
    }

    // MARK: The mode

    /// Changes the mode, or leaves everything as it was. Pending requests for frames stay pending.
    private func change(to mode: CameraMode) -> Result<ModeChangeResult, CameraError> {
        guard !isGone else { return .failure(.unplugged) }
        stopStream()
        let before = setup
        // Only a crop that zooms has to be kept.
        let rectangle = before.crop.flatMap { _ in try? device.cropRectangle() }
        do throws(CameraError) {
            setup = try device.change(before, to: mode, crop: rectangle)
            let factor = try setup.crop.map { crop throws(CameraError) in
                crop.factor(at: try device.cropRectangle())
            }
            try resumeStream()
            return .success(ModeChangeResult(setup: setup, cropFactor: factor))
        } catch {
            if error == .unplugged { return .failure(error) }
            setup = before
            device.restore(before, crop: rectangle)
            do throws(CameraError) { try resumeStream() } catch let second { failAll(second) }
            return .failure(error)
        }
    }

    /// Goes on streaming if frames are requested, or if the stream is to run always.
    func resumeStream() throws(CameraError) {
        guard !requests.isEmpty || linger == nil else { return device.release() }
        try startStream()
        for place in requests.indices { requests[place].since = loop.now }
        serve()
    }

    // MARK: The stream

    private func startStream() throws(CameraError) {
        setup = try device.renew(setup)
        var count = setup.format.isH264 ? Self.h264BufferCount : Self.bufferCount
        try device.check(cv4l2_request_buffers(device.node, &count), "VIDIOC_REQBUFS")
        stream = Stream()
        if setup.format.isH264 {
            stream?.group = H264Group(width: setup.format.width, height: setup.format.height)
        }
        do throws(CameraError) {
            for index in 0..<count {
                stream?.buffers.append(try device.map(index, for: setup.format))
                try device.check(cv4l2_queue(device.node, index, 0), "VIDIOC_QBUF")
            }
            try device.check(cv4l2_stream(device.node, true), "VIDIOC_STREAMON")
        } catch {
            stopStream()
            throw error
        }
    }

    func stopStream() {
        guard let stopped = stream else { return }
        stream = nil
        lingerTimer.cancel()
        reportCounts()
        _ = cv4l2_stream(device.node, false)
        device.forgetFrames()
        for buffer in stopped.buffers { buffer.unmap() }
        device.release()
        if linger == nil && !isGone { retryTimer.set(after: Self.retryDelay) }
    }
}
