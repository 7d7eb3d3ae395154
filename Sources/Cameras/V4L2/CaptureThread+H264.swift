internal import Base
internal import CV4L2

/// Frames of H.264. Each is copied when it comes, because later ones can't be decoded without it, and its
/// buffer goes back to the driver at once. Nothing is decoded here.
extension CaptureThread {
    /// Minimum interval between two requests for a key frame.
    private static let keyFrameInterval = Duration.seconds(1)
    /// The number of access units of a group after which a further key frame is requested: a photo has to
    /// have all of them decoded.
    private static let longGroup = 300

    func takeH264(_ buffer: cv4l2_buffer, exposedAt: ContinuousClock.Instant) {
        guard let stream else { return }
        let taken = Result { () throws(CameraError) -> H264Group.Outcome in
            let frame = try setup.format.frame(
                buffer.filled, in: stream.buffers[Int(buffer.index)].planes)
            guard frame.count == 1 else { throw .device("H.264 in \(frame.count) planes of memory") }
            return self.stream?.group?.add(frame[0], number: stream.number, exposedAt: exposedAt)
                ?? .parameters
        }
        _ = cv4l2_queue(device.node, buffer.index, 0)
        switch taken {
        case .success(.taken), .success(.parameters), .success(.supplement): break
        case .success(.refused(.awaitsKeyFrame)): counts.lost += 1
        case .success(.refused(let refusal)):
            counts.lost += 1
            failRequests(upTo: exposedAt, .device(refusal.words(in: setup.format)))
        case .failure(let error):
            loseGroup()
            counts.lost += 1
            failRequests(upTo: exposedAt, error)
        }
        guard let group = self.stream?.group else { return }
        if group.isFull { return restartStream() }
        if group.awaitsKeyFrame || group.length > Self.longGroup { requestKeyFrame() }
    }

    /// No key frame came for too long, although some were requested: most encoders begin with one.
    private func restartStream() {
        stopStream()
        do throws(CameraError) { try resumeStream() } catch { failAll(error) }
    }

    /// A frame is missing or damaged.
    func loseGroup() {
        stream?.group?.lose()
        requestKeyFrame()
    }

    /// Requests a key frame, if the camera has a control for it; not more often than the camera could send
    /// one.
    func requestKeyFrame() {
        if let last = keyFrameRequested, last.duration(to: loop.now) < Self.keyFrameInterval { return }
        keyFrameRequested = loop.now
        report(.needsKeyFrame)
    }

    /// Answers the requests for which the newest picture is new enough.
    func serveH264(_ group: H264Group) {
        guard let newest = group.newest, let picture = group.picture else { return }
        let ready = takeRequests(upTo: newest.exposedAt)
        guard !ready.isEmpty else { return }
        let frame = Frame(
            picture: .h264(picture), field: .whole, number: newest.number, exposedAt: newest.exposedAt)
        for number in ready { report(.frame(number: number, .success(frame))) }
    }

    private func failRequests(upTo time: ContinuousClock.Instant, _ error: CameraError) {
        for number in takeRequests(upTo: time) { report(.frame(number: number, .failure(error))) }
    }
}

extension H264Group.Refusal {
    fileprivate func words(in format: V4L2Format) -> String {
        switch self {
        case .damaged(let words): "the frame is damaged: \(words)"
        case .awaitsKeyFrame: "the frame can't be decoded without those before"
        case .size(let width, let height):
            "the camera sent H.264 of \(width)×\(height) pixels in the mode \(format.words)"
        }
    }
}
