import Base
import Core
import FoundationEssentials
import TestSupport
import Testing

@testable import Cameras
@testable import Media
@testable import Settings

/// Photos that a private camera must not keep, and frames of which there is none.
struct PhotoPipelineTests {
    let folder = TemporaryFolder()
    let loop = EventLoop()

    private func pipeline() throws -> PhotoPipeline {
        let settings = FolderSettings(directory: folder.path, maximumBytes: 1_000)
        return try PhotoPipeline(
            settings, cameras: ["door", "yard"],
            recordings: RecordingFolder(settings, cameras: ["door", "yard"]),
            decoders: StreamDecoders(), on: loop)
    }

    private func path(_ number: Int, _ camera: String, in photos: PhotoPipeline) -> String {
        photos.path(camera: camera, exposedAt: Date(timeIntervalSince1970: 0), sequence: number)
    }

    @Test func aPhotoWhoseStoringIsNotReportedIsDeleted() throws {
        let photos = try pipeline()
        var (stored, discarded) = (0, false)
        photos.store([1, 2], camera: "door", path: path(1, "door", in: photos)) { _ in stored += 1 }
        loop.turn { stored == 1 }
        photos.store([1, 2], camera: "door", path: path(2, "door", in: photos)) { _ in stored += 1 }
        photos.store([1, 2], camera: "yard", path: path(3, "yard", in: photos)) { _ in stored += 1 }
        // Nothing is reported before the loop turns, whether or not the thread has stored it.
        photos.discardUnreported(camera: "door") { discarded = true }
        #expect(!discarded)
        loop.turn { discarded }
        #expect(size(path(1, "door", in: photos)) == 2 && size(path(2, "door", in: photos)) == nil)
        #expect(size(path(3, "yard", in: photos)) == 2 && stored == 3)
    }

    /// A JPEG that breaks off, and a request that no frame fulfils.
    @Test func aFailureSaysWhetherTheFrameIsTheReason() throws {
        let photos = try pipeline()
        let previews = PreviewEncoder(on: loop, decoders: StreamDecoders())
        try previews.begin(camera: "door")
        let damaged = Frame(picture: .jpeg([0xFF, 0xD8]), field: .whole, number: 1, exposedAt: .now)
        var results: [Bool?] = []
        func note<Value>(_ result: Result<Value, EncodingFailure>) {
            if case .failure(let failure) = result {
                results.append(failure.isOfFrame)
            } else {
                results.append(nil)
            }
        }
        let whole = PhotoOptions(view: .whole, effect: .none)
        photos.encode(damaged, camera: "door", whole) { note($0) }
        photos.measureBrightness(of: damaged, camera: "door") { note($0) }
        photos.encode(frame(2), camera: "door", PhotoOptions(view: .whole, quality: 0, effect: .none)) {
            note($0)
        }
        photos.encode(frame(2), camera: "door", whole) { note($0) }
        loop.turn { results.count == 4 }
        previews.encode(damaged, camera: "door", view: .whole, width: 64, effect: .none) { note($0) }
        previews.encode(frame(2), camera: "door", view: .whole, width: 64, effect: .none) { note($0) }
        loop.turn { results.count == 6 }
        #expect(results == [true, true, false, nil, true, nil])
    }

    @Test func withoutSuchAPhotoNothingIsWaitedFor() throws {
        let photos = try pipeline()
        var discarded = false
        photos.discardUnreported(camera: "door") { discarded = true }
        #expect(discarded)
    }

    @Test func aPhotoThatWasDeletedTakesNoRoom() throws {
        let photos = try pipeline()
        var (stored, discarded) = (0, 0)
        for number in 1...4 {
            photos.store(
                [UInt8](repeating: 1, count: 600), camera: "door", path: path(number, "door", in: photos)
            ) { _ in stored += 1 }
            photos.discardUnreported(camera: "door") { discarded += 1 }
            loop.turn { stored == number && discarded == number }
        }
        photos.store(
            [UInt8](repeating: 1, count: 900), camera: "door", path: path(9, "door", in: photos)
        ) { _ in stored += 1 }
        loop.turn { stored == 5 }
        #expect(size(path(9, "door", in: photos)) == 900)
    }
}
