internal import Contract
package import Settings
internal import Synchronization

/// The folder of all recordings. Each recording has a thread of its own, which reserves room here as its file
/// grows: the oldest recordings are deleted for it, never one that is being written.
///
/// A call may search the folder and delete files while the other threads wait, so only threads that may wait
/// for the disk make calls: those of recordings, of photos and of files that clients read.
package final class RecordingFolder: Sendable {
    private let settings: FolderSettings
    private let cameras: [String]
    /// The files that are being written, and the bytes reserved for each.
    private let open = Mutex<[String: Int]>([:])

    package init(_ settings: FolderSettings, cameras: [String]) {
        (self.settings, self.cameras) = (settings, cameras)
    }

    /// The bytes of one reservation: reservations are rare, and never exceed the use by much.
    var step: Int { max(65_536, min(8 << 20, settings.maximumBytes / 16)) }

    /// Creates the folder of a new file, reserves room for it, and returns its path.
    func begin(camera: String, name: String) throws(CommandError) -> String {
        let folder = MediaFolder(settings, of: .recording, cameras: cameras)
        let path = try folder.place(camera: camera, name: name)
        try reserve(step, for: path)
        return path
    }

    /// Reserves room for a file of this size in bytes.
    func reserve(_ bytes: Int, for path: String) throws(CommandError) {
        try open.withLock { open throws(CommandError) in
            let before = open.updateValue(bytes, forKey: path)
            var folder = MediaFolder(settings, of: .recording, cameras: cameras)
            do throws(CommandError) {
                try folder.makeRoom(for: 0, beside: open)
            } catch {
                open[path] = before
                throw error
            }
        }
    }

    /// Whether a recording is being written to a file, or its file is being completed.
    func isOpen(_ path: String) -> Bool { open.withLock { $0[path] != nil } }

    /// Ends the reservation of a file: it is complete, or was abandoned.
    func close(_ path: String) {
        open.withLock { $0[path] = nil }
    }

    /// Deletes the unfinished files of an earlier run.
    func deleteUnfinished() {
        open.withLock { open in
            MediaFolder(settings, of: .recording, cameras: cameras).deleteUnfinished(but: open)
        }
    }
}
