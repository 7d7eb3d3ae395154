internal import Cameras
internal import FoundationEssentials
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import Picture
internal import ZoomModel

/// `preview`: live frames while somebody holds a lease on them.
///
/// The next frame is asked of the camera only when the one before has gone out: a slow encoder or a slow broker makes for fewer frames, never for
/// a queue of them. Without a lease nothing runs.
final class PreviewNode {
    private struct Lease {
        let wish: PreviewSet.Wish
        let end: ContinuousClock.Instant
    }

    /// Leases at once; one more is refused.
    private static let leasesAtMost = 64
    /// How long to wait for a broker that doesn't keep up, or a camera that has no frame.
    private static let again = Duration.milliseconds(100)
    private static let quality = 75
    /// The agent's own lease, where a low rate is configured for Home Assistant: renewed by itself.
    private static let ownClient = "v4l2mqtt"
    private static let ownWidth = 1280
    private static let ownSeconds = 3_600.0

    private unowned let camera: Camera
    /// By client; those that give no name share one.
    private var leases: [String: Lease] = [:]
    /// A frame has come out.
    private var isLive = false
    /// The number of the request that is under way.
    private var request: Int?
    private var lastRequest = 0
    /// When a frame was asked for last, and when the last one was exposed.
    private var asked: ContinuousClock.Instant?
    private var exposed: ContinuousClock.Instant?
    private lazy var nextFrame = camera.agent.loop.timer { [weak self] in self?.askForFrame() }
    private lazy var endOfLease = camera.agent.loop.timer { [weak self] in self?.leaseEnded() }

    init(_ camera: Camera) { self.camera = camera }

    private var agent: Agent { camera.agent }

    /// Whether somebody looks.
    var isWanted: Bool { !leases.isEmpty }

    func handle(_ command: PreviewSet, _ asker: Asker) {
        let client = asker.envelope.client ?? ""
        switch command {
        case .stop: leases[client] = nil
        case .want(let wish):
            guard leases.count < Self.leasesAtMost || leases[client] != nil else {
                return agent.refuse(
                    CommandError(.busy, "\(leases.count) look already; no more than that can."), asker)
            }
            do throws(LoopError) {
                _ = try agent.needPreviewer()
            } catch {
                return agent.refuse(
                    CommandError(.device, "There can be no further thread for previews: \(error)"), asker)
            }
            // Who begins to look sees something at once.
            if leases[client] == nil { asked = nil }
            leases[client] = Lease(wish: wish, end: agent.loop.now.advanced(by: .seconds(wish.seconds)))
        }
        // Also where somebody bears its name.
        keepOwnLease()
        leasesChanged()
        camera.answer(.done, asker)
    }

    /// Nobody looks any more: the agent stops.
    func end() {
        leases = [:]
        leasesChanged()
    }

    /// Holds a lease of the agent's own, for who doesn't say that he looks. Returns whether it is a new one.
    @discardableResult
    private func keepOwnLease() -> Bool {
        guard agent.settings.homeAssistant.isOn, camera.settings.isDiscovered,
            let rate = agent.settings.homeAssistant.previewRate,
            leases[Self.ownClient] == nil, (try? agent.needPreviewer()) != nil
        else { return false }
        var wish = PreviewSet.Wish()
        (wish.rate, wish.width, wish.seconds) = (rate, Self.ownWidth, Self.ownSeconds)
        leases[Self.ownClient] = Lease(wish: wish, end: agent.loop.now.advanced(by: .seconds(wish.seconds)))
        return true
    }

    /// The camera is there, for the first time or again.
    func begin() {
        if keepOwnLease() { leasesChanged() } else { resume() }
    }

    private func leaseEnded() {
        leases = leases.filter { $0.value.end > agent.loop.now }
        keepOwnLease()
        leasesChanged()
    }

    private func leasesChanged() {
        endOfLease.set(at: leases.values.map(\.end).min())
        publish()
        if !leases.isEmpty { return resume() }
        pause()
        agent.previewEnded()
    }

    /// Goes on, if somebody looks: the camera is there again.
    func resume() {
        // Somebody who is in a hurry doesn't wait for the next frame of others who aren't.
        if let wish, request == nil { wait(for: wish) }
    }

    /// The camera is gone; whoever looks goes on when it is back.
    func pause() {
        nextFrame.cancel()
        (request, asked, exposed) = (nil, nil, nil)
        let wasLive = isLive
        isLive = false
        if wasLive && isWanted { publish() }
    }

    private func askForFrame() {
        guard !leases.isEmpty, camera.presence.problem == nil else { return }
        guard agent.bus.hasCapacity else { return nextFrame.set(after: Self.again) }
        lastRequest += 1
        let number = lastRequest
        request = number
        let now = agent.loop.now
        asked = now
        // The newest that there is, but each one once, and none from before the zoom was where it is.
        let recent = now.advanced(by: .seconds(-2 / max(1, camera.backend.mode.rate)))
        let newest = camera.model.isSettled ? max(recent, camera.lastZoom ?? recent) : now
        let next = exposed?.advanced(by: .nanoseconds(1)) ?? newest
        camera.backend.frame(exposedAfter: max(newest, next)) { [weak self] result in
            guard let self, request == number else { return }
            switch result {
            case .failure: tryAgain()
            case .success(let frame): develop(frame, number)
            }
        }
    }

    private func develop(_ frame: Frame, _ number: Int) {
        exposed = frame.exposedAt
        guard let wish, let previewer = try? agent.needPreviewer() else { return tryAgain() }
        let view = frame.field.part(camera.model.snapshot.viewport.forPictures)
        previewer.develop(frame, view: view, width: wish.width, effect: camera.effect, quality: Self.quality)
        { [weak self] jpeg in
            guard let self, request == number else { return }
            if let jpeg { show(jpeg) }
            request = nil
            resume()
        }
    }

    private func show(_ jpeg: [UInt8]) {
        let wentOut = agent.bus.publishIfReady(
            agent.topics.preview(camera: camera.id), jpeg, BusProperties(contentType: "image/jpeg"))
        // After the frame: who waits for this word has something to show when it comes.
        guard wentOut, !isLive else { return }
        isLive = true
        publish()
    }

    private func wait(for wish: PreviewSet.Wish) {
        let due = asked?.advanced(by: .seconds(1 / wish.rate)) ?? agent.loop.now
        nextFrame.set(at: max(due, agent.loop.now))
    }

    private func tryAgain() {
        request = nil
        if !leases.isEmpty { nextFrame.set(after: Self.again) }
    }

    /// The most that somebody wants.
    private var wish: PreviewSet.Wish? {
        leases.values.map(\.wish).reduce(nil) { most, wish in
            var sum = most ?? wish
            (sum.rate, sum.width) = (max(sum.rate, wish.rate), max(sum.width, wish.width))
            return sum
        }
    }

    func publish() {
        let now = agent.loop.now
        let end = leases.values.map(\.end).max()
        let state = wish.flatMap { wish in
            end.map { end in
                PreviewState(
                    fps: wish.rate, width: wish.width,
                    until: Timestamp.text(
                        Timestamp.now.addingTimeInterval(now.duration(to: end) / .seconds(1))),
                    clients: leases.keys.filter { !$0.isEmpty }.sorted(), live: isLive, rev: camera.rev,
                    boot: agent.boot, ts: Timestamp.text())
            }
        }
        camera.publish(state, as: .preview)
    }
}
