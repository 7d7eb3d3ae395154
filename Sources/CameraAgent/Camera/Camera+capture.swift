internal import Cameras
internal import FoundationEssentials
internal import Imaging
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import Picture
internal import ZoomModel

/// Photos: one capture after the other, each by its steps: zoom, settle, expose, develop, tell.
extension Camera {
    /// Captures that wait; one more is refused.
    private static let capturesAtMost = 16
    /// So long a photo waits for the zoom to come to rest.
    private static let settleAtMost = Duration.seconds(30)

    var photosPending: Int { queue.reduce(capture?.remaining ?? 0) { $0 + $1.remaining } }

    /// Takes a photo or a series of them.
    ///
    /// - Parameters:
    ///   - sound: who is to hear the shutter.
    ///   - isAccepted: the asker was told already that there will be one.
    func takePhotos(
        _ command: CaptureSet, _ asker: Asker, sound: Sound? = nil, isAccepted: Bool = false
    ) {
        guard queue.count < Self.capturesAtMost else {
            return agent.refuse(
                CommandError(.busy, "\(queue.count) captures wait already; no more than that do."), asker)
        }
        lastCapture += 1
        let job = CaptureJob(
            command, number: lastCapture, asker: asker, sound: sound, at: agent.loop.now)
        queue.append(job)
        if !job.isAnsweredByImage && !isAccepted { answer(.accepted, job) }
        publishCapture()
        nextCapture()
    }

    /// Takes up the first capture whose time has come, or waits for it.
    private func nextCapture() {
        guard capture == nil else { return }
        let now = agent.loop.now
        guard let place = queue.firstIndex(where: { $0.due <= now }) else {
            return captureTimer.set(at: queue.map(\.due).min())
        }
        captureTimer.cancel()
        let job = queue.remove(at: place)
        capture = job
        // The zoom that belongs to a series is driven once, before its first photo.
        guard let goal = job.command.zoom, job.photos.isEmpty else { return settleForCapture() }
        capture?.step = .zooming
        captureTimer.set(after: Self.settleAtMost)
        perform(
            model.apply(
                goal.forModel, ticket: ticket(for: .capture(number: job.number)),
                origin: job.asker.origin(.command),
                at: agent.loop.now))
    }

    /// The zoom that belongs to the capture got to its end, one way or the other.
    func captureZoomEnded(_ number: Int, _ answer: ZoomAnswer) {
        guard let job = capture, job.number == number, job.step == .zooming else { return }
        switch answer.status {
        case .done: settleForCapture()
        case .failed: failCapture(lensError.forMessages)
        case .superseded:
            endCapture()
            self.answer(.superseded, job)
            dropWaitingZooms()
            nextCapture()
        }
    }

    /// Whoever moves the zoom now is newer than the captures that wait with a zoom of their own: none of them takes it back.
    func dropWaitingZooms() {
        let isOvertaken = { (job: CaptureJob) in job.command.zoom != nil && job.photos.isEmpty }
        let overtaken = queue.filter(isOvertaken)
        guard !overtaken.isEmpty else { return }
        queue.removeAll(where: isOvertaken)
        for job in overtaken { answer(.superseded, job) }
        publishCapture()
    }

    private func settleForCapture() {
        capture?.step = .settling
        captureTimer.set(after: Self.settleAtMost)
        captureIfSettled()
    }

    /// Called whenever the zoom has come to rest.
    func captureIfSettled() {
        guard let job = capture, job.step == .settling, model.isSettled else { return }
        captureTimer.cancel()
        capture?.step = .exposing
        capture?.opticalAtExposure = model.snapshot.optical
        backend.frame(exposedAfter: job.earliestExposure(now: agent.loop.now)) { [weak self] result in
            guard let self, let current = capture, current.number == job.number, current.step == .exposing
            else { return }
            let job = current
            switch result {
            case .failure(let error): failCapture(error.forMessages)
            case .success(let frame): develop(frame, for: job)
            }
        }
    }

    func captureTimerFired() {
        if capture == nil { return nextCapture() }
        failCapture(
            CommandError(
                .busy,
                "The zoom didn't come to rest within 30 s; no photo was taken. Give zoom a higher rate, or none."
            ))
    }

