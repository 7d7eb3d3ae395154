internal import Glibc
internal import LoopThread
internal import Messages

/// Where photos are kept: a thread of its own, so that a slow disk doesn't hold up the next photo.
final class Album {
    private let settings: FolderSettings
    private let worker: SerialWorker<MediaFolder>

    /// - Parameter recordings: their folder is swept on the same thread, once.
    init(
        _ settings: FolderSettings, cameras: [String], recordings: RecordingFolder, on loop: EventLoop
    ) throws(LoopError) {
        self.settings = settings
        worker = try SerialWorker(name: "album", on: loop) {
            recordings.sweep()
            return MediaFolder(settings, of: .photos, cameras: cameras)
        }
    }

    /// Where a photo of this name is, once it is kept.
    func path(camera: String, name: String) -> String {
        MediaFolder.path(in: settings, camera: camera, name: name)
    }

    /// Keeps a photo; calls back on the loop.
    func keep(
        _ photo: [UInt8], camera: String, name: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        worker.run(
            { folder in
                Result { () throws(CommandError) in
                    do throws(MediaFolder.Failure) {
                        try folder.keep(photo, camera: camera, name: name)
                    } catch {
                        throw error.forMessages
                    }
                }
            }, then: then)
    }

    /// How many bytes there is room for where a folder is or will be; nil: nobody knows. Calls back on the loop.
    func room(in folder: String, then: @escaping (Int?) -> Void) {
        worker.run({ _ in Self.room(in: folder) }, then: then)
    }

    /// A folder that isn't there yet is made in the one above it.
    private static func room(in folder: String) -> Int? {
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
        return Int(exactly: UInt64(state.f_bavail) * UInt64(state.f_frsize))
    }
}
