internal import Synchronization

/// The folder of all recordings. Each has a thread of its own, which asks here for room as its file grows: the oldest recordings make it, none that
/// is being written.
///
/// It may look through the folder and delete while the others wait: for the threads of recordings only.
package final class RecordingFolder: Sendable {
    private let settings: FolderSettings
    private let cameras: [String]
    /// The files that are being written, and the room that each has.
    private let open = Mutex<[String: Int]>([:])

    package init(_ settings: FolderSettings, cameras: [String]) {
        (self.settings, self.cameras) = (settings, cameras)
    }

    /// So much room is made at once, in bytes: seldom enough to cost nothing, and never much more than is used.
    var step: Int { max(65_536, min(8 << 20, settings.maximumBytes / 16)) }

    /// Makes the folder of a new file, and some room for it. Returns its path.
    func begin(camera: String, name: String) throws(MediaFolder.Failure) -> String {
        let folder = MediaFolder(settings, of: .recordings, cameras: cameras)
        let path = try folder.place(camera: camera, name: name)
        try reserve(step, for: path)
        return path
    }

    /// Makes room for a file that is going to have so many bytes.
    func reserve(_ bytes: Int, for path: String) throws(MediaFolder.Failure) {
        let result = open.withLock { open in
            Result { () throws(MediaFolder.Failure) in
                let before = open.updateValue(bytes, forKey: path)
                var folder = MediaFolder(settings, of: .recordings, cameras: cameras)
                do throws(MediaFolder.Failure) {
                    try folder.makeRoom(for: 0, beside: open)
                } catch {
                    open[path] = before
                    throw error
                }
            }
        }
        try result.get()
    }

    /// A file is complete, or there is none.
    func close(_ path: String) {
        open.withLock { $0[path] = nil }
    }

    /// Takes away what an earlier run left unfinished.
    func sweep() {
        open.withLock { open in MediaFolder(settings, of: .recordings, cameras: cameras).sweep(but: open) }
    }
}
