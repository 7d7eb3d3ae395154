internal import CV4L2
internal import Cameras
internal import Glibc
internal import LoopThread
internal import Picture

/// What a device's stream thread does: it takes the frames in, and what the driver has to tell.
///
/// It streams while frames are wanted, and a little longer. The newest frame is kept in the driver's own memory; it is copied only when
/// somebody wants it.
final class StreamSide {
    enum Job: Sendable {
        /// The first frame exposed at or after this time.
        case frame(number: Int, after: ContinuousClock.Instant)
        /// Frames are to come in this mode from now on.
        case change(CameraMode)
        case quit
    }

    enum Report: Sendable {
        case frame(number: Int, Result<Frame, CameraError>)
        case changed(Result<Changed, CameraError>)
        case events([V4L2Event])
        /// So many frames have come since the last report, and so many were lost.
        case streamed(frames: Int, lost: Int)
        case lost
    }

    struct Changed: Sendable {
        let setup: V4L2Setup
        /// What the sensor's crop zooms by now; nil where there is none.
        let cropFactor: Double?
    }

    private struct Buffer {
        let start: UnsafePointer<UInt8>
        let length: Int
    }

    private struct Newest {
        let buffer: cv4l2_buffer
        let exposedAt: ContinuousClock.Instant
    }

    /// So long a frame may take.
    private static let frameAtMost = Duration.seconds(3)
    private static let buffersWanted: UInt32 = 4
    /// Between two reports of how many frames came.
    private static let countingPace = Duration.seconds(10)

    private let device: V4L2Device
    private var setup: V4L2Setup
    /// How long the stream goes on without anybody who wants a frame; nil: for ever.
    private let linger: Duration?
    private let loop = EventLoop()
    private let report: (Report) -> Void
    private var buffers: [Buffer] = []
    /// The driver has made buffers for us.
    private var isStreaming = false
    private var newest: Newest?
    /// The driver's number of the last frame of the stream that runs.
    private var sequence: UInt32?
    /// Frames that came and that didn't, since they were reported.
    private var (frames, lost) = (0, 0)
    private var reported: ContinuousClock.Instant
    private var waiting: [(number: Int, after: ContinuousClock.Instant, since: ContinuousClock.Instant)] = []
    private var isLost = false
    private static let againAfter = Duration.seconds(5)
    private lazy var again = loop.timer { [weak self] in self?.streamForEver() }
    private lazy var patience = loop.timer { [weak self] in self?.giveUp() }
    private lazy var idle = loop.timer { [weak self] in self?.stopStream() }

    init(
        _ opened: ControlSide.Opened, linger: Duration?, jobs: Inbox<Job>, report: @escaping (Report) -> Void
    ) {
        device = opened.device
        (setup, self.linger, self.report) = (opened.setup, linger, report)
        reported = loop.now
        jobs.attach(to: loop) { [weak self] in self?.perform($0) }
    }

    /// Runs until told to quit. A device that is unplugged is let go, and nothing is heard of it any more.
    func run() {
        loop.watch(
            device.descriptor,
            for: { [weak self] in self?.isStreaming == true ? [.readable, .urgent] : .urgent },
            ready: { [weak self] in self?.isReady($0) })
        if linger == nil { streamForEver() }
        loop.run()
        stopStream()
    }

    private func streamForEver() {
        if isLost || isStreaming { return }
        if (try? startStream()) == nil { again.set(after: Self.againAfter) }
    }

    private func perform(_ job: Job) {
        switch job {
        case .quit: loop.stop()
        case .frame(let number, let after):
            guard !isLost else { return report(.frame(number: number, .failure(.unplugged))) }
            idle.cancel()
            do throws(CameraError) {
                if !isStreaming { try startStream() }
                waiting.append((number, after, loop.now))
                serve()
            } catch {
                report(.frame(number: number, .failure(error)))
            }
        case .change(let mode):
            let result = change(to: mode)
            report(.changed(result))
            if case .failure(.unplugged) = result { lose() }
        }
    }

    // MARK: What comes in

    private func isReady(_ what: EventLoop.Interest) {
        if what.contains(.urgent) || !what.isDisjoint(with: .failed) { takeEvents() }
        if !isLost && isStreaming && (what.contains(.readable) || !what.isDisjoint(with: .failed)) {
            takeFrames()
        }
    }

    private func takeEvents() {
        var events: [V4L2Event] = []
        do throws(CameraError) {
            while let event = try device.nextEvent() { events.append(event) }
        } catch {
            return lose()
        }
        if !events.isEmpty { report(.events(events)) }
    }

    /// One frame a turn: whether there is another one, the next poll says.
    private func takeFrames() {
        var buffer = cv4l2_buffer()
        switch cv4l2_dequeue(device.descriptor, &buffer) {
        case 0:
            take(buffer)
            if !waiting.isEmpty { serve() }
        case -EAGAIN: return
        case -ENODEV: lose()
        case let code:
            // A driver whose device was unplugged says EINVAL first.
            if (try? device.format()) == nil { return lose() }
            stopStream()
            failAll(V4L2Device.error("VIDIOC_DQBUF", code))
        }
    }