    private func develop(_ frame: Frame, for job: CaptureJob) {
        let command = job.command
        let isSame = model.isSettled && model.snapshot.optical == job.opticalAtExposure
        guard isSame || command.maximumAgeMilliseconds != nil else {
            // Somebody moved the zoom during the exposure: another frame, once it is at rest again.
            return settleForCapture()
        }
        tell(.photo, job.sound)
        let exposedAt = Date.now.addingTimeInterval(
            -(frame.exposedAt.duration(to: agent.loop.now) / .seconds(1)))
        let sequence = counter + 1
        let zoom = model.snapshot
        let size =
            command.width == nil && command.height == nil
            ? nil : PhotoSize(width: command.width, height: command.height)
        let order = Darkroom.Order(
            view: zoom.viewport.forPictures, size: size, quality: command.quality, effect: effect)
        let name = MediaName.of(camera: id, at: exposedAt, sequence: sequence, suffix: MediaFolder.photo)
        agent.darkroom.develop(frame, order) { [weak self] result in
            guard let self, capture?.number == job.number, capture?.step == .exposing else { return }
            switch result {
            case .failure(let error): failCapture(error)
            case .success(let print):
                let photo = PhotoFields(
                    path: agent.album.path(camera: id, name: name), bytes: print.photo.bytes.count,
                    width: print.photo.width, height: print.photo.height, quality: print.photo.quality,
                    factor: zoom.factor, viewport: zoom.viewport.forMessages, frame: frame.number,
                    exposedAt: Timestamp.text(exposedAt), requestedAt: Timestamp.text(job.requestedAt),
                    sequence: sequence, index: job.photos.count + 1, of: command.count)
                if print.isClamped { capture?.isClamped = true }
                keep(photo, print.photo.bytes, name: name, exposed: frame.exposedAt)
            }
        }
    }

    /// Whoever wants the picture itself has it before the disk does.
    private func keep(
        _ photo: PhotoFields, _ bytes: [UInt8], name: String, exposed: ContinuousClock.Instant
    ) {
        guard let job = capture else { return }
        capture?.isAnswered = answer(job, with: photo, bytes)
        capture?.step = .keeping
        agent.album.keep(bytes, camera: id, name: name) { [weak self] result in
            guard let self, capture?.number == job.number, capture?.step == .keeping else { return }
            switch result {
            case .failure(let error): failCapture(error)
            case .success: photoIsKept(photo, bytes, exposed: exposed)
            }
        }
    }

    private func photoIsKept(_ photo: PhotoFields, _ bytes: [UInt8], exposed: ContinuousClock.Instant) {
        counter = photo.sequence
        capture?.add(photo, exposed: exposed)
        capture?.isAnswered = false
        guard let job = capture else { return }
        lastPhoto = photo
        publishImage(photo, bytes)
        announce(.shutter, by: job.asker.envelope.client, job.asker.envelope.id) { $0.photo = photo }
        agent.saveSoon()
        if job.remaining > 0 { queue.append(job) }
        endCapture()
        if job.remaining == 0 && !job.isAnsweredByImage { answer(.done, job) }
        nextCapture()
    }

    /// Answers with the photo itself, who wants that. Returns whether somebody does.
    private func answer(_ job: CaptureJob, with photo: PhotoFields, _ bytes: [UInt8]) -> Bool {
        guard job.isAnsweredByImage, let topic = job.asker.responseTopic else { return false }
        var properties = BusProperties(contentType: "image/jpeg", user: photo.properties)
        properties.correlation = job.asker.correlation
        if let id = job.asker.envelope.id { properties.user.append(("id", id)) }
        agent.bus.publishQueued(topic, bytes, qos: job.asker.qos, properties)
        return true
    }

    private func publishImage(_ photo: PhotoFields, _ bytes: [UInt8]) {
        let properties = BusProperties(contentType: "image/jpeg", user: photo.properties)
        let topic = agent.topics.image(camera: id)
        if agent.settings.captures.retainsImage {
            agent.bus.retain(topic, bytes, properties)
        } else {
            agent.bus.publishQueued(topic, bytes, properties)
            homeAssistant.note(photo: bytes, properties)
        }
    }

    private func answer(_ status: Reply.Status, _ job: CaptureJob) {
        var reply = job.asker.reply(status, boot: agent.boot)
        reply.rev = rev
        if status == .done { reply.photos = job.photos }
        if job.isClamped { reply.clamped = true }
        agent.answer(reply, job.asker)
    }

    private func failCapture(_ error: CommandError) {
        guard let job = capture else { return }
        endCapture()
        // Who has the photo isn't told that there is none; that it wasn't kept is an event.
        if job.isAnswered { agent.tellRefusal(error, job.asker) } else { agent.refuse(error, job.asker) }
        nextCapture()
    }

    /// The camera is free for the next capture.
    private func endCapture() {
        captureTimer.cancel()
        capture = nil
        publishCapture()
    }
}

extension Viewport {
    var forPictures: Region { Region(x: x, y: y, width: width, height: height) }
}
