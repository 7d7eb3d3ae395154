import Base
import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Media
@testable import Settings

/// Cameras that deliver H.264: each access unit is decoded once, for all that need its picture.
@Suite(.timeLimit(.minutes(5))) struct StreamDecodersTests {
    private static let video = H264Video(20, group: 30)

    let decoders = StreamDecoders()
    let video: H264Video

    init() throws { video = try #require(Self.video) }

    /// A picture of the video. `number`: from 0.
    private func picture(_ number: Int, of stream: H264Picture.StreamID? = nil) -> Picture {
        Self.picture(number, of: video, stream)
    }

    /// - Parameter stream: of another camera with the same video.
    private static func picture(
        _ number: Int, of video: H264Video, _ stream: H264Picture.StreamID? = nil
    ) -> Picture {
        let first = video.first(number + 1)
        return .h264(
            H264Picture(
                stream: stream ?? first.stream, width: first.width, height: first.height, units: first.units))
    }

    private func decodings(_ stream: H264Picture.StreamID? = nil) -> Int {
        decoders.lease(stream ?? video.picture.stream).decoder.decodings
    }

    private static func level(_ number: Int) -> Int { 40 + 8 * number }

    private func expect(_ picture: Picture, shows number: Int) {
        guard case .planar(let picture) = picture else { return #expect(Bool(false), "not decoded") }
        let level = Self.level(number)
        let luma = picture.samples.prefix(picture.width * picture.height)
        #expect(luma.allSatisfy { abs(Int($0) - level) <= 3 }, "picture \(number)")
    }

    @Test func manyCamerasDecodeEachAccessUnitOnce() throws {
        let streams = (0..<6).map { _ in H264Picture.StreamID() }
        let cameras = streams.map { _ in FrameDecoder(decoders) }
        for number in 0..<20 {
            for (camera, stream) in streams.enumerated() {
                let picture = picture(number, of: stream)
                expect(try cameras[camera].decoded(picture), shows: number)
            }
        }
        #expect(decoders.count == 6)
        #expect(streams.map { decodings($0) } == [20, 20, 20, 20, 20, 20])
    }

    @Test func severalUsersOfAPictureHaveItDecodedOnce() throws {
        let users = (0..<4).map { _ in FrameDecoder(decoders) }
        for number in 0..<10 {
            for user in users { expect(try user.decoded(picture(number)), shows: number) }
        }
        #expect(decodings() == 10)
    }

    @Test func usersOnSeveralThreadsGetTheirPictures() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<4 {
                group.addTask { [decoders, video] in
                    let user = FrameDecoder(decoders)
                    for number in start..<20 {
                        let found = try user.decoded(Self.picture(number, of: video))
                        guard case .planar(let picture) = found else { continue }
                        let level = Self.level(number)
                        let luma = picture.samples.prefix(picture.width * picture.height)
                        #expect(luma.allSatisfy { abs(Int($0) - level) <= 3 })
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(decoders.count == 0)
    }

    @Test func aUserThatIsALittleBehindUsesTheRecentPictures() throws {
        let (first, second) = (FrameDecoder(decoders), FrameDecoder(decoders))
        _ = try (first.decoded(picture(0)), second.decoded(picture(0)))
        for number in 1..<20 {
            _ = try first.decoded(picture(number))
            if number > 2 { expect(try second.decoded(picture(number - 2)), shows: number - 2) }
        }
        #expect(decodings() == 20)
    }

    /// A slow recording beside a virtual camera.
    @Test func aUserThatIsFarBehindDoesNotSendTheOthersBack() throws {
        let (fast, slow) = (FrameDecoder(decoders), FrameDecoder(decoders))
        _ = try (fast.decoded(picture(0)), slow.decoded(picture(0)))
        for number in 1..<20 {
            expect(try fast.decoded(picture(number)), shows: number)
            if number > 8 { expect(try slow.decoded(picture(number - 8)), shows: number - 8) }
        }
        // The slow one begins again at the key frame, once.
        #expect(decodings() == 20 + 12)
        // It reaches the others, and goes on with them.
        _ = try (fast.decoded(picture(19)), slow.decoded(picture(19)))
        #expect(decodings() == 20 + 12)
    }

    @Test func aDecoderEndsWithItsLastLease() throws {
        var (first, second): (FrameDecoder?, FrameDecoder?) = (.init(decoders), .init(decoders))
        #expect(decoders.count == 0, "no picture is needed yet")
        _ = try (first?.decoded(picture(3)), second?.decoded(picture(3)))
        #expect(decoders.count == 1)
        first = nil
        expect(try #require(try second?.decoded(picture(5))), shows: 5)
        #expect(decodings() == 6, "it goes on from the last picture")
        second?.endLease()
        #expect(decoders.count == 0)
        _ = try second?.decoded(picture(5))
        #expect(decoders.count == 1 && decodings() == 6, "another decoder")
        second = nil
        #expect(decoders.count == 0)
    }

    @Test func aCameraThatBeginsAnotherStreamEndsTheLeaseOfTheFirst() throws {
        let other = H264Picture.StreamID()
        let decoder = FrameDecoder(decoders)
        _ = try decoder.decoded(picture(3))
        let turned = picture(4, of: other).oriented(.init(quarterTurns: 2))
        guard case .oriented(let inner, let orientation) = try decoder.decoded(turned) else {
            return #expect(Bool(false), "not turned")
        }
        expect(inner, shows: 4)
        #expect(orientation.quarterTurns == 2)
        #expect(decoders.count == 1 && decodings(other) == 5)
    }

    /// As after a recording of a camera that has both formats.
    @Test func aFrameOfAnotherFormatEndsTheLease() throws {
        let decoder = FrameDecoder(decoders)
        _ = try decoder.decoded(picture(3))
        #expect(decoders.count == 1)
        guard case .jpeg = try decoder.decoded(.jpeg([0xFF, 0xD8])) else {
            return #expect(Bool(false), "changed")
        }
        #expect(decoders.count == 0)
    }

    @Test func previewsAndPhotosShareADecoder() throws {
        let loop = EventLoop()
        let previews = PreviewEncoder(on: loop, decoders: decoders)
        let settings = FolderSettings(directory: "/no-such-folder", maximumBytes: 1)
        let photos = try PhotoPipeline(
            settings, cameras: [], recordings: RecordingFolder(settings, cameras: []), decoders: decoders,
            on: loop)
        try previews.begin(camera: "door")
        var done = 0
        func frame(_ number: Int) -> Frame {
            Frame(picture: picture(number), field: .whole, number: number, exposedAt: .now)
        }
        func preview(_ number: Int) {
            previews.encode(frame(number), camera: "door", view: .whole, width: 64, effect: .none) {
                if case .success = $0 { done += 1 }
            }
            loop.turn { done == number + 1 }
        }
        preview(0)
        photos.encode(frame(1), camera: "door", PhotoOptions(view: .whole, effect: .none)) {
            if case .success = $0 { done += 1 }
        }
        loop.turn { done == 2 }
        preview(2)
        #expect(decodings() == 3 && decoders.count == 1)
    }

    @Test func theLeaseOfAPreviewEndsWithIt() throws {
        let loop = EventLoop()
        let previews = PreviewEncoder(on: loop, decoders: decoders)
        for camera in ["door", "yard"] { try previews.begin(camera: camera) }
        var done = 0
        func preview(_ frame: Frame, of camera: String) {
            previews.encode(frame, camera: camera, view: .whole, width: 64, effect: .none) {
                if case .success = $0 { done += 1 }
            }
        }
        let video = Frame(picture: picture(0), field: .whole, number: 0, exposedAt: .now)
        preview(video, of: "door")
        loop.turn { done == 1 }
        #expect(decoders.count == 1)
        previews.end(camera: "door")
        preview(frame(1), of: "yard")
        loop.turn { done == 2 }
        #expect(decoders.count == 0)
        var isRefused = false
        previews.encode(video, camera: "door", view: .whole, width: 64, effect: .none) {
            if case .failure(let failure) = $0 { isRefused = !failure.isOfFrame }
        }
        #expect(isRefused)
    }
}
