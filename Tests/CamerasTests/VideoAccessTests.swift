import Testing

@testable import Cameras
@testable import Settings

/// How a camera encodes the pictures of a mode as H.264.
struct VideoAccessTests {
    private func camera(
        _ formats: [CameraDescription.Format], pixelFormat: String? = nil,
        remaining: Orientation? = nil, beside: [CameraDescription.Format] = []
    ) -> CameraDescription {
        var description = CameraDescription(
            model: "", bus: "", serial: "", opticalMax: 1, optical: 1, formats: formats, actuators: [],
            limits: .init(pixelFormat: pixelFormat))
        description.videoFormats = beside
        description.orientation = remaining.map { DeviceOrientation(total: .halfTurn, remaining: $0) }
        return description
    }

    private static let both = [
        QualityTests.format("MJPG", 1280, 720, 30), QualityTests.format("H264", 640, 480, 30),
        QualityTests.format("H264", 1280, 720, 30, 15),
    ]
    private static let jpegs = CameraMode(pixelFormat: "MJPG", width: 1280, height: 720, rate: 30)

    private static let video = CameraMode(pixelFormat: "H264", width: 1280, height: 720, rate: 30)
    private static let slowVideo = CameraMode(pixelFormat: "H264", width: 1280, height: 720, rate: 15)

    @Test func itHasTheSameSizeAndRate() {
        #expect(camera(Self.both).video(for: Self.jpegs) == .instead(Self.video))
        var slow = Self.jpegs
        slow.rate = 14.99
        #expect(camera(Self.both).video(for: slow) == .instead(Self.slowVideo))
    }

    @Test(arguments: [(1280, 960, 30.0), (1280, 720, 60), (1280, 720, 20)])
    func thereIsNoneInAnotherSizeOrAtAnotherRate(width: Int, height: Int, rate: Double) {
        let mode = CameraMode(pixelFormat: "MJPG", width: width, height: height, rate: rate)
        #expect(camera(Self.both).video(for: mode) == nil)
    }

    /// Encoders of boards take any size and rate.
    @Test func rangesHaveIt() {
        let any = CameraDescription.Format(
            pixelFormat: "H264", width: 2592, height: 1944, rates: [90], slowestRate: 1, range: .init())
        #expect(camera([any]).video(for: Self.jpegs) == .instead(Self.video))
    }

    @Test func thereIsNoneBesideVideo() {
        var video = Self.jpegs
        video.pixelFormat = "H264"
        #expect(camera(Self.both).video(for: video) == nil)
        #expect(camera([Self.both[0]]).video(for: Self.jpegs) == nil)
    }

    @Test func aConfiguredPixelFormatIsThatOfAllFrames() {
        #expect(camera(Self.both, pixelFormat: "MJPG").video(for: Self.jpegs) == nil)
    }

    /// Frames keep their pixel format then.
    @Test(arguments: [nil, "MJPG"]) func besideTheFramesIsPreferred(pixelFormat: String?) {
        let camera = camera(
            Self.both, pixelFormat: pixelFormat, beside: [QualityTests.format("H264", 1280, 720, 30)])
        #expect(camera.video(for: Self.jpegs) == .beside(Self.video))
    }

    /// Turned pictures are decoded for that.
    @Test(arguments: [(Orientation.upright, true), (.halfTurn, false), (.mirrored, false)])
    func thereIsNoneForPicturesThatTheAgentTurns(remaining: Orientation, isThere: Bool) {
        #expect((camera(Self.both, remaining: remaining).video(for: Self.jpegs) != nil) == isThere)
    }
}
