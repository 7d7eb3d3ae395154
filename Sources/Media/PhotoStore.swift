internal import Glibc
internal import LoopThread
internal import Messages
internal import Settings

/// The thread that stores photos, so that a slow disk doesn't delay the next photo.
final class PhotoStore {
    private let worker: SerialWorker<MediaFolder>

    /// - Parameter recordings: their unfinished files are deleted on the same thread, once.
    init(
        _ settings: FolderSettings, cameras: [String], recordings: RecordingFolder, on loop: EventLoop
    ) throws(LoopError) {
        worker = try SerialWorker(name: "photo-store", on: loop) {
            recordings.deleteUnfinished()
            return MediaFolder(settings, of: .photos, cameras: cameras)
        }
    }

    /// Stores a photo, and calls back on the loop.
    func store(
        _ photo: [UInt8], camera: String, path: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        worker.run(
            { folder in
                Result { () throws(CommandError) in
                    do throws(MediaFolder.Failure) {
                        try folder.store(photo, camera: camera, path: path)
                    } catch {
                        throw error.forMessages
                    }
                }
            }, then: then)
    }

    /// Measures the free bytes of the file system where a folder is or will be; nil: unknown. Calls back on
    /// the loop.
    func measureFreeBytes(in folder: String, then: @escaping (Int?) -> Void) {
        worker.run({ _ in Self.freeBytes(in: folder) }, then: then)
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
