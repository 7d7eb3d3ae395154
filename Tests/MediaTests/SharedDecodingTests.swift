import Base
import Core
import Foundation
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Media
@testable import Settings

/// A frame that a recording and a preview need is decoded once.
@Suite(.timeLimit(.minutes(10))) struct SharedDecodingTests {
    let folder = TemporaryFolder()
    let loop = EventLoop()

    private func plan(_ codec: RecordingCodec, _ encoding: RecordingEncoding = .init()) -> RecordingPlan {
        RecordingPlan(
            options: RecordingOptions(
                camera: "door", startedAt: .now, sequence: 1, codec: codec, width: 320, height: 180,
                rate: 30, microphone: nil, requiresSound: false, encoding: encoding),
            name: "door-1." + (codec == .h264 ? "mp4" : "mkv"),
            folder: RecordingFolder(
                FolderSettings(directory: folder.path, maximumBytes: 100 << 20), cameras: ["door"]),
            maximumFileBytes: 100 << 20)
    }

    private func jpegFrame(_ number: Int) throws -> Frame {
        let planar = frame(number)
        let photo = try PhotoMaker().photo(of: planar.picture)
        return Frame(picture: .jpeg(photo.bytes), field: .whole, number: number, exposedAt: planar.exposedAt)
    }

    private func recorded(_ frame: Frame, view: Region = .whole, copyWidth: Int?) -> RecordedFrame {
        RecordedFrame(
            frame: frame, view: view, effect: .none, time: .milliseconds(33 * frame.number),
            copyWidth: copyWidth)
    }

    private let zoomed = Region(x: 0.1, y: 0.2, width: 0.5, height: 0.5)

    @Test(arguments: RecordingCodec.allCases) func eachFrameIsDecodedOnce(codec: RecordingCodec) throws {
        let file = try RecordingFile(plan(codec), first: recorded(frame(0), copyWidth: nil), microphone: nil)
        var copies: [PlanarPicture] = []
        for number in 0..<12 {
            let width = number % 3 == 0 ? 160 : nil
            try file.write(recorded(jpegFrame(number), view: zoomed, copyWidth: width)) { copies.append($0) }
        }
        #expect(file.decodings == 12 && copies.count == 4)
        #expect(copies.allSatisfy { $0.width == 160 && $0.height == 90 })
        // The preview's encoder gets planes, which it needn't decode.
        let maker = try PhotoMaker()
        for copy in copies {
            let photo = try maker.photo(
                of: .planar(copy), fitting: PhotoSize(width: 160), sampling: .yuv420, quality: 75)
            #expect((photo.width, photo.height) == (160, 90))
        }
        #expect(maker.decodings == 0)
        #expect(file.finish(nil).frames == 12)
    }

    @Test func aJPEGThatIsStoredAsItIsIsNotDecoded() throws {
        let file = try RecordingFile(
            plan(.mjpeg, .init(quality: 30)), first: recorded(frame(0), copyWidth: nil), microphone: nil)
        try file.write(recorded(jpegFrame(0), copyWidth: 160)) { _ in Issue.record("a copy") }
        #expect(file.decodings == 0 && file.finish(nil).frames == 1)
    }

    /// The copy comes before the frame is encoded, so that a preview doesn't wait for the encoder.
    @Test func theCopyIsReportedBeforeItsFrame() throws {
        let recorder = try Recorder(
            folder: RecordingFolder(
                FolderSettings(directory: folder.path, maximumBytes: 100 << 20), cameras: ["door"]),
            maximumFileBytes: 100 << 20, decoders: StreamDecoders(), on: loop)
        var reports: [String] = []
        var copy: PlanarPicture?
        let recording = try recorder.begin(plan(.h264).options) { report in
            switch report {
            case .began: reports.append("began")
            case .reduced(let picture):
                copy = picture
                reports.append("reduced")
            case .encoded: reports.append("encoded")
            case .damaged: reports.append("damaged")
            case .full: reports.append("full")
            case .continued: reports.append("continued")
            case .finished: reports.append("finished")
            }
        }
        for number in 0..<3 {
            recording.add(
                try jpegFrame(number), showing: .whole, effect: .none, at: .milliseconds(33 * number),
                copyWidth: number == 1 ? 80 : nil)
        }
        // A planar frame needs no decoding.
        recording.add(
            frame(3), showing: .whole, effect: .none, at: .milliseconds(99), copyWidth: 80)
        recording.finish()
        withExtendedLifetime(recording) { loop.turn { reports.last == "finished" } }
        #expect(
            reports.filter { $0 != "began" } == [
                "encoded", "reduced", "encoded", "encoded", "encoded", "finished",
            ])
        #expect(copy?.width == 80 && copy?.height == 45)
        #expect(copy.map { abs(Int($0.samples.first ?? 0) - 7) <= 2 } == true)
    }

    /// The options of a command reach the encoder.
    @Test func theEncodingReachesTheFile() throws {
        func bytes(_ encoding: RecordingEncoding) throws -> Int {
            let file = try RecordingFile(
                plan(.h264, encoding), first: recorded(frame(0), copyWidth: nil), microphone: nil)
            for number in 0..<8 {
                try file.write(recorded(noise(number), copyWidth: nil)) { _ in }
            }
            let outcome = file.finish(nil)
            #expect(outcome.frames == 8 && outcome.error == nil)
            if let path = outcome.path { try? FileManager.default.removeItem(atPath: path) }
            return outcome.bytes
        }
        let normal = try bytes(.init())
        #expect(try bytes(.init(quality: 20)) * 2 < normal)
        #expect(try bytes(.init(maximumBitRate: 200_000)) * 2 < normal)
        #expect(try bytes(.init(quality: 90)) > normal)
    }

    private func noise(_ number: Int) -> Frame {
        var state = UInt64(number * 7919 + 1)
        let samples = (0..<320 * 180 * 3 / 2).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let picture = PlanarPicture(sampling: .yuv420, width: 320, height: 180, samples: samples)
        return Frame(picture: .planar(picture), field: .whole, number: number, exposedAt: .now)
    }
}
