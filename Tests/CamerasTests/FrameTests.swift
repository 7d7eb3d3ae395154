import Base
import Testing

@testable import Cameras
@testable import Settings

/// The frames of a simulated camera.
@Suite(.timeLimit(.minutes(10))) struct FrameTests {
    static let small = SimulationSettings(opticalMaximum: 4, frameRate: 200, width: 32, height: 18)

    @Test func aFrameIsExposedAfterTheTimeThatWasAskedFor() throws {
        let harness = SimulatedCameraHarness(Self.small)
        var last = -1
        for _ in 0..<5 {
            let time = harness.loop.now
            let frame = try #require(harness.frame(after: time))
            #expect(frame.exposedAt >= time)
            #expect(harness.loop.now >= frame.exposedAt, "nor before it was exposed")
            #expect(frame.number > last)
            last = frame.number
        }
    }

    @Test func aTimeThatIsPastGivesTheNewestFrameAtOnce() throws {
        let harness = SimulatedCameraHarness(Self.small)
        var frames: [Frame] = []
        harness.camera.frame(exposedAfter: harness.loop.now - .seconds(60)) {
            frames += (try? $0.get()).map { [$0] } ?? []
        }
        #expect(frames.count == 1)
        #expect(frames[0].exposedAt <= harness.loop.now)
    }

    @Test func framesComeAtTheirRate() throws {
        let harness = SimulatedCameraHarness(Self.small)
        let first = try #require(harness.frame(after: harness.loop.now))
        let next = try #require(harness.frame(after: first.exposedAt + .nanoseconds(1)))
        let steps = Double(next.number - first.number)
        #expect(steps >= 1)
        #expect(abs(first.exposedAt.duration(to: next.exposedAt) / .seconds(1) - steps / 200) < 1e-9)
    }

    @Test func everyPendingRequestGetsAFrame() {
        let harness = SimulatedCameraHarness(Self.small)
        let start = harness.loop.now
        var frames: [(asked: ContinuousClock.Instant, frame: Frame)] = []
        for n in [3, 0, 2, 1] {
            let time = start + .milliseconds(6 * n)
            harness.camera.frame(exposedAfter: time) {
                if let frame = try? $0.get() { frames.append((time, frame)) }
            }
        }
        harness.turn { frames.count == 4 }
        #expect(frames.allSatisfy { $0.frame.exposedAt >= $0.asked })
        // Not in the order of what was asked: when the loop is late, one frame is for several.
        #expect(frames.map(\.frame.number) == frames.map(\.frame.number).sorted())
    }

    @Test func eachFrameIsCountedOnce() {
        let harness = SimulatedCameraHarness(Self.small)
        var counted = 0
        harness.camera.callbacks.streamed = { frames, lost in
            counted += frames
            #expect(lost == 0)
        }
        let start = harness.loop.now
        let times = [-60_000, -60_000, 10, 10, 20].map { start + .milliseconds($0) }
        let numbers = times.compactMap { harness.frame(after: $0)?.number }
        #expect(numbers.count == times.count)
        #expect(counted == Set(numbers).count)
    }

    @Test func theFieldIsWhatTheLensSees() throws {
        let harness = SimulatedCameraHarness(Self.small)
        #expect(try #require(harness.frame(after: harness.loop.now)).field == .whole)
        harness.drive(to: 4)
        let field = try #require(harness.frame(after: harness.loop.now)).field
        #expect(field == Region(x: 0.375, y: 0.375, width: 0.25, height: 0.25))
    }

    /// A frame that was exposed before the lens began to move shows the lens where it was.
    @Test func aFrameFromBeforeShowsTheLensAsItWas() throws {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 4, lensSpeed: 1, frameRate: 5, width: 32, height: 18))
        let past = harness.loop.now - .seconds(60)
        let late = harness.loop.now + .milliseconds(20)
        harness.turn { harness.loop.now > late }
        harness.camera.driveLens(to: 4)
        let field = try #require(harness.frame(after: past)).field
        #expect(field.x >= 0 && field.y >= 0 && field.width <= 1 && field.height <= 1)
    }

    @Test func aFaultOfFramesIsReported() {
        let harness = SimulatedCameraHarness(.init(opticalMaximum: 1, fault: .frameError))
        var error: CameraError?
        harness.camera.frame(exposedAfter: harness.loop.now) {
            if case .failure(let failure) = $0 { error = failure }
        }
        guard case .device(let words) = error else {
            Issue.record("it didn't")
            return
        }
        #expect(words.contains("VIDIOC_DQBUF"))
    }

    @Test func aJPEGIsGivenAsItIs() throws {
        let bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 1, frameRate: 500, width: 640, height: 480), jpeg: bytes)
        guard case .jpeg(bytes) = try #require(harness.frame(after: harness.loop.now)).picture else {
            Issue.record("another picture")
            return
        }
        #expect(harness.camera.description.formats.map(\.pixelFormat) == ["MJPG"])
        #expect(harness.camera.description.formats.map(\.width) == [640])
    }

    @Test func theDescriptionHasItsAbilities() {
        let description = SimulatedCameraHarness(
            .init(opticalMaximum: 3, frameRate: 25, width: 1280, height: 720)
        )
        .camera.description
        #expect((description.serial, description.bus, description.optical) == ("sim-1", "simulated", 1))
        #expect(description.opticalMax == 3)
        let rates = [25.0, 15, 10, 5]
        #expect(
            description.formats
                == [(1280, 720), (640, 360), (320, 180)].map {
                    .init(pixelFormat: "422P", width: $0.0, height: $0.1, rates: rates)
                })
    }
}
