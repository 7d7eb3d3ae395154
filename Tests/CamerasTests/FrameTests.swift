import Cameras
import LoopThread
import Picture
import Testing

/// The frames of a simulated camera.
@Suite(.timeLimit(.minutes(1))) struct FrameTests {
    static let small = SimulatedCamera.Settings(width: 32, height: 18, rate: 200, opticalMax: 4)

    @Test func aFrameIsExposedAfterTheTimeThatWasAskedFor() throws {
        let bench = Bench(Self.small)
        var last = -1
        for _ in 0..<5 {
            let time = bench.loop.now
            let frame = try #require(bench.frame(after: time))
            #expect(frame.exposedAt >= time)
            #expect(bench.loop.now >= frame.exposedAt, "nor before it was exposed")
            #expect(frame.number > last)
            last = frame.number
        }
    }

    @Test func aTimeThatIsPastGivesTheNewestFrameAtOnce() throws {
        let bench = Bench(Self.small)
        var frames: [Frame] = []
        bench.camera.frame(exposedAfter: bench.loop.now - .seconds(60)) {
            frames += (try? $0.get()).map { [$0] } ?? []
        }
        #expect(frames.count == 1)
        #expect(frames[0].exposedAt <= bench.loop.now)
    }

    @Test func framesComeAtTheirRate() throws {
        let bench = Bench(Self.small)
        let first = try #require(bench.frame(after: bench.loop.now))
        let next = try #require(bench.frame(after: first.exposedAt + .nanoseconds(1)))
        let steps = Double(next.number - first.number)
        #expect(steps >= 1)
        #expect(abs(first.exposedAt.duration(to: next.exposedAt) / .seconds(1) - steps / 200) < 1e-9)
    }

    @Test func allWhoWaitGetTheirs() {
        let bench = Bench(Self.small)
        let start = bench.loop.now
        var frames: [(asked: ContinuousClock.Instant, frame: Frame)] = []
        for n in [3, 0, 2, 1] {
            let time = start + .milliseconds(6 * n)
            bench.camera.frame(exposedAfter: time) {
                if let frame = try? $0.get() { frames.append((time, frame)) }
            }
        }
        bench.turn { frames.count == 4 }
        #expect(frames.allSatisfy { $0.frame.exposedAt >= $0.asked })
        // Not in the order of what was asked: when the loop is late, one frame is for several.
        #expect(frames.map(\.frame.number) == frames.map(\.frame.number).sorted())
    }

    @Test func eachFrameIsCountedOnce() {
        let bench = Bench(Self.small)
        var counted = 0
        bench.camera.streamed = { frames, lost in
            counted += frames
            #expect(lost == 0)
        }
        let start = bench.loop.now
        let times = [-60_000, -60_000, 10, 10, 20].map { start + .milliseconds($0) }
        let numbers = times.compactMap { bench.frame(after: $0)?.number }
        #expect(numbers.count == times.count)
        #expect(counted == Set(numbers).count)
    }

    @Test func theFieldIsWhatTheLensSees() throws {
        let bench = Bench(Self.small)
        #expect(try #require(bench.frame(after: bench.loop.now)).field == .whole)
        bench.drive(to: 4)
        let field = try #require(bench.frame(after: bench.loop.now)).field
        #expect(field == Region(x: 0.375, y: 0.375, width: 0.25, height: 0.25))
    }

    /// A frame that was exposed before the lens was sent off shows the lens where it was.
    @Test func aFrameFromBeforeShowsTheLensAsItWas() throws {
        let bench = Bench(.init(width: 32, height: 18, rate: 5, opticalMax: 4, lensSpeed: 1))
        let past = bench.loop.now - .seconds(60)
        let late = bench.loop.now + .milliseconds(20)
        bench.turn { bench.loop.now > late }
        bench.camera.driveLens(to: 4)
        let field = try #require(bench.frame(after: past)).field
        #expect(field.x >= 0 && field.y >= 0 && field.width <= 1 && field.height <= 1)
    }

    @Test func aCameraThatGivesNoFramesSaysSo() {
        let bench = Bench(.init(fault: .frame))
        var error: CameraError?
        bench.camera.frame(exposedAfter: bench.loop.now) {
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
        let bench = Bench(.init(jpeg: bytes, width: 640, height: 480, rate: 500))
        guard case .jpeg(bytes) = try #require(bench.frame(after: bench.loop.now)).picture else {
            Issue.record("another picture")
            return
        }
        #expect(bench.camera.description.formats.map(\.pixelFormat) == ["MJPG"])
        #expect(bench.camera.description.formats.map(\.width) == [640])
    }

    @Test func itSaysWhatItIs() {
        let description = Bench(.init(width: 1280, height: 720, rate: 25, opticalMax: 3)).camera.description
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
