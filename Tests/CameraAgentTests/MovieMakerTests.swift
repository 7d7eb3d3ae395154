import CameraAgent
import Cameras
import Glibc
import Imaging
import LoopThread
import Messages
import Picture
import Testing

/// Recordings as the loop sees them: frames in, reports out, whenever it ends.
@Suite(.timeLimit(.minutes(1))) struct MovieMakerTests {
    let loop = EventLoop()
    let folder = TemporaryFolder()

    func plan(
        _ name: String = "door-20261121T120000.000Z-000001.mkv", codec: MovieCodecField = .mjpeg,
        maximumFileBytes: Int = 100 << 20, in shared: RecordingFolder? = nil, microphone: String? = nil,
        needsSound: Bool = false
    ) -> MovieMaker.Plan {
        .init(
            folder: shared ?? room(100 << 20), maximumFileBytes: maximumFileBytes, camera: "door", name: name,
            codec: codec, width: 320, height: 180, rate: 30, microphone: microphone, needsSound: needsSound)
    }

    func room(_ bytes: Int) -> RecordingFolder {
        RecordingFolder(FolderSettings(directory: folder.path, maximumBytes: bytes), cameras: ["door"])
    }

    /// What a maker has reported.
    final class Diary {
        var paths: [String] = []
        var taken = 0
        var full = 0
        var outcome: MovieMaker.Outcome?

        func write(_ report: MovieMaker.Report) {
            switch report {
            case .began(let path, _): paths.append(path)
            case .took: taken += 1
            case .full: full += 1
            case .finished(let result): outcome = result
            }
        }
    }

    /// Records frames and completes the file, or waits until it ends by itself.
    func record(
        _ plan: MovieMaker.Plan, frames: Int, endsByItself: Bool = false
    ) throws -> (Diary, MovieMaker.Outcome) {
        let diary = Diary()
        let maker = try MovieMaker(plan, on: loop, report: diary.write)
        for number in 0..<frames {
            maker.add(frame(number), showing: .whole, effect: .none, at: .milliseconds(33 * number))
        }
        if !endsByItself { maker.finish() }
        withExtendedLifetime(maker) { loop.turn { diary.outcome != nil } }
        return (diary, try #require(diary.outcome))
    }

    @Test(arguments: [MovieCodecField.mjpeg, .h264]) func allFramesAreInTheFile(codec: MovieCodecField) throws
    {
        let (diary, outcome) = try record(plan(codec: codec), frames: 30)
        #expect((diary.taken, diary.paths.count, diary.full) == (30, 1, 0))
        #expect((outcome.frames, outcome.error, outcome.trouble) == (30, nil, nil))
        #expect(outcome.path == diary.paths.first)
        #expect(size(try #require(outcome.path)) == outcome.bytes)
        #expect(folder.names(in: "door").count == 1, "nothing unfinished is left")
    }

    @Test func severalAtOnceShareTheFolder() throws {
        let shared = room(100 << 20)
        let diaries = (0..<4).map { _ in Diary() }
        let makers = try diaries.enumerated().map { number, diary in
            try MovieMaker(
                plan("door-20261121T120000.000Z-00000\(number).mkv", in: shared), on: loop,
                report: diary.write)
        }
        for number in 0..<20 {
            for maker in makers {
                maker.add(frame(number), showing: .whole, effect: .sepia, at: .milliseconds(33 * number))
            }
        }
        for maker in makers { maker.finish() }
        withExtendedLifetime(makers) { loop.turn { diaries.allSatisfy { $0.outcome != nil } } }
        #expect(diaries.allSatisfy { $0.outcome?.frames == 20 && $0.outcome?.error == nil })
        #expect(folder.names(in: "door").count == 4)
    }

    @Test func withoutAFrameThereIsNoFile() throws {
        let (diary, outcome) = try record(plan(), frames: 0)
        #expect(diary.paths.isEmpty)
        #expect((outcome.path, outcome.frames, outcome.error) == (nil, 0, nil))
        #expect(folder.names(in: "door").isEmpty)
    }

    @Test func aFileThatIsLargeEnoughSaysSoOnce() throws {
        let (diary, outcome) = try record(plan(maximumFileBytes: 65_536), frames: 300)
        #expect(diary.full == 1 && diary.taken == 300, "those that come later are done with, too")
        #expect(outcome.frames < 300 && outcome.bytes <= 65_536 + 8192)
        #expect(outcome.error == nil)
    }

    @Test func theOldestRecordingsMakeRoomAndStrangersStay() throws {
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
        let (diary, outcome) = try record(plan(), frames: 3)
        #expect(diary.paths.isEmpty)
        #expect((outcome.path, outcome.error?.code) == (nil, .device))
    }

    @Test func soundThatIsAskedForByNameIsNeeded() throws {
        let (_, without) = try record(plan(microphone: "nosuch"), frames: 5)
        #expect((without.frames, without.error) == (5, nil))
        let name = "door-20261121T120000.000Z-000002.mkv"
        let (_, outcome) = try record(
            plan(name, microphone: "nosuch", needsSound: true), frames: 5, endsByItself: true)
        #expect((outcome.path, outcome.error?.code) == (nil, .device))
    }

    /// Its thread completes the file, and tells nobody.
    @Test func oneThatIsLeftAloneCompletesItsFile() throws {
        let diary = Diary()
        var maker: MovieMaker? = try MovieMaker(plan(), on: loop, report: diary.write)
        for number in 0..<10 {
            maker?.add(frame(number), showing: .whole, effect: .none, at: .milliseconds(33 * number))
        }
        maker = nil
        loop.turn { folder.names(in: "door").first.map { !$0.hasSuffix(MediaName.unfinished) } ?? false }
        #expect(diary.outcome == nil)
    }
}
