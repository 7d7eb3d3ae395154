import Testing

@testable import Cameras
@testable import Settings

/// The format that is used when no exact size is requested.
struct FormatTests {
    private func format(_ letters: String, _ width: Int, _ height: Int, _ rate: Double = 30)
        -> CameraDescription.Format
    {
        CameraDescription.Format(pixelFormat: letters, width: width, height: height, rates: [5, rate])
    }

    private var webcam: [CameraDescription.Format] {
        [
            format("YUYV", 640, 480), format("YUYV", 1920, 1080, 5), format("MJPG", 640, 480),
            format("MJPG", 1920, 1080), format("MJPG", 3840, 2160, 15),
        ]
    }

    @Test func theLargestThatFitsAsJPEG() {
        #expect(webcam.best(within: .init(width: 1920, height: 1080)) == format("MJPG", 1920, 1080))
        #expect(webcam.best(within: .init(width: 4000, height: 4000)) == format("MJPG", 3840, 2160, 15))
        #expect(webcam.best(within: .init(width: 1000, height: 1000)) == format("MJPG", 640, 480))
    }

    /// Five frames per second are too few to aim the camera by its preview.
    @Test func aSmallerFormatIsPreferredToASlowOne() {
        #expect(
            webcam.best(within: .init(width: 1920, height: 1080, pixelFormat: "YUYV"))
                == format("YUYV", 640, 480))
    }

    @Test func theSmallestWhereNoneFits() {
        #expect(webcam.best(within: .init(width: 320, height: 240)) == format("MJPG", 640, 480))
    }

    @Test func theWantedSizeOutOfARange() {
        var any = format("YUYV", 16384, 8192)
        any.range = .init()
        let best = [any, format("YUYV", 640, 480)].best(within: .init(width: 1280, height: 720))
        #expect(best?.width == 1280 && best?.height == 720)
    }

    @Test func aPixelFormatThatIsAbsentGivesNoFormat() {
        #expect(webcam.best(within: .init(width: 1920, height: 1080, pixelFormat: "H264")) == nil)
    }
}
