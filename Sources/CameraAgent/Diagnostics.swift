internal import LoopThread
internal import MQTTBus
internal import Messages

/// `diagnostics`: how cameras and the disk do, said once a minute, if it is something else by then.
final class Diagnostics {
    private static let pace = Duration.seconds(60)
    /// Room is told in steps of ten megabytes: nobody wants to hear of each log line.
    private static let grain = 10_000_000

    private unowned let agent: Agent
    private var said: [String: DiagnosticsState] = [:]
    private lazy var turn = agent.loop.timer { [weak self] in self?.look() }

    init(_ agent: Agent) { self.agent = agent }

    func look() {
        turn.set(after: Self.pace)
        agent.album.room(in: agent.settings.recordings.folder.directory) { [weak self] bytes in
            self?.publish(bytes.map { $0 / Self.grain * Self.grain })
        }
    }

    private func publish(_ freeBytes: Int?) {
        guard !agent.isStopping else { return }
        for (id, camera) in agent.cameras {
            let (frames, lost) = camera.streamed
            let before = said[id]
            if let before, (before.freeBytes, before.frames, before.lost) == (freeBytes, frames, lost) {
                continue
            }
            let state = DiagnosticsState(
                freeBytes: freeBytes, frames: frames, lost: lost, rev: camera.rev, boot: agent.boot,
                ts: Timestamp.text())
            said[id] = state
            agent.bus.retain(agent.topics.diagnostics(camera: id), JSON.bytes(state))
        }
    }
}
