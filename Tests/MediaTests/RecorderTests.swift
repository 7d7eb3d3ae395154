import Base
import Core
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Media
@testable import Settings

/// Recordings as the loop sees them: frames in, reports out, whenever it ends.
@Suite(.timeLimit(.minutes(10))) struct RecorderTests {
    let loop = EventLoop()
    let folder = TemporaryFolder()

    /// A recording that is to be made.
    struct Plan {
        let recorder: Recorder
        let options: RecordingOptions

        func begin(_ log: ReportLog) throws -> any ActiveRecording {
            try recorder.begin(options, report: log.note)
        }
    }

    func plan(
        _ sequence: Int = 1, codec: RecordingCodec = .mjpeg, maximumFileBytes: Int = 100 << 20,
        in shared: RecordingFolder? = nil, microphone: String? = nil, requiresSound: Bool = false
    ) throws -> Plan {
        Plan(
            recorder: try Recorder(
                folder: shared ?? room(100 << 20), maximumFileBytes: maximumFileBytes,
                decoders: StreamDecoders(), on: loop),
            options: RecordingOptions(
                camera: "door", startedAt: .now, sequence: sequence, codec: codec, width: 320, height: 180,
                rate: 30, microphone: microphone, requiresSound: requiresSound))
    }

    func room(_ bytes: Int) -> RecordingFolder {
        RecordingFolder(FolderSettings(directory: folder.path, maximumBytes: bytes), cameras: ["door"])
    }

    /// The reports of a recording.
    final class ReportLog {
        var paths: [String] = []
        var encoded = 0
        var full = 0
        var outcome: RecordingOutcome?

        func note(_ report: RecordingReport) {
            switch report {
            case .began(let file): paths.append(file.path)
            case .reduced, .damaged, .continued: break
            case .encoded: encoded += 1
            case .full: full += 1
            case .finished(let result): outcome = result
            }
        }
    }

    /// Records frames and completes the file, or waits until it ends by itself.
    func record(
        _ plan: Plan, frames: Int, endsByItself: Bool = false
    ) throws -> (ReportLog, RecordingOutcome) {
        let log = ReportLog()
        let recording = try plan.begin(log)
        for number in 0..<frames {
            recording.add(
                frame(number), showing: .whole, effect: .none, at: .milliseconds(33 * number), copyWidth: nil)
        }
        if !endsByItself { recording.finish() }
        withExtendedLifetime(recording) { loop.turn { log.outcome != nil } }
        return (log, try #require(log.outcome))
    }

    @Test(arguments: [RecordingCodec.mjpeg, .h264]) func allFramesAreInTheFile(codec: RecordingCodec) throws {
        let (log, outcome) = try record(plan(codec: codec), frames: 30)
        #expect((log.encoded, log.paths.count, log.full) == (30, 1, 0))
        #expect((outcome.frames, outcome.error, outcome.warning) == (30, nil, nil))
        #expect(outcome.path == log.paths.first)
        #expect(size(try #require(outcome.path)) == outcome.bytes)
        #expect(folder.names(in: "door").count == 1, "nothing unfinished is left")
    }

    @Test func severalAtOnceShareTheFolder() throws {
        let shared = room(100 << 20)
        let logs = (0..<4).map { _ in ReportLog() }
        let recordings = try logs.enumerated().map { number, log in
            try plan(number, in: shared).begin(log)
        }
        for number in 0..<20 {
            for recording in recordings {
                recording.add(
                    frame(number), showing: .whole, effect: .sepia, at: .milliseconds(33 * number),
                    copyWidth: nil)
            }
        }
        for recording in recordings { recording.finish() }
        withExtendedLifetime(recordings) { loop.turn { logs.allSatisfy { $0.outcome != nil } } }
        #expect(logs.allSatisfy { $0.outcome?.frames == 20 && $0.outcome?.error == nil })
        #expect(folder.names(in: "door").count == 4)
    }

    @Test func withoutAFrameThereIsNoFile() throws {
        let (log, outcome) = try record(plan(), frames: 0)
        #expect(log.paths.isEmpty)
        #expect((outcome.path, outcome.frames, outcome.error) == (nil, 0, nil))
        #expect(folder.names(in: "door").isEmpty)
    }

    @Test func aFullFileIsReportedOnce() throws {
        let (log, outcome) = try record(plan(maximumFileBytes: 65_536), frames: 300)
        #expect(log.full == 1 && log.encoded == 300, "frames that come later are reported too")
        #expect(outcome.frames < 300 && outcome.bytes <= 65_536 + 8192)
        #expect(outcome.error == nil)
    }

    @Test func theOldestRecordingsAreDeletedAndFilesOfOthersStay() throws {
        try folder.make("door/door-20200101T000000.000Z-000001.mkv", bytes: 600_000, age: 1000)
        try folder.make("door/door-20200101T000000.000Z-000002.mkv", bytes: 300_000, age: 500)
        try folder.make("door/holiday.mkv", bytes: 600_000, age: 2000)
        let (_, outcome) = try record(plan(in: room(1_000_000)), frames: 30)
        #expect(outcome.error == nil)
        let names = folder.names(in: "door")
        #expect(!names.contains("door-20200101T000000.000Z-000001.mkv"))
        #expect(names.contains("door-20200101T000000.000Z-000002.mkv") && names.contains("holiday.mkv"))
    }

    @Test func aFolderThatCantBeMadeFailsTheRecording() throws {
        try folder.make("door", bytes: 1)
        let (log, outcome) = try record(plan(), frames: 3)
        #expect(log.paths.isEmpty)
        #expect((outcome.path, outcome.error?.code) == (nil, .device))
    }

    @Test func aRecordingThatRequiresSoundFailsWithoutIt() throws {
        let (_, without) = try record(plan(microphone: "nosuch"), frames: 5)
        #expect((without.frames, without.error) == (5, nil))
        let (_, outcome) = try record(
            plan(2, microphone: "nosuch", requiresSound: true), frames: 5, endsByItself: true)
        #expect((outcome.path, outcome.error?.code) == (nil, .device))
    }

    /// A recording that is released completes its file without a report.
    @Test func aReleasedRecordingCompletesItsFile() throws {
        let log = ReportLog()
        var recording: (any ActiveRecording)? = try plan().begin(log)
        for number in 0..<10 {
            recording?.add(
                frame(number), showing: .whole, effect: .none, at: .milliseconds(33 * number), copyWidth: nil)
        }
        recording = nil
        loop.turn { folder.names(in: "door").first.map { !$0.hasSuffix(MediaFileName.unfinished) } ?? false }
        #expect(log.outcome == nil)
    }

    // MARK: After a crash

    @Test func filesThatACrashCutOffAreInspected() throws {
        let plan = try plan()
        let (log, outcome) = try record(plan, frames: 30)
        let path = try #require(log.paths.first)
        // Without its end.
        try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(outcome.bytes * 2 / 3))
        try folder.make("door/damaged.mkv", bytes: 5_000)
        var found: [String: RecordingOutcome?] = [:]
        for name in ["door/damaged.mkv", "door/gone.mkv"] {
            try plan.recorder.inspect("\(folder.path)/\(name)") { found[name] = .some($0) }
        }
        try plan.recorder.inspect(path) { found["cut"] = .some($0) }
        #expect(found.isEmpty, "it isn't called back during the call")
        loop.turn { found.count == 3 }

        let cut = try #require(found["cut"] ?? nil)
        #expect((cut.path, cut.bytes, cut.error) == (path, size(path), nil))
        #expect((5..<30).contains(cut.frames))
        let damaged = try #require(found["door/damaged.mkv"] ?? nil)
        #expect((damaged.path, damaged.bytes) == ("\(folder.path)/door/damaged.mkv", 5_000))
        #expect(damaged.error?.code == .device && damaged.frames == 0)
        #expect((found["door/gone.mkv"] ?? nil) == nil)
    }
}
