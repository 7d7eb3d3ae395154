internal import Base
internal import Contract
internal import Glibc
internal import Settings

/// Stores photos on a thread of its own, so that a slow disk doesn't delay the next photo.
final class PhotoStore {
    /// How long the thread is kept for the next photo.
    private static let idleTime = Duration.seconds(1)

    private let worker: SerialWorker<MediaFolder>
    /// The paths of the photos that are being stored and aren't reported yet, by camera.
    private var unreported: [String: Set<String>] = [:]

    /// - Parameter recordings: their unfinished files are deleted before the first use.
    init(
        _ settings: FolderSettings, cameras: [String], recordings: RecordingFolder, on loop: EventLoop
    ) throws(LoopError) {
        worker = try SerialWorker(name: "photo-store", on: loop, idleTime: Self.idleTime) {
            recordings.deleteUnfinished()
            return MediaFolder(settings, of: .photos, cameras: cameras)
        }
    }

    /// Stores a photo, and calls back on the loop.
    func store(
        _ photo: [UInt8], camera: String, path: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        unreported[camera, default: []].insert(path)
        let reported = { [weak self] (result: Result<Void, CommandError>) in
            self?.unreported[camera]?.remove(path)
            then(result)
        }
        do throws(LoopError) {
            try worker.run(
                { folder in
                    Result { () throws(CommandError) in
                        do throws(MediaFolder.Failure) {
                            try folder.store(photo, camera: camera, path: path)
                        } catch {
                            throw error.forMessages
                        }
                    }
                }, then: reported)
        } catch {
            reported(
                .failure(CommandError(.device, "The system refuses a further thread for photos: \(error)")))
        }
    }

    /// Deletes the photos of a camera whose storing isn't reported yet, and calls back on the loop. The
    /// thread stores them first: it does one piece of work after the other.
    func discardUnreported(camera: String, then: @escaping () -> Void) {
        let paths = unreported[camera] ?? []
        if paths.isEmpty { return then() }
        do throws(LoopError) {
            try worker.run({ folder in for path in paths { folder.delete(path) } }) { then() }
        } catch {
            // Without a thread there is no photo either.
            then()
        }
    }

    /// Measures the free bytes of the file system where a folder is or will be; nil: unknown. Calls back on
    /// the loop.
    func measureFreeBytes(in folder: String, then: @escaping (Int?) -> Void) {
        do throws(LoopError) {
            try worker.run({ _ in Self.freeBytes(in: folder) }, then: then)
        } catch {
            then(nil)
        }
    }

    /// A folder that doesn't exist yet will be created in the one above it.
    private static func freeBytes(in folder: String) -> Int? {
        var state = statvfs()
        var path = folder
        while statvfs(path, &state) != 0 {
            guard path != "/", path != "." else { return nil }
            guard let slash = path.lastIndex(of: "/") else {
                path = "."
                continue
            }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        let (bytes, isTooLarge) = UInt64(state.f_bavail).multipliedReportingOverflow(
            by: UInt64(state.f_frsize))
        return isTooLarge ? nil : Int(exactly: bytes)
    }
}
