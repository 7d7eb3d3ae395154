internal import Base
internal import Cameras
internal import Contract
internal import FoundationEssentials
internal import ZoomModel

/// `preview`: live frames while a client holds a lease on them.
///
/// The next frame is requested from the device only when the one before has been sent: a slow encoder or a
/// slow broker causes fewer frames, never a queue of them. Without a lease nothing runs. During a recording
/// the preview shows frames of the recording, so that they are decoded once.
final class PreviewNode: StateNode<Node.Preview>, CommandNode {
    private struct PreviewLease {
        /// Nil: the agent. It renews the lease of the standing preview by itself, which isn't ended for
        /// another one, and doesn't count for ``maxLeases``. No client can be it, whatever its name is.
        let owner: FairShare.Owner?
        let options: PreviewSet.Options
        let end: ContinuousClock.Instant

        /// Clients that give no name have one together.
        func isHeld(by other: FairShare.Owner?) -> Bool { owner.map(\.client) == other.map(\.client) }
    }

    private struct LastFrame {
        var number = 0
        var requested: ContinuousClock.Instant?
        /// Exposure of the last one that came.
        var exposed: ContinuousClock.Instant?
        /// Whether one has been sent since the first lease.
        var isLive = false
        /// Why none are sent.
        var failures = PreviewFailures()
    }

    private static let maxLeases = 64
    /// How long to wait when the broker is slow, or the device has no frame.
    private static let retryDelay = Duration.milliseconds(100)
    /// How long the preview waits for a frame of the recording, in any case for three frames. A slow disk
    /// delays the recording only.
    private static let sharingTimeout = Duration.milliseconds(200)
    /// Of the standing preview.
    private static let ownWidth = 1280
    private static let ownSeconds = 3_600.0
    private static let ownRetryDelays = (first: Duration.seconds(5), max: Duration.seconds(60))

    private let recording: RecordingNode
    /// The one that was taken or renewed last is at the end.
    private var leases: [PreviewLease] = []
    /// The number of the frame that is under way; nil: its time hasn't come, or there is no lease.
    private var requested: Int?
    /// When the standing preview is tried again that could not begin, after how long.
    private var ownLeaseRetry: (due: ContinuousClock.Instant, delay: Duration)?
    private var lastFrame = LastFrame()
    private lazy var frameTimer = context.timer { [weak self] in self?.requestFrame() }
    private lazy var leaseTimer = context.timer { [weak self] in self?.leaseEnded() }

    init(_ base: NodeBase, recording: RecordingNode) {
        self.recording = recording
        super.init(base)
    }

    // MARK: Leases

    func handle(_ command: PreviewSet, _ request: Request) throws(CommandError) {
        switch command {
        case .stop: leases.removeAll { $0.isHeld(by: request.owner) }
        case .lease(let options): try take(options, for: request.owner)
        }
        leasesChanged()
        context.reply(.done, to: request)
    }

    /// - Parameter owner: nil: the agent.
    private func take(
        _ options: PreviewSet.Options, for owner: FairShare.Owner?
    ) throws(CommandError) {
        let isNew = !leases.contains { $0.isHeld(by: owner) }
        let clients = leases.compactMap(\.owner)
        var leaving: Int?
        if let owner, isNew {
            // Each client has one, so it is the lease that was renewed longest ago, and none of a client of a
            // higher standing.
            leaving = try FairShare.place(
                for: owner, among: clients, atMost: Self.maxLeases,
                else: "\(clients.count) preview leases exist already.")
        }
        try media.previews.begin(camera: context.id)
        if let leaving { leases.removeAll { $0.isHeld(by: clients[leaving]) } }
        // The first frame for a new client comes immediately.
        if isNew { lastFrame.requested = nil }
        leases.removeAll { $0.isHeld(by: owner) }
        leases.append(
            PreviewLease(
                owner: owner, options: options, end: context.now.advanced(by: .seconds(options.seconds))))
    }

    /// Holds the lease of the standing preview, if one is configured. Returns whether it is a new one.
    private func keepOwnLease() -> Bool {
        guard let rate = context.standingPreviewRate, !leases.contains(where: { $0.isHeld(by: nil) }),
            device.presence != .private
        else { return false }
        var options = PreviewSet.Options()
        (options.rate, options.width, options.seconds) = (rate, Self.ownWidth, Self.ownSeconds)
        do throws(CommandError) {
            try take(options, for: nil)
        } catch {
            // A device that is ready, or the end of a lease, tries it earlier than it is due.
            if let retry = ownLeaseRetry, retry.due > context.now { return false }
            let delay =
                ownLeaseRetry.map { min($0.delay * 2, Self.ownRetryDelays.max) }
                ?? Self.ownRetryDelays.first
            ownLeaseRetry = (context.now.advanced(by: delay), delay)
            setLeaseTimer()
            return false
        }
        ownLeaseRetry = nil
        return true
    }

    private func leaseEnded() {
        let count = leases.count
        leases = leases.filter { $0.end > context.now }
        let hasEnded = leases.count < count
        if keepOwnLease() || hasEnded { leasesChanged() } else { setLeaseTimer() }
    }

    /// The timer fires when the first lease ends, and when the standing preview is tried again.
    private func setLeaseTimer() {
        let times = leases.map(\.end) + [ownLeaseRetry?.due].compactMap { $0 }
        leaseTimer.set(at: times.min())
    }

    private func leasesChanged() {
        setLeaseTimer()
        update()
        if !leases.isEmpty { return resume() }
        pause()
        media.previews.end(camera: context.id)
    }

