import Base
import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Media
@testable import Settings

/// The reports of a recording's thread, in order. All jobs are done when a test reads them.
@Suite(.timeLimit(.minutes(10))) struct RecordingPipelineTests {
    let folder = TemporaryFolder()

    private enum Report: Equatable {
        case began(hasSound: Bool)
        case reduced, encoded, damaged, full
        case continued(frames: Int, RecordingFields.Cause)
        case finished(frames: Int, error: CommandError.Code?)

        init(_ report: RecordingReport) {
            switch report {
            case .began(let file): self = .began(hasSound: file.hasSound)
            case .reduced: self = .reduced
            case .encoded: self = .encoded
            case .damaged: self = .damaged
            case .full: self = .full
            case .continued(let outcome, let cause): self = .continued(frames: outcome.frames, cause)
            case .finished(let outcome):
                self = .finished(frames: outcome.frames, error: outcome.error?.code)
            }
        }
    }

    /// Carries out jobs, and returns the reports once all are done.
    private func reports(
        _ jobs: [RecordingThread.Job], maximumFileBytes: Int = 100 << 20, microphone: String? = nil,
        requiresSound: Bool = false, codec: RecordingCodec = .mjpeg, hardware: HardwareEncoders = .installed
    ) throws -> [Report] {
        var plan = RecordingPlan(
            options: RecordingOptions(
                camera: "door", startedAt: .now, sequence: 1, codec: codec, width: 320, height: 180,
                rate: 30, microphone: microphone, requiresSound: requiresSound),
            name: "door-1.mkv",
            folder: RecordingFolder(
                FolderSettings(directory: folder.path, maximumBytes: 100 << 20), cameras: ["door"]),
            maximumFileBytes: maximumFileBytes)
        plan.hardware = hardware
        let log = ReportLog()
        let ready = plan
        let loop = EventLoop()
        let worker = try SerialWorker(name: "recording", on: loop, idleTime: nil) {
            RecordingPipeline(ready) { log.add($0) }
        }
        let submit = worker.submit
        try submit { $0.listen { event in try? submit { $0.perform(.sound(event)) } } }
        for job in jobs { try submit { $0.perform(job) } }
        var isDone = false
        try worker.run({ _ in }) { isDone = true }
        loop.turn { isDone }
        return log.reports.map(Report.init)
    }

    private final class ReportLog: Sendable {
        private let list = Mutex<[RecordingReport]>([])
        var reports: [RecordingReport] { list.withLock { $0 } }
        func add(_ report: RecordingReport) { list.withLock { $0.append(report) } }
    }

    private func frames(_ numbers: Range<Int>) -> [RecordingThread.Job] {
        numbers.map {
            .frame(recorded(frame($0), at: .milliseconds(33 * $0)))
        }
    }

    private func recorded(_ frame: Frame, at time: Duration, copyWidth: Int? = nil) -> RecordedFrame {
        RecordedFrame(frame: frame, view: .whole, effect: .none, time: time, copyWidth: copyWidth)
    }

    private func damagedFrames(_ count: Int) -> [RecordingThread.Job] {
        (0..<count).map { number in
            let frame = Frame(picture: .jpeg([0xff]), field: .whole, number: number, exposedAt: .now)
            return .frame(recorded(frame, at: .milliseconds(33 * number)))
        }
    }

    @Test func afterTheFinalReportThereIsNone() throws {
        let reports = try reports(
            frames(0..<2) + [.finish] + frames(2..<5) + [.soundTimeout, .finish])
        #expect(reports == [.began(hasSound: false), .encoded, .encoded, .finished(frames: 2, error: nil)])
    }

    @Test func aRecordingThatFailsReportsThatLast() throws {
        try folder.make("door", bytes: 1)
        #expect(try reports(frames(0..<3)) == [.finished(frames: 0, error: .device)])
    }

    /// ALSA's device `null` delivers silence. The frames wait for it, and fail all at once.
    @Test func aRecordingThatFailsAtItsEndReportsThatOnce() throws {
        try folder.make("door", bytes: 1)
        let reports = try reports(frames(0..<3) + [.finish], microphone: "null")
        #expect(reports == [.finished(frames: 0, error: .device)])
    }

    @Test func framesThatWaitForSoundAreInTheFile() throws {
        let reports = try reports(frames(0..<3) + [.finish], microphone: "null")
        let expected: [Report] = [.began(hasSound: true), .encoded, .encoded, .encoded]
        #expect(reports == expected + [.finished(frames: 3, error: nil)])
    }

    @Test func damagedFramesAreLeftOut() throws {
        let reports = try reports(damagedFrames(4) + frames(4..<6) + damagedFrames(9) + [.finish])
        let damaged = [Report](repeating: .damaged, count: 9)
        #expect(
            reports == damaged[..<4] + [.began(hasSound: false), .encoded, .encoded] + damaged
                + [.finished(frames: 2, error: nil)])
    }

    @Test func fiveDamagedFramesAtTheBeginningEndTheRecording() throws {
        let reports = try reports(damagedFrames(5) + frames(5..<7) + [.finish])
        #expect(reports == [Report](repeating: .damaged, count: 5) + [.finished(frames: 0, error: .device)])
        #expect(folder.names(in: "door").isEmpty)
    }

    /// A camera may send JPEGs of another size than that of its mode: they are scaled to the size of the
    /// movie.
    @Test func jpegsOfAnotherSizeAreScaledToThatOfTheRecording() throws {
        let maker = try PhotoMaker()
        let sizes = [(320, 180), (320, 192), (640, 480), (64, 36), (320, 180)]
        let jobs = try sizes.enumerated().map { number, size in
            let jpeg = try maker.photo(of: frame(number, width: size.0, height: size.1).picture).bytes
            let frame = Frame(picture: .jpeg(jpeg), field: .whole, number: number, exposedAt: .now)
            return RecordingThread.Job.frame(recorded(frame, at: .milliseconds(33 * number)))
        }
        #expect(try reports(jobs + [.finish]).last == .finished(frames: 5, error: nil))
        let name = try #require(folder.names(in: "door").first)
        let file = try [UInt8](Data(contentsOf: URL(filePath: "\(folder.path)/door/\(name)")))
        let headers = file.indices.dropLast(2).filter {
            file[$0] == 0xFF && file[$0 + 1] == 0xD8 && file[$0 + 2] == 0xFF
        }.compactMap { JPEGFrameHeader(Array(file[$0...])) }
        #expect(headers.map(\.width) == [Int](repeating: 320, count: 5))
        #expect(headers.map(\.height) == [Int](repeating: 180, count: 5))
    }

    @Test func aFullFileTakesNoFurtherFrames() throws {
        let reports = try reports(frames(0..<4) + [.finish], maximumFileBytes: 1)
        #expect(
            reports == [
                .began(hasSound: false), .full, .encoded, .encoded, .encoded, .encoded,
                .finished(frames: 1, error: nil),
            ])
    }

    /// Gives packets for two frames, and then fails.
    private final class FailingEncoder: HardwareEncoder {
        private let encoder: any HardwareEncoder
        private var frames = 0

        init(_ encoder: any HardwareEncoder) { self.encoder = encoder }

        func encode(_ frame: EncoderFrame) throws(MovieError) -> [EncodedPacket] {
            frames += 1
            if frames > 4 { throw .codec("scripted") }
            return try encoder.encode(frame)
        }

        func end() throws(MovieError) -> [EncodedPacket] { try encoder.end() }
    }

    @Test func anEncoderThatFailsIsReplacedInAnotherFile() throws {
        let hardware = HardwareEncoders([
            .init(name: "h264_v4l2m2m", timeout: .seconds(60)) { format throws(MovieError) in
                FailingEncoder(try HardwareEncoders.x264.open(format))
            }
        ])
        let reports = try reports(frames(0..<9) + [.finish], codec: .h264, hardware: hardware)
        let began = reports.filter { $0 == .began(hasSound: false) }
        #expect(began.count == 2 && reports.filter { $0 == .encoded }.count == 9)
        let files = reports.compactMap { report -> (frames: Int, isLast: Bool)? in
            switch report {
            case .continued(let frames, .encoder): (frames, false)
            case .finished(let frames, nil): (frames, true)
            default: nil
            }
        }
        #expect(files.map(\.isLast) == [false, true])
        #expect((2...4).contains(files[0].frames) && files[1].frames == 5)
        let names = folder.names(in: "door")
        #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".mkv") || $0.hasSuffix(".mp4") })
    }
}