    private func take(_ buffer: cv4l2_buffer) {
        // A driver may give two frames one number.
        if let sequence { lost += max(0, Int(Int32(bitPattern: buffer.sequence &- sequence &- 1))) }
        sequence = buffer.sequence
        frames += 1
        if reported.duration(to: loop.now) >= Self.countingPace { reportCounts() }
        guard !buffer.damaged, buffer.used > 0 else {
            _ = cv4l2_queue(device.descriptor, buffer.index)
            return
        }
        if let newest { _ = cv4l2_queue(device.descriptor, newest.buffer.index) }
        newest = Newest(buffer: buffer, exposedAt: exposure(of: buffer))
    }

    private func reportCounts() {
        report(.streamed(frames: frames, lost: lost))
        (frames, lost, reported) = (0, 0, loop.now)
    }

    /// The driver's clock stands still while the machine sleeps, ours doesn't: what counts is how long ago it was.
    private func exposure(of buffer: cv4l2_buffer) -> ContinuousClock.Instant {
        guard buffer.time > 0 else { return loop.now }
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let age = Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec) - buffer.time
        // A frame that is timed at its end was exposed one interval before.
        let interval = buffer.timed_at_start ? 0 : 1 / setup.rate
        return loop.now.advanced(by: .nanoseconds(-age)).advanced(by: .seconds(-interval))
    }

    // MARK: Who wants frames

    private func serve() {
        if let newest {
            let ready = waiting.filter { $0.after <= newest.exposedAt }
            waiting.removeAll { $0.after <= newest.exposedAt }
            if !ready.isEmpty {
                let frame = Result { () throws(CameraError) in try picture(of: newest) }
                for request in ready { report(.frame(number: request.number, frame)) }
            }
        }
        if let oldest = waiting.first {
            patience.set(at: oldest.since.advanced(by: Self.frameAtMost))
        } else {
            patience.cancel()
            if let linger, isStreaming, !idle.isSet { idle.set(after: linger) }
        }
    }

    private func picture(of newest: Newest) throws(CameraError) -> Frame {
        let buffer = buffers[Int(newest.buffer.index)]
        let used = min(Int(newest.buffer.used), buffer.length)
        let picture: Picture
        if setup.format.isJPEG {
            picture = .jpeg(Array(UnsafeBufferPointer(start: buffer.start, count: used)))
        } else {
            picture = .planar(
                try device.planar(UnsafeBufferPointer(start: buffer.start, count: used), setup.format))
        }
        return Frame(
            picture: picture, field: .whole, number: Int(newest.buffer.sequence), exposedAt: newest.exposedAt)
    }

    private func giveUp() {
        failAll(.device("no frame came within \(Int(Self.frameAtMost / .seconds(1))) s"))
        // Perhaps it comes to its senses when it is started anew.
        stopStream()
    }

    private func failAll(_ error: CameraError) {
        let failed = waiting
        waiting = []
        patience.cancel()
        for request in failed { report(.frame(number: request.number, .failure(error))) }
    }

    private func lose() {
        guard !isLost else { return }
        isLost = true
        loop.forget(device.descriptor)
        stopStream()
        failAll(.unplugged)
        report(.lost)
    }

    // MARK: The mode

    /// Makes frames come in another mode, or leaves all as it was. Whoever waits for a frame goes on waiting.
    private func change(to mode: CameraMode) -> Result<Changed, CameraError> {
        guard !isLost else { return .failure(.unplugged) }
        stopStream()
        let before = setup
        // Without a crop to be kept, there is none to be read.
        let rectangle = before.crop.flatMap { _ in try? device.cropRectangle() }
        do throws(CameraError) {
            setup = try device.change(before, to: mode, crop: rectangle)
            let factor = try setup.crop.map { crop throws(CameraError) in
                crop.factor(at: try device.cropRectangle())
            }
            try resumeStream()
            return .success(Changed(setup: setup, cropFactor: factor))
        } catch {
            if error == .unplugged { return .failure(error) }
            setup = before
            device.restore(before, crop: rectangle)
            do throws(CameraError) { try resumeStream() } catch let second { failAll(second) }
            return .failure(error)
        }
    }

    /// Goes on streaming for those who wait, and for ever where that is wanted.
    private func resumeStream() throws(CameraError) {
        guard !waiting.isEmpty || linger == nil else { return device.release() }
        try startStream()
        for place in waiting.indices { waiting[place].since = loop.now }
        serve()
    }

    // MARK: The stream

    private func startStream() throws(CameraError) {
        setup = try device.renew(setup)
        var count = Self.buffersWanted
        try device.check(cv4l2_request_buffers(device.descriptor, &count), "VIDIOC_REQBUFS")
        isStreaming = true
        do throws(CameraError) {
            for index in 0..<count {
                var start: UnsafePointer<UInt8>?
                var length = 0
                try device.check(
                    cv4l2_map_buffer(device.descriptor, index, &start, &length), "VIDIOC_QUERYBUF")
                if let start { buffers.append(Buffer(start: start, length: length)) }
                try device.check(cv4l2_queue(device.descriptor, index), "VIDIOC_QBUF")
            }
            try device.check(cv4l2_stream(device.descriptor, true), "VIDIOC_STREAMON")
        } catch {
            stopStream()
            throw error
        }
    }

    private func stopStream() {
        guard isStreaming else { return }
        isStreaming = false
        idle.cancel()
        newest = nil
        sequence = nil
        reportCounts()
        _ = cv4l2_stream(device.descriptor, false)
        for buffer in buffers { cv4l2_unmap_buffer(buffer.start, buffer.length) }
        buffers = []
        device.release()
        // One that is to go on for ever is tried again.
        if linger == nil && !isLost { again.set(after: Self.againAfter) }
    }
}
