import Base
import Synchronization
import TestSupport
import Testing

@testable import Cameras
@testable import Media
@testable import Settings

/// Hardware encoders that fail: x264 takes over. The encoder is x264 by another name, with a fault.
@Suite(.timeLimit(.minutes(5))) struct HardwareEncoderTests {
    enum Fault: CaseIterable {
        case open, openHang, firstFrame, silence, hang, later, laterHang, end

        /// Whether pictures were encoded before: another encoder needs another file.
        var comesLate: Bool { self == .later || self == .laterHang }

        var isHang: Bool { [.openHang, .hang, .laterHang].contains(self) }
    }

    /// x264 with a fault.
    private final class Faulty: HardwareEncoder {
        private let encoder: LibraryEncoder
        private let fault: Fault?
        private let isReleased: Monitor<Bool>
        private var frames = 0

        init(_ format: MovieFormat, _ fault: Fault?, _ isReleased: Monitor<Bool>) throws(MovieError) {
            if fault == .open { throw .codec("scripted") }
            encoder = LibraryEncoder(try PictureEncoder.software(format), pairsChroma: false)
            (self.fault, self.isReleased) = (fault, isReleased)
            if fault == .openHang { hang() }
        }

        func encode(_ frame: EncoderFrame) throws(MovieError) -> [EncodedPacket] {
            frames += 1
            let isLate = frames > 4
            switch fault {
            case .firstFrame: throw .codec("scripted")
            case .silence: return []
            case .hang: hang()
            case .later where isLate: throw .codec("scripted")
            case .laterHang where isLate: hang()
            default: break
            }
            return try encoder.encode(frame)
        }

        func end() throws(MovieError) -> [EncodedPacket] {
            if fault == .end { throw .codec("scripted") }
            return try encoder.end()
        }

        private func hang() {
            isReleased.wait { isReleased, _ in isReleased ? .answer(()) : .wait(until: nil) }
        }
    }

    let folder = TemporaryFolder()
    private let isReleased = Monitor(false)
    private let time = TestTime()

    /// The clock of the histories, and how often an encoder was opened.
    private final class TestTime: Sendable {
        private let state = Mutex((now: ContinuousClock.now, opened: 0))

        var now: ContinuousClock.Instant { state.withLock { $0.now } }
        var opened: Int { state.withLock { $0.opened } }

        func advance(by duration: Duration) { state.withLock { $0.now += duration } }
        func countOpen() { state.withLock { $0.opened += 1 } }
    }

    private func hardware(_ fault: Fault?) -> HardwareEncoders {
        HardwareEncoders([
            .init(
                name: "h264_v4l2m2m", history: EncoderHistory { [time] in time.now },
                timeout: .seconds(fault?.isHang == true ? 5 : 60)
            ) { [isReleased, time] format throws(MovieError) in
                time.countOpen()
                return try Faulty(format, fault, isReleased)
            }
        ])
    }

    private func format(_ encoder: RecordingEncoder = .automatic) -> MovieFormat {
        MovieFormat(codec: .h264, width: 64, height: 48, rate: 30, encoding: .init(encoder: encoder))
    }

    /// Writes frames; returns the error of the first that failed.
    private func write(_ frames: Int, to writer: MovieWriter) throws -> MovieError? {
        let samples = [UInt8](repeating: 90, count: 64 * 48) + [UInt8](repeating: 128, count: 2 * 32 * 24)
        let picture = PlanarPicture(sampling: .yuv420, width: 64, height: 48, samples: samples)
        for number in 0..<frames {
            let written = try Planes.of(picture) { planes in
                Result { () throws(MovieError) in
                    try writer.write(planes: planes, at: .milliseconds(100 * number))
                }
            }
            if case .failure(let error) = written { return error }
        }
        return nil
    }

    @Test func hardwareThatWorksIsUsed() throws {
        for encoder in RecordingEncoder.allCases {
            let writer = try MovieWriter(
                path: "\(folder.path)/\(encoder).mp4", format: format(encoder), hardware: hardware(nil))
            #expect(try write(10, to: writer) == nil)
            let result = writer.finish()
            #expect(result.encoder == (encoder == .software ? "libx264" : "h264_v4l2m2m"))
            #expect(result.frames == 10 && result.failure == nil)
        }
    }

    @Test(arguments: Fault.allCases) func x264TakesOver(fault: Fault) throws {
        let writer = try MovieWriter(
            path: "\(folder.path)/movie.mp4", format: format(), hardware: hardware(fault))
        let error = try write(30, to: writer)
        let result = writer.finish()
        isReleased.change { isReleased, _ in isReleased = true }
        if fault.comesLate {
            guard case .encoder = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(
                (2...4).contains(result.frames) && result.encoder == "h264_v4l2m2m", "what was encoded plays")
        } else if fault == .end {
            // What the encoder held back is lost.
            #expect(error == nil && (27...30).contains(result.frames) && result.failure != nil)
        } else {
            #expect(error == nil && result.encoder == "libx264" && result.failure == nil)
            // Ten frames are a second without a picture.
            #expect(result.frames == (fault == .silence ? 20 : 30))
        }
    }

    /// Records a movie of its own; returns the name of the encoder at its end.
    private func encoder(of number: Int, with hardware: HardwareEncoders) throws -> String? {
        let writer = try MovieWriter(
            path: "\(folder.path)/movie-\(number).mp4", format: format(), hardware: hardware)
        _ = try write(12, to: writer)
        return writer.finish().encoder
    }

    @Test(arguments: Fault.allCases) func hardwareThatHasFailedIsNotUsedForAWhile(fault: Fault) throws {
        let hardware = hardware(fault)
        _ = try encoder(of: 1, with: hardware)
        #expect(time.opened == 1)
        let history = try #require(hardware.candidates.first?.history)
        // The time of the history is not that of the threads.
        if !fault.isHang { wait { history.threadCount == 0 } }
        // One that can't be opened costs nothing: another movie may have another size.
        let isPaused = fault != .open
        for number in 2...4 {
            #expect(try encoder(of: number, with: hardware) == "libx264")
            #expect(time.opened == (isPaused ? 1 : number))
        }
        time.advance(by: EncoderHistory.pause - .seconds(1))
        #expect(try encoder(of: 5, with: hardware) == "libx264" && time.opened == (isPaused ? 1 : 5))
        time.advance(by: .seconds(1))
        let opened = time.opened
        // A thread that still hangs in the driver stays the only one.
        _ = try encoder(of: 6, with: hardware)
        #expect(time.opened == opened + (fault.isHang ? 0 : 1))
        isReleased.change { isReleased, _ in isReleased = true }
    }

    @Test func hardwareIsUsedAgainOnceItsThreadHasEnded() throws {
        let hardware = hardware(.hang)
        _ = try encoder(of: 1, with: hardware)
        let history = try #require(hardware.candidates.first?.history)
        time.advance(by: EncoderHistory.pause * 2)
        #expect(!history.isUsable)
        isReleased.change { isReleased, _ in isReleased = true }
        wait { history.isUsable }
    }

    /// Waits for a minute at most.
    private func wait(until isSo: () -> Bool) {
        let waiting = Monitor(())
        for _ in 0..<6_000 where !isSo() {
            let due = Monitor<Void>.now() + 10_000_000
            waiting.wait { _, now in now >= due ? .answer(()) : .wait(until: due) }
        }
        #expect(isSo())
    }

    @Test func hardwareThatWorksIsUsedForEachMovie() throws {
        let hardware = hardware(nil)
        for number in 1...3 { #expect(try encoder(of: number, with: hardware) == "h264_v4l2m2m") }
        #expect(time.opened == 3)
    }
}
