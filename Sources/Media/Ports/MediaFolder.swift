internal import Base
internal import CLinux
internal import Contract
internal import FoundationEssentials
import Settings

extension MediaKind {
    /// The key of the configuration that names the folder.
    var folderKey: String { self == .photo ? "captures.directory" : "recordings.directory" }
}

/// A folder for photos or recordings. Each file is complete or absent, and together they stay below a size:
/// the oldest files are deleted for new ones.
///
/// Used on one thread only.
struct MediaFolder {
    static let photo = ".jpg"
    static func suffix(of codec: RecordingCodec) -> String { "." + codec.suffix }

    private struct Entry {
        let path: String
        let bytes: Int
        /// Nanoseconds since 1970.
        let made: Int64
    }

    private let settings: FolderSettings
    private let kind: MediaKind
    /// The cameras with a folder.
    private let cameras: [String]
    /// Bytes of all files; nil: not counted yet.
    private var bytes: Int?

    init(_ settings: FolderSettings, of kind: MediaKind, cameras: [String]) {
        (self.settings, self.kind, self.cameras) = (settings, kind, cameras)
    }

    /// Creates the folder of a camera, and returns the path of a new file in it.
    func place(camera: String, name: String) throws(CommandError) -> String {
        _ = try folder(of: camera)
        return Self.path(in: settings, camera: camera, name: name)
    }

    /// Deletes the unfinished files of an earlier run.
    func deleteUnfinished(but open: [String: Int]) { _ = files(but: open) }

    /// The path of a camera's file.
    static func path(in settings: FolderSettings, camera: String, name: String) -> String {
        "\(settings.directory)/\(camera)/\(name)"
    }

    /// Stores a photo at a path that ``path(in:camera:name:)`` gave; the oldest photos are deleted for it.
    mutating func store(_ photo: [UInt8], camera: String, path: String) throws(CommandError) {
        guard photo.count <= settings.maximumBytes else {
            throw CommandError(
                .storageFull,
                "The photo has \(photo.count) bytes; captures.max_bytes allows \(settings.maximumBytes) in all."
            )
        }
        try makeRoom(for: photo.count)
        _ = try folder(of: camera)
        // A reader of the folder sees complete photos only, also after a power cut.
        bytes = (bytes ?? 0) + photo.count
        try onDisk { () throws(FileError) in
            try Files.replace(path, with: photo, suffix: Self.unfinished)
        }
    }

    /// Deletes a photo that ``store(_:camera:path:)`` has stored, if it has.
    mutating func delete(_ path: String) {
        guard let size = Self.stat(path)?.bytes, clinux_unlink(path) == 0 else { return }
        bytes = bytes.map { max(0, $0 - size) }
    }

    /// The folder of a camera. It is created with mode 0750 (less the umask) unless it exists.
    private func folder(of camera: String) throws(CommandError) -> String {
        let folder = "\(settings.directory)/\(camera)"
        try onDisk { () throws(FileError) in try Files.makeFolder(folder) }
        guard clinux_is_folder(folder) != 0 else {
            throw CommandError(
                .device, "\(folder) is not a folder; a symbolic link is not followed (\(kind.folderKey)).")
        }
        return folder
    }

    private static let unfinished = MediaFileName.unfinished

    private func onDisk(_ work: () throws(FileError) -> Void) throws(CommandError) {
        do throws(FileError) {
            try work()
        } catch {
            let words = "\(error.path): \(error.reason) (\(kind.folderKey))"
            throw error.isFull
                ? CommandError(.storageFull, "There is no room: \(words)")
                : CommandError(.device, "The file can't be written: \(words)")
        }
    }

    /// Makes room for a new file by deleting the oldest ones, but none that is to be kept.
    ///
    /// - Parameter open: files that are being written, and the bytes reserved for each.
    mutating func makeRoom(for file: Int, beside open: [String: Int] = [:]) throws(CommandError) {
        if let bytes, open.isEmpty, bytes + file <= settings.maximumBytes { return }
        // Counted again: other programs may have deleted files. A file from the future was made while the
        // clock was wrong, so its age is unknown and it counts as the oldest.
        let now = Int64(Date.now.timeIntervalSince1970 * 1e9)
        var entries = files(but: open).sorted {
            ($0.made > now ? 0 : $0.made, $0.path) < ($1.made > now ? 0 : $1.made, $1.path)
        }
        let needed = open.values.reduce(file, +)
        guard needed <= settings.maximumBytes else {
            throw CommandError(
                .storageFull,
                "\(settings.directory) is limited to \(settings.maximumBytes) bytes, and all are in use.")
        }
        var total = entries.reduce(0) { $0 + $1.bytes }
        while total + needed > settings.maximumBytes, !entries.isEmpty {
            let oldest = entries.removeFirst()
            if oldest.made <= now && Double(now - oldest.made) < settings.keptDays * 86_400e9 {
                throw CommandError(
                    .storageFull,
                    "\(settings.directory) has its \(settings.maximumBytes) bytes, and its files are kept for \(settings.keptDays.shortText) days (keep_days)."
                )
            }
            try onDisk { () throws(FileError) in try Files.remove(oldest.path) }
            total -= oldest.bytes
        }
        bytes = total
    }

    /// All files of the kind in the cameras' folders. Unfinished files of an earlier run are deleted.
    private func files(but open: [String: Int]) -> [Entry] {
        var entries: [Entry] = []
        for camera in cameras {
            let folder = "\(settings.directory)/\(camera)"
            // What a symbolic link names is neither counted nor deleted.
            guard clinux_is_folder(folder) != 0 else { continue }
            for name in (try? Files.names(in: folder)) ?? [] {
                let isUnfinished = name.hasSuffix(Self.unfinished)
                let finished = isUnfinished ? String(name.dropLast(Self.unfinished.count)) : name
                // Other programs may use the folder too: only the agent's own files count and are deleted.
                guard MediaFileName.parts(of: finished, camera: camera)?.kind == kind,
                    open["\(folder)/\(finished)"] == nil
                else { continue }
                let path = "\(folder)/\(name)"
                if isUnfinished {
                    _ = clinux_unlink(path)
                    continue
                }
                if let (bytes, made) = Self.stat(path) {
                    entries.append(Entry(path: path, bytes: bytes, made: made))
                }
            }
        }
        return entries
    }

    /// A regular file's size, and when it was last written, in nanoseconds since 1970; nil: there is none.
    static func stat(_ path: String) -> (bytes: Int, made: Int64)? {
        var (bytes, made): (Int64, Int64) = (0, 0)
        return clinux_stat(path, &bytes, &made) == 0 ? (Int(bytes), made) : nil
    }
}
