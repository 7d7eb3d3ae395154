import Base
import Testing

@testable import Cameras

/// The stream of a second node, without a node.
struct VideoStreamTests {
    private final class Outcome {
        var opened: Result<any VideoStream, CameraError>?
        var ends = 0
    }

    private let loop = EventLoop()
    private let outcome = Outcome()

    private func open() throws -> V4L2VideoStream {
        try V4L2VideoStream(
            at: "/dev/no-such-node",
            CameraMode(pixelFormat: "H264", width: 640, height: 480, rate: 30), on: loop,
            .init(ended: { [outcome] in outcome.ends += 1 })
        ) { [outcome] in outcome.opened = $0 }
    }

    private var error: CameraError? {
        if case .failure(let error) = outcome.opened { error } else { nil }
    }

    /// It doesn't mean that the camera was unplugged.
    @Test func aNodeThatIsNotThereIsAFailure() throws {
        let stream = try open()
        while outcome.opened == nil { loop.runOnce(timeout: nil) }
        guard case .device = error else {
            Issue.record("\(outcome.opened as Any)")
            return
        }
        #expect(outcome.ends == 1)
        stream.close()
        #expect(outcome.ends == 1)
    }

    @Test func whatIsPendingAtTheEndFails() throws {
        let stream = try open()
        var frames = 0
        stream.frame(exposedAfter: loop.now) { if case .failure = $0 { frames += 1 } }
        stream.close()
        #expect(error != nil && frames == 1 && outcome.ends == 1)
        stream.frame(exposedAfter: loop.now) { if case .failure = $0 { frames += 1 } }
        #expect(frames == 2)
    }
}
