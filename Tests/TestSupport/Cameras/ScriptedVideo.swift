package import Base
package import Cameras

extension CameraDescription {
    /// A small camera with JPEGs and H.264, of which it gives one at a time.
    package static func scriptedVideo(opticalMax: Double = 1) -> Self {
        var description = scripted(opticalMax: opticalMax)
        description.formats = ["MJPG", "H264"].map {
            Format(pixelFormat: $0, width: 64, height: 36, rates: [30])
        }
        return description
    }
}

/// The pictures of such a camera, without content: each one of H.264 is a key frame.
package final class ScriptedVideo {
    private let stream = H264Picture.StreamID()
    private let loop: EventLoop
    private var ordinal = 0

    package init(on loop: EventLoop) { self.loop = loop }

    package func picture(_ mode: CameraMode) -> Picture {
        guard mode.pixelFormat == "H264" else { return .jpeg([0xFF, 0xD8, 0xFF, 0xD9]) }
        ordinal += 1
        let unit = H264AccessUnit(
            bytes: [], ordinal: ordinal, number: ordinal, exposedAt: loop.now, isKey: true)
        return .h264(H264Picture(stream: stream, width: mode.width, height: mode.height, units: [unit]))
    }
}

/// The video beside the frames of a camera: 30 frames per second, unless they are held.
package final class ScriptedVideoStream: VideoStream {
    /// Whether requests for frames wait.
    package var isHeld = false { didSet { if !isHeld { giveFrames() } } }
    package private(set) var isClosed = false
    /// Frames that were given.
    package private(set) var count = 0

    private let mode: CameraMode
    private let video: ScriptedVideo
    private let loop: EventLoop
    private var pending: [(time: ContinuousClock.Instant, then: (Result<Frame, CameraError>) -> Void)] = []
    private lazy var timer = loop.timer { [weak self] in self?.giveFrames() }

    package init(_ mode: CameraMode, on loop: EventLoop) {
        (self.mode, self.loop, video) = (mode, loop, ScriptedVideo(on: loop))
    }

    package func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        if isClosed { return then(.failure(.device("closed"))) }
        pending.append((time, then))
        if !isHeld && !timer.isSet { timer.set(after: .seconds(1) / 30) }
    }

    private func giveFrames() {
        let ready = isHeld ? [] : pending
        if !isHeld { pending = [] }
        for request in ready {
            count += 1
            let frame = Frame(
                picture: video.picture(mode), field: .whole, number: count, exposedAt: loop.now)
            request.then(.success(frame))
        }
    }

    /// Lets the pending requests fail.
    package func fail(_ error: CameraError) {
        let failed = pending
        pending = []
        for request in failed { request.then(.failure(error)) }
    }

    package func close() {
        isClosed = true
        timer.cancel()
        fail(.device("closed"))
    }
}
