internal import Base
internal import Bus
internal import Contract
internal import Core

/// Publishes `diagnostics` of each camera: free disk space and frame counts. Once a minute, if they have
/// changed.
final class Diagnostics {
    private static let interval = 60
    /// Free bytes are rounded down to this, so that a growing log file causes no message.
    private static let granularity = 10_000_000

    private let cameras: [Camera]
    private let freeBytes: (_ folder: String, _ then: @escaping (Int?) -> Void) -> Void
    private let recordingFolder: String
    private let loop: EventLoop
    private let agent: String
    private let boot: Int
    private let frontEnd: any FrontEnd
    /// The states that were published last, by camera; nil: it is stopped, and a measurement that ends now is
    /// ignored.
    private var published: [String: DiagnosticsState]?
    private lazy var timer = loop.timer { [weak self] in self?.measure(next: .seconds(Self.interval)) }

    init(
        _ cameras: [Camera],
        freeBytes: @escaping (_ folder: String, _ then: @escaping (Int?) -> Void) -> Void,
        recordingFolder: String, agent: String, boot: Int, frontEnd: any FrontEnd, on loop: EventLoop
    ) {
        (self.cameras, self.freeBytes, self.recordingFolder) = (cameras, freeBytes, recordingFolder)
        (self.agent, self.boot, self.frontEnd, self.loop) = (agent, boot, frontEnd, loop)
    }

    /// Publishes now, after a part of a minute, and from then on once a minute.
    func start() {
        published = [:]
        measure(next: Self.secondMeasurement(agent: agent))
    }

    /// From the first measurement to the second one: a part of the minute by the agent's name. Agents that
    /// start at the same moment, as after a power cut, do not publish at the same moment from then on.
    static func secondMeasurement(agent: String) -> Duration {
        // Not by the client identifier, which decides when the agent connects.
        Spread.wait(seconds: interval, of: "diagnostics of \(agent)")
    }

    func stop() {
        published = nil
        timer.cancel()
    }

    private func measure(next: Duration) {
        timer.set(after: next)
        freeBytes(recordingFolder) { [weak self] bytes in
            self?.publish(bytes.map { $0 / Self.granularity * Self.granularity })
        }
    }

    private func publish(_ freeBytes: Int?) {
        guard var published else { return }
        for camera in cameras {
            let (frames, lost) = camera.frameCounts
            let state = DiagnosticsState(freeBytes: freeBytes, frames: frames, lost: lost)
            if published[camera.id] == state { continue }
            published[camera.id] = state
            let stamp = Stamp(rev: camera.context.rev, boot: boot, ts: Timestamp.text())
            frontEnd.publishState(
                state, encoded: JSON.bytes(Stamped(state, stamp)), on: .diagnostics, of: camera.id)
        }
        self.published = published
    }
}
