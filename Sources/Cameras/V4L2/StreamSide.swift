internal import CV4L2
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
        case quit
    }

    enum Report: Sendable {
        case frame(number: Int, Result<Frame, CameraError>)
        case events([V4L2Event])
        /// A stream has ended.
        case streamed(frames: Int, lost: Int)
        case lost
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

    private let device: V4L2Device
    private let format: V4L2Format
    private let rate: Double
    /// How long the stream goes on without anybody who wants a frame; nil: for ever.
    private let linger: Duration?
    private let loop = EventLoop()
    private let report: (Report) -> Void
    private var buffers: [Buffer] = []
    /// The driver has made buffers for us.
    private var isStreaming = false
    private var newest: Newest?
    /// Of the stream that runs: the driver's number of its last frame, how many came, and how many didn't.
    private var sequence: UInt32?
    private var (frames, lost) = (0, 0)
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
        (format, rate, self.linger, self.report) = (opened.format, opened.rate, linger, report)
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
        if let sequence { lost += Int(buffer.sequence &- sequence &- 1) }
        sequence = buffer.sequence
        frames += 1
        guard !buffer.damaged, buffer.used > 0 else {
            _ = cv4l2_queue(device.descriptor, buffer.index)
            return
        }
        if let newest { _ = cv4l2_queue(device.descriptor, newest.buffer.index) }
        newest = Newest(buffer: buffer, exposedAt: exposure(of: buffer))
    }

    /// The driver's clock stands still while the machine sleeps, ours doesn't: what counts is how long ago it was.
    private func exposure(of buffer: cv4l2_buffer) -> ContinuousClock.Instant {
        guard buffer.time > 0 else { return loop.now }
        var clock = timespec()
        clock_gettime(CLOCK_MONOTONIC, &clock)
        let age = Int64(clock.tv_sec) * 1_000_000_000 + Int64(clock.tv_nsec) - buffer.time
        // A frame that is timed at its end was exposed one interval before.
        let interval = buffer.timed_at_start ? 0 : 1 / rate
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
        if format.isJPEG {
            picture = .jpeg(Array(UnsafeBufferPointer(start: buffer.start, count: used)))
        } else {
            picture = .planar(
                try device.planar(UnsafeBufferPointer(start: buffer.start, count: used), format))
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

    // MARK: The stream

    private func startStream() throws(CameraError) {
        let now = try device.format()
        // The driver may have it otherwise by now, for somebody else.
        if now != format, try device.setFormat(format) != format {
            throw .device("VIDIOC_S_FMT: the format can't be set any more")
        }
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
        report(.streamed(frames: frames, lost: lost))
        (sequence, frames, lost) = (nil, 0, 0)
        _ = cv4l2_stream(device.descriptor, false)
        for buffer in buffers { cv4l2_unmap_buffer(buffer.start, buffer.length) }
        buffers = []
        var none: UInt32 = 0
        _ = cv4l2_request_buffers(device.descriptor, &none)
        // One that is to go on for ever is tried again.
        if linger == nil && !isLost { again.set(after: Self.againAfter) }
    }
}

extension V4L2Device {
    /// A frame of whatever pixel format as planes.
    fileprivate func planar(
        _ frame: UnsafeBufferPointer<UInt8>, _ format: V4L2Format
    ) throws(CameraError) -> PlanarPicture {
        let (width, height) = (format.width, format.height)
        guard width % 2 == 0, height % 2 == 0 else {
            throw .device("\(width)×\(height) can't be converted: it is odd")
        }
        let luma = format.width * format.height
        var reason: cv4l2_reason = cv4l2_reason()
        var failed: Int32 = 0
        let samples = [UInt8](unsafeUninitializedCapacity: luma * 3 / 2) { buffer, count in
            var forC = format.forC
            failed = cv4l2_convert(
                descriptor, &forC, frame.baseAddress, frame.count, buffer.baseAddress, &reason)
            count = luma * 3 / 2
        }
        if failed != 0 {
            throw .device(
                "\(V4L2Format.letters(format.pixelFormat)) can't be converted: \(text(reason.words))")
        }
        let chroma = luma / 4
        func plane(_ range: Range<Int>, _ width: Int, _ height: Int) -> PlanarPicture.Plane {
            PlanarPicture.Plane(width: width, height: height, samples: Array(samples[range]))
        }
        return PlanarPicture(
            subsampling: .yuv420, luma: plane(0..<luma, width, height),
            blueDifference: plane(luma..<luma + chroma, width / 2, height / 2),
            redDifference: plane(luma + chroma..<luma + 2 * chroma, width / 2, height / 2))
    }
}
