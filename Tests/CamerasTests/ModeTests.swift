import Base
import Testing

@testable import Cameras
@testable import Settings

/// The mode of a simulated camera, and its changes.
@Suite(.timeLimit(.minutes(10))) struct ModeTests {
    private static let settings = SimulationSettings(
        opticalMaximum: 1, frameRate: 200, width: 1280, height: 720)

    private func size(_ frame: Frame?) -> [Int]? {
        guard case .planar(let picture) = frame?.picture else { return nil }
        return [picture.width, picture.height]
    }

    @Test(arguments: [
        (1920, 1080, ["1920x1080", "1280x720", "640x360", "320x180"]),
        (3840, 2160, ["3840x2160", "1920x1080", "1280x720", "640x360", "320x180"]),
        (640, 480, ["640x480", "320x240"]), (1000, 999, ["1000x999"]), (16, 16, ["16x16"]),
    ])
    func aSceneComesInTheUsualSizesOfItsShape(width: Int, height: Int, sizes: [String]) {
        let formats = SimulatedCameraHarness(
            .init(opticalMaximum: 1, frameRate: 12, width: width, height: height)
        ).camera.description
            .formats
        #expect(formats.map { "\($0.width)x\($0.height)" } == sizes)
        #expect(formats.allSatisfy { $0.rates == [12, 10, 5] })
    }

    @Test func aPictureComesInItsOwnSizeOnly() {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 1, width: 1920, height: 1080), jpeg: [0xFF, 0xD8, 0xFF, 0xD9])
        #expect(harness.camera.description.formats.map(\.width) == [1920])
        #expect(harness.camera.mode.words == "MJPG 1920x1080@30")
        #expect(harness.set(mode: .init(pixelFormat: "MJPG", width: 640, height: 360, rate: 30)).isRefused)
        #expect(harness.set(mode: .init(pixelFormat: "MJPG", width: 1920, height: 1080, rate: 5)).rate == 5)
    }

    @Test func itBeginsWithItsBest() {
        let camera = SimulatedCameraHarness(Self.settings).camera
        #expect(camera.mode.words == "422P 1280x720@200")
        #expect(camera.description.mode(for: .high)?.mode == camera.mode)
    }

    @Test func framesHaveTheSizeOfTheMode() {
        let harness = SimulatedCameraHarness(Self.settings)
        let small = CameraMode(pixelFormat: "422P", width: 320, height: 180, rate: 200)
        #expect(size(harness.frame(after: harness.loop.now)) == [1280, 720])
        #expect(harness.set(mode: small) == .success(small))
        #expect(harness.camera.mode == small)
        // Even the newest frame there is.
        #expect(size(harness.frame(after: harness.loop.now - .seconds(60))) == [320, 180])
        #expect(size(harness.frame(after: harness.loop.now)) == [320, 180])
    }

    @Test func aPendingFrameComesInTheNewMode() {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 1, frameRate: 20, width: 1280, height: 720))
        var frames: [Frame] = []
        let time = harness.loop.now + .milliseconds(60)
        for wait in [0, 1, 20] {
            harness.camera.frame(exposedAfter: time + .milliseconds(wait)) {
                if let frame = try? $0.get() { frames.append(frame) }
            }
        }
        _ = harness.set(mode: .init(pixelFormat: "422P", width: 640, height: 360, rate: 15))
        harness.turn { frames.count == 3 }
        #expect(frames.allSatisfy { size($0) == [640, 360] && $0.exposedAt >= time })
    }

    @Test func theRateIsTheNearestThereIs() throws {
        let harness = SimulatedCameraHarness(Self.settings)
        let wanted = CameraMode(pixelFormat: "422P", width: 320, height: 180, rate: 16)
        #expect(harness.set(mode: wanted).rate == 15)
        #expect(harness.camera.mode.rate == 15)
    }

    @Test func framesAreCountedOnAndComeAtTheNewRate() throws {
        let harness = SimulatedCameraHarness(Self.settings)
        let before = try #require(harness.frame(after: harness.loop.now))
        _ = harness.set(mode: .init(pixelFormat: "422P", width: 320, height: 180, rate: 15))
        let first = try #require(harness.frame(after: harness.loop.now - .seconds(9)))
        #expect(first.number > before.number && first.exposedAt >= before.exposedAt)
        let next = try #require(harness.frame(after: first.exposedAt + .nanoseconds(1)))
        let steps = Double(next.number - first.number)
        #expect(steps >= 1)
        #expect(abs(first.exposedAt.duration(to: next.exposedAt) / .seconds(1) - steps / 15) < 1e-9)
    }

    @Test(arguments: [
        CameraMode(pixelFormat: "422P", width: 320, height: 240, rate: 15),
        CameraMode(pixelFormat: "MJPG", width: 320, height: 180, rate: 15),
    ])
    func anUnknownModeIsRefusedAndChangesNothing(mode: CameraMode) {
        let harness = SimulatedCameraHarness(Self.settings)
        let before = harness.camera.mode
        #expect(harness.set(mode: mode).isRefused)
        #expect(harness.camera.mode == before)
        #expect(size(harness.frame(after: harness.loop.now)) == [1280, 720])
    }

    @Test func aFaultOfTheModeIsReported() {
        var settings = Self.settings
        settings.fault = .modeError
        let harness = SimulatedCameraHarness(settings)
        let small = CameraMode(pixelFormat: "422P", width: 320, height: 180, rate: 200)
        #expect(harness.set(mode: small).isRefused)
        #expect(size(harness.frame(after: harness.loop.now)) == [1280, 720])
    }

    @Test func anAbsentCameraRefuses() {
        let camera = AbsentCamera()
        var answer: Result<CameraMode, CameraError>?
        camera.setMode(.init(pixelFormat: "MJPG", width: 2, height: 2, rate: 1)) { answer = $0 }
        #expect(answer == .failure(.unplugged))
        #expect(camera.mode.width == 0 && camera.description.qualities.isEmpty)
    }
}

extension SimulatedCameraHarness {
    func set(mode: CameraMode) -> Result<CameraMode, CameraError> {
        var answer: Result<CameraMode, CameraError>?
        camera.setMode(mode) { answer = $0 }
        turn { answer != nil }
        return answer ?? .failure(.unplugged)
    }
}

extension Result<CameraMode, CameraError> {
    fileprivate var rate: Double? { try? get().rate }

    fileprivate var isRefused: Bool {
        if case .failure(.device(let words)) = self { words.contains("VIDIOC_S_FMT") } else { false }
    }
}
