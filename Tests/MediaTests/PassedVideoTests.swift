import Core
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Media
@testable import Settings

/// Which of a recording's files have the camera's own video.
@Suite(.timeLimit(.minutes(10))) struct PassedVideoTests {
    let folder = TemporaryFolder()

    private static let zoomed = Region(x: 0.25, y: 0.25, width: 0.5, height: 0.5)

    /// A file that was reported.
    private struct File: Equatable {
        var width = 0
        var height = 0
        /// Nil: it has the camera's own video.
        var encoder: String?
        var frames = 0
        /// Why another file follows.
        var cause: RecordingFields.Cause?
    }

    private let encoders = HardwareEncoders([
        .init(name: "h264_v4l2m2m", timeout: .seconds(60), open: HardwareEncoders.x264.open)
    ])

    /// Records frames of a stream of 64 × 48 pixels, and returns the files in their order, and the damaged
    /// frames.
    ///
    /// - Parameters:
    ///   - start: the access unit with which the recording begins.
    ///   - view: what a frame shows, by its number in the stream.
    ///   - otherPicture: instead of that of the stream, likewise.
    private func record(
        _ video: H264Video, from start: Int, hardware: HardwareEncoders? = nil,
        view: (Int) -> Region = { _ in .whole }, otherPicture: (Int) -> Picture? = { _ in nil }
    ) -> (files: [File], damaged: Int, error: CommandError?) {
        var plan = RecordingPlan(
            options: RecordingOptions(
                camera: "door", startedAt: .now, sequence: 1, codec: .h264, width: 320, height: 240,
                rate: 30, microphone: nil, requiresSound: false, passesThrough: true),
            name: "door-1.mp4",
            folder: RecordingFolder(
                FolderSettings(directory: folder.path, maximumBytes: 100 << 20), cameras: ["door"]),
            maximumFileBytes: 100 << 20)
        plan.hardware = hardware ?? encoders
        var files: [String: File] = [:]
        var order: [String] = []
        var (damaged, failure): (Int, CommandError?) = (0, nil)
        var pipeline = RecordingPipeline(plan) { report in
            switch report {
            case .began(let start):
                order.append(start.path)
                #expect(start.source == (start.encoder == nil ? .camera : .encoder))
                files[start.path] = File(
                    width: start.width, height: start.height, encoder: start.encoder)
            case .continued(let outcome, let cause):
                files[outcome.path ?? "", default: File()].frames = outcome.frames
                files[outcome.path ?? "", default: File()].cause = cause
            case .finished(let outcome):
                files[outcome.path ?? "", default: File()].frames = outcome.frames
                failure = outcome.error
            case .damaged: damaged += 1
            case .reduced, .encoded, .full: break
            }
        }
        let units = video.picture.units
        for number in start..<units.count {
            let frame = Frame(
                picture: otherPicture(number) ?? .h264(video.first(number + 1)), field: .whole,
                number: number,
                exposedAt: units[number].exposedAt)
            pipeline.perform(
                .frame(
                    RecordedFrame(
                        frame: frame, view: view(number), effect: .none,
                        time: units[start].exposedAt.duration(to: units[number].exposedAt), copyWidth: nil)))
        }
        pipeline.perform(.finish)
        return (order.compactMap { files[$0] }, damaged, failure)
    }

    @Test func theFileHasTheSizeOfTheStream() throws {
        let video = try #require(H264Video(8, group: 4))
        let (files, _, error) = record(video, from: 4)
        #expect(files == [File(width: 64, height: 48, frames: 4)] && error == nil)
    }

    /// What was damaged before the zoom can't be decoded up to the next key frame: that is no reason to end.
    @Test func damageBeforeAZoomDoesNotEndTheRecording() throws {
        let video = try #require(H264Video(24, group: 12)).picture
        var units = video.units
        let broken = units[4]
        units[4] = H264AccessUnit(
            bytes: Array(broken.bytes.prefix(11)) + [0x55, 0x55, 0x55], ordinal: broken.ordinal,
            number: broken.number, exposedAt: broken.exposedAt, isKey: false)
        let damagedVideo = H264Video(
            H264Picture(stream: video.stream, width: video.width, height: video.height, units: units))
        let (files, damaged, error) = record(damagedVideo, from: 0) { $0 < 6 ? .whole : Self.zoomed }
        #expect(files.map(\.cause) == [.zoom, nil] && files.map(\.frames) == [6, 12])
        #expect(damaged == 6 && error == nil)
    }

    /// The recording has waited for a key frame, and none has come.
    @Test func aRecordingThatBeginsWithoutAKeyFrameIsEncoded() throws {
        let video = try #require(H264Video(12, group: 12))
        let (files, damaged, error) = record(video, from: 5)
        #expect(files == [File(width: 320, height: 240, encoder: "h264_v4l2m2m", frames: 7)])
        #expect(damaged == 0 && error == nil)
    }

    @Test func aRecordingThatWasEncodedOnceStaysSo() throws {
        let video = try #require(H264Video(24, group: 4))
        let (files, _, error) = record(video, from: 0) { 8..<12 ~= $0 ? Self.zoomed : .whole }
        #expect(
            files == [
                File(width: 64, height: 48, frames: 8, cause: .zoom),
                File(width: 320, height: 240, encoder: "h264_v4l2m2m", frames: 16),
            ])
        #expect(error == nil)
    }

    /// A device with several formats is changed to another one when the view leaves 1×: until then frames of
    /// H.264 are decoded.
    @Test func framesOfAnotherFormatAreInTheEncodedFile() throws {
        let video = try #require(H264Video(24, group: 4))
        let (files, damaged, error) = record(
            video, from: 0, view: { $0 < 8 ? .whole : Self.zoomed },
            otherPicture: { $0 < 12 ? nil : frame($0).picture })
        #expect(
            files == [
                File(width: 64, height: 48, frames: 8, cause: .zoom),
                File(width: 320, height: 240, encoder: "h264_v4l2m2m", frames: 16),
            ])
        #expect(damaged == 0 && error == nil)
    }

    /// The device gives no more H.264, so it is changed to another format.
    @Test func framesOfAnotherFormatAt1xAreAnotherFile() throws {
        let video = try #require(H264Video(16, group: 4))
        let (files, _, error) = record(video, from: 0, otherPicture: { $0 < 8 ? nil : frame($0).picture })
        #expect(files.map(\.cause) == [.format, nil] && files.map(\.frames) == [8, 8])
        #expect(error == nil)
    }

    /// Works for some frames, and then fails.
    private final class FailingEncoder: HardwareEncoder {
        private let encoder: any HardwareEncoder
        private var frames = 0

        init(_ encoder: any HardwareEncoder) { self.encoder = encoder }

        func encode(_ frame: EncoderFrame) throws(MovieError) -> [EncodedPacket] {
            frames += 1
            if frames > 8 { throw .codec("scripted") }
            return try encoder.encode(frame)
        }

        func end() throws(MovieError) -> [EncodedPacket] { try encoder.end() }
    }

    /// At that time the whole picture is shown again. The file after the failure has no frame that is in the
    /// one before: it isn't the camera's own video, whose last key frame was exposed earlier.
    @Test func afterTheFailureOfAnEncoderNothingIsRepeated() throws {
        let video = try #require(H264Video(24, group: 12))
        let opened = Mutex(0)
        let failing = HardwareEncoders([
            .init(name: "h264_v4l2m2m", timeout: .seconds(60)) { format throws(MovieError) in
                opened.withLock { $0 += 1 }
                return FailingEncoder(try HardwareEncoders.x264.open(format))
            }
        ])
        let (files, damaged, error) = record(video, from: 0, hardware: failing) {
            4..<8 ~= $0 ? Self.zoomed : .whole
        }
        #expect(files.map(\.cause) == [.zoom, .encoder, nil])
        #expect(files.map(\.encoder) == [nil, "h264_v4l2m2m", "libx264"])
        #expect(files.first?.frames == 4 && files.last?.frames == 12)
        // x264 holds some frames back: they are lost with the encoder.
        #expect((4...8).contains(files[1].frames) && damaged == 0 && error == nil)
        #expect(opened.withLock { $0 } == 1)
    }

    /// Photos are of the size that was encoded, too.
    @Test func aPhotoHasTheSizeOfTheStream() throws {
        let video = try #require(H264Video(2, group: 2))
        let picture = try FrameDecoder(StreamDecoders()).decoded(.h264(video.picture))
        let photo = try PhotoMaker().photo(of: picture)
        #expect((photo.width, photo.height) == (64, 48))
        let header = try #require(JPEGFrameHeader(photo.bytes))
        #expect((header.width, header.height) == (64, 48))
    }
}