    override func observe(_ change: CameraChange) {
        switch change {
        case .deviceReady: if keepOwnLease() { leasesChanged() } else { resume() }
        case .deviceDetached: pause()
        case .stopped: endLeases()
        default: break
        }
    }

    override func failPending(_ cause: PendingFailure) {
        // Leases go on with the next device. At the stop they end with the nodes' other activities.
        if cause == .privacy && (!leases.isEmpty || ownLeaseRetry != nil) { endLeases() }
    }

    private func endLeases() {
        (leases, ownLeaseRetry) = ([], nil)
        leasesChanged()
    }

    /// The largest rate and width of all leases.
    private var options: PreviewSet.Options? {
        leases.map(\.options).reduce(nil) { most, options in
            var sum = most ?? options
            (sum.rate, sum.width) = (max(sum.rate, options.rate), max(sum.width, options.width))
            return sum
        }
    }

    // MARK: Frames

    /// Schedules the next frame, if a client has a lease.
    private func resume() {
        // A client that wants a higher rate doesn't wait for the next frame of the others.
        guard let options, requested == nil else { return }
        let due = lastFrame.requested?.advanced(by: .seconds(1 / options.rate)) ?? context.now
        frameTimer.set(at: max(due, context.now))
    }

    /// Ends the production of frames: the device is gone, or there is no lease.
    private func pause() {
        frameTimer.cancel()
        let wasLive = lastFrame.isLive || lastFrame.failures.error != nil
        (requested, lastFrame) = (nil, LastFrame(number: lastFrame.number))
        if wasLive && !leases.isEmpty { update() }
    }

    private func requestFrame() {
        guard !leases.isEmpty, device.absence == nil else { return }
        guard context.hasCapacity else { return frameTimer.set(after: Self.retryDelay) }
        lastFrame.number += 1
        let number = lastFrame.number
        requested = number
        let now = context.now
        lastFrame.requested = now
        // The newest frame, each one once, and none from before the zoom was where it is.
        let recent = now.advanced(by: .seconds(-2 / max(1, device.backend.mode.rate)))
        let newest = zoom.isSettled ? max(recent, zoom.lastPublished ?? recent) : now
        let next = lastFrame.exposed?.advanced(by: .nanoseconds(1)) ?? newest
        let time = max(newest, next)
        let shared = FrameSharing.Request(time: time, width: options?.width ?? 0) { [weak self] picture in
            guard let self, requested == number else { return }
            frameTimer.cancel()
            if let picture { encode(picture, number) } else { requestFrame(exposedAfter: time, number) }
        }
        if recording.shareFrame(shared) {
            // Then the next try is a request to the device, because this one isn't answered.
            frameTimer.set(
                after: max(Self.sharingTimeout, .seconds(3 / max(1, device.backend.mode.rate))))
        } else {
            requestFrame(exposedAfter: time, number)
        }
    }

    private func requestFrame(exposedAfter time: ContinuousClock.Instant, _ number: Int) {
        device.frame(exposedAfter: time) { [self] result in
            guard requested == number else { return }
            switch result {
            case .failure(let error):
                retry()
                // A device that is gone is reported by its availability.
                let error = device.commandError(error)
                if device.absence == nil, lastFrame.failures.noFrameCame(error, at: context.now) { update() }
            case .success(let frame):
                encode(PreviewPicture(frame: frame, shown: zoom.shown(on: frame)), number)
            }
        }
    }

    private func encode(_ picture: PreviewPicture, _ number: Int) {
        lastFrame.exposed = picture.frame.exposedAt
        lastFrame.failures.frameCame(exposedAt: picture.frame.exposedAt)
        guard let options else { return retry() }
        media.previews.encode(
            picture.frame, camera: context.id, view: picture.view, width: options.width,
            effect: controls.effect
        ) { [weak self] result in
            guard let self else { return }
            device.countIfDamaged(result, picture.frame)
            guard requested == number else { return }
            switch result {
            case .success(let encoded):
                lastFrame.failures.frameEncoded()
                send(encoded, picture)
            case .failure(let failure):
                let isNew = lastFrame.failures.frameNotEncoded(
                    failure.error, isOfFrame: failure.isOfFrame, at: context.now)
                if isNew { update() }
            }
            requested = nil
            resume()
        }
    }

    private func send(_ encoded: EncodedPhoto, _ picture: PreviewPicture) {
        let (frame, shown) = (picture.frame, picture.shown)
        let fields = FrameFields(
            frame: frame.number, exposedAt: Timestamp.text(context.wallTime(at: frame.exposedAt)),
            width: encoded.width, height: encoded.height, factor: shown.factor, optical: shown.optical,
            viewport: shown.viewport, rev: shown.rev, boot: context.boot)
        let wasSent = context.publishFrame(encoded.bytes, fields)
        // The state follows the frame: a client that waits for `live` has a frame to show then.
        guard wasSent else { return }
        let hadError = lastFrame.failures.frameSent()
        if lastFrame.isLive && !hadError { return }
        lastFrame.isLive = true
        update()
    }

    private func retry() {
        requested = nil
        if !leases.isEmpty { frameTimer.set(after: Self.retryDelay) }
    }

    // MARK: State

    override var state: PreviewState? {
        let end = leases.map(\.end).max()
        let agent = ClientIdentity(claimed: "v4l2mqtt")
        return options.flatMap { options in
            end.map { end in
                PreviewState(
                    fps: options.rate, width: options.width, until: Timestamp.text(context.wallTime(at: end)),
                    clients: leases.compactMap { $0.owner.map(\.client) ?? agent }, live: lastFrame.isLive,
                    error: lastFrame.failures.error)
            }
        }
    }
}
