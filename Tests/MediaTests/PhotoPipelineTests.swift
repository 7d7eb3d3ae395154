import FoundationEssentials
import LoopThread
import Media
import Settings
import TestSupport
import Testing

/// Photos that a private camera must not keep.
struct PhotoPipelineTests {
    let folder = TemporaryFolder()
    let loop = EventLoop()

    private func pipeline() throws -> PhotoPipeline {
        let settings = FolderSettings(directory: folder.path, maximumBytes: 1_000)
        return try PhotoPipeline(
            settings, cameras: ["door", "yard"],
            recordings: RecordingFolder(settings, cameras: ["door", "yard"]), on: loop)
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
