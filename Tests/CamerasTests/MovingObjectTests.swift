import Base
import Testing

@testable import Cameras
@testable import Settings

/// The object that moves over the scene of a simulated camera.
@Suite(.timeLimit(.minutes(10))) struct MovingObjectTests {
    static let size = 0.2
    static let object = MovingObject(size: size, period: 8)

    struct NotPlanar: Error {}

    func planar(_ frame: Frame) throws -> PlanarPicture {
        guard case .planar(let picture) = frame.picture else { throw NotPlanar() }
        return picture
    }

    /// The middle and the size of what is as dark as the object, in fractions of the frame.
    func place(in picture: PlanarPicture) -> (x: Double, y: Double, width: Double, height: Double)? {
        var columns: [Int] = []
        var rows: [Int] = []
        let luma = picture.samples.prefix(picture.width * picture.height)
        for (index, sample) in luma.enumerated() where sample == 16 {
            columns.append(index % picture.width)
            rows.append(index / picture.width)
        }
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(),
            let bottom = rows.max()
        else { return nil }
        return (
            Double(left + right + 1) / 2 / Double(picture.width),
            Double(top + bottom + 1) / 2 / Double(picture.height),
            Double(right + 1 - left) / Double(picture.width),
            Double(bottom + 1 - top) / Double(picture.height)
        )
    }

    @Test func itIsWhereItsTimeSays() throws {
        let harness = SimulatedCameraHarness(
            .init(
                opticalMaximum: 1, frameRate: 200, width: 320, height: 180, objectSize: Self.size,
                objectPeriod: 8))
        for _ in 0..<3 {
            let frame = try #require(harness.frame(after: harness.loop.now))
            let expected = Self.object.center(after: Double(frame.number) / 200)
            let found = try #require(place(in: try planar(frame)))
            #expect(abs(found.x - expected.x) < 0.005 && abs(found.y - expected.y) < 0.01)
            #expect(abs(found.width - Self.size * 180 / 320) < 0.01)
            #expect(abs(found.height - Self.size) < 0.02)
        }
    }

    @Test func itGoesRoundClockwiseFromTheTop() {
        let places = [0.0, 2, 4, 6, 8].map { Self.object.center(after: $0) }
        let expected = [(0.5, 0.25), (0.8, 0.5), (0.5, 0.75), (0.2, 0.5), (0.5, 0.25)]
        for (place, expected) in zip(places, expected) {
            #expect(abs(place.x - expected.0) < 1e-9 && abs(place.y - expected.1) < 1e-9)
        }
    }

    @Test func itHasNoColour() throws {
        let harness = SimulatedCameraHarness(
            .init(
                opticalMaximum: 1, frameRate: 200, width: 320, height: 180, objectSize: Self.size,
                objectPeriod: 8))
        let frame = try #require(harness.frame(after: harness.loop.now))
        let picture = try planar(frame)
        let center = Self.object.center(after: Double(frame.number) / 200)
        let place = Int(center.y * 180) * 160 + Int(center.x * 160)
        for start in [320 * 180, (320 + 160) * 180] { #expect(picture.samples[start + place] == 128) }
    }

    /// The scene is shared by all simulated cameras of one size.
    @Test func itIsOnNoFrameOfAnotherCamera() throws {
        let moving = SimulatedCameraHarness(
            .init(
                opticalMaximum: 1, frameRate: 200, width: 320, height: 180, objectSize: Self.size,
                objectPeriod: 8))
        #expect(moving.frame(after: moving.loop.now) != nil)
        let still = SimulatedCameraHarness(.init(opticalMaximum: 1, frameRate: 200, width: 320, height: 180))
        let frame = try #require(still.frame(after: still.loop.now))
        #expect(place(in: try planar(frame)) == nil)
    }

    /// The largest object on the smallest frame.
    @Test(arguments: [(16, 16), (64, 36)])
    func itStaysInsideOfTheFrame(width: Int, height: Int) throws {
        let harness = SimulatedCameraHarness(
            .init(
                opticalMaximum: 1, frameRate: 1000, width: width, height: height, objectSize: 0.5,
                objectPeriod: 1))
        for _ in 0..<20 {
            let frame = try #require(harness.frame(after: harness.loop.now))
            #expect(place(in: try planar(frame)) != nil)
        }
    }

    /// Frame numbers and exposures continue over a change of the mode, and so does the object.
    @Test func aChangeOfTheModeDoesNotMoveIt() throws {
        let harness = SimulatedCameraHarness(
            .init(
                opticalMaximum: 1, frameRate: 200, width: 640, height: 360, objectSize: Self.size,
                objectPeriod: 8))
        let before = try #require(harness.frame(after: harness.loop.now))
        var isSet = false
        harness.camera.setMode(.init(pixelFormat: "422P", width: 320, height: 180, rate: 10)) {
            if case .success = $0 { isSet = true }
        }
        let after = try #require(harness.frame(after: harness.loop.now))
        #expect(isSet)
        let passed = before.exposedAt.duration(to: after.exposedAt) / .seconds(1)
        let expected = Self.object.center(after: Double(before.number) / 200 + passed)
        let found = try #require(place(in: try planar(after)))
        #expect(abs(found.x - expected.x) < 0.005 && abs(found.y - expected.y) < 0.01)
    }
}
