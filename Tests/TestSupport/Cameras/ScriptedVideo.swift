package import Cameras
package import LoopThread
package import Picture

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
