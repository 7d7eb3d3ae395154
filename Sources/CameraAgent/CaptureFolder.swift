internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// The folder that photos are kept in: none is ever half there, and together they stay below a size.
///
/// Used on the darkroom's thread only.
struct CaptureFolder {
    /// Why a photo can't be kept.
    enum Failure: Error {
        case full(String)
        case disk(String)
    }

    private struct Entry {
        let path: String
        let bytes: Int
        /// Nanoseconds since 1970.
        let made: Int64
    }

    private let directory: String
    private let maximumBytes: Int
    /// The cameras whose folders these are.
    private let cameras: [String]
    /// What the photos take; nil: not counted yet.
    private var bytes: Int?

    init(_ settings: CaptureSettings, cameras: [String]) {
        self.cameras = cameras
        directory = settings.directory
        maximumBytes = settings.maximumBytes
    }

    /// Keeps a photo as `<directory>/<camera>/<name>`; the oldest photos make room. Returns its path.
    mutating func keep(_ photo: [UInt8], camera: String, name: String) throws(Failure) -> String {
        guard photo.count <= maximumBytes else {
            throw .full(
                "The photo has \(photo.count) bytes; captures.max_bytes allows \(maximumBytes) in all.")
        }
        try makeRoom(for: photo.count)
        let folder = "\(directory)/\(camera)"
        try make(directory)
        try make(folder)
        let path = "\(folder)/\(name)"
        try write(photo, to: path, in: folder)
        bytes = (bytes ?? 0) + photo.count
        return path
    }

    /// Makes a folder that isn't there, and those above it.
    private func make(_ folder: String) throws(Failure) {
        let code = clinux_mkdir(folder, 0o755)
        if code == -ENOENT, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            try make(String(folder[..<slash]))
            return try check(clinux_mkdir(folder, 0o755), folder)
        }
        if code != -EEXIST { try check(code, folder) }
    }

    /// Writes beside the path first: a reader of the folder sees whole photos only, whenever the power fails.
    private func write(_ photo: [UInt8], to path: String, in folder: String) throws(Failure) {
        let unfinished = path + Self.unfinished
        let descriptor = clinux_open(unfinished, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        try check(descriptor, unfinished)
        var code = clinux_write_all(descriptor, photo, photo.count)
        if code == 0 { code = clinux_fsync(descriptor) }
        close(descriptor)
        if code == 0 { code = clinux_rename(unfinished, path) }
        if code != 0 { _ = clinux_unlink(unfinished) }
        try check(code, unfinished)
        let opened = clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
        if opened >= 0 {
            // The name on the disk too; where the file system can't, the photo is there all the same.
            _ = clinux_fsync(opened)
            close(opened)
        }
    }

    private static let unfinished = PhotoName.unfinished

    private func check(_ code: Int32, _ path: String) throws(Failure) {
        if code >= 0 { return }
        let words = "\(path): \(String(cString: strerror(-code)))"
        if [ENOSPC, EDQUOT, EFBIG].contains(-code) {
            throw .full("There is no room for the photo: \(words)")
        }
        throw .disk("The photo can't be written: \(words)")
    }

    private mutating func makeRoom(for photo: Int) throws(Failure) {
        if let bytes, bytes + photo <= maximumBytes { return }
        // Counted anew: photos may have been taken away by somebody else.
        // A photo from the future was made while the clock was wrong: nobody knows when.
        let now = Int64(Date.now.timeIntervalSince1970 * 1e9)
        var entries = photos().sorted {
            ($0.made > now ? 0 : $0.made, $0.path) < ($1.made > now ? 0 : $1.made, $1.path)
        }
        var total = entries.reduce(0) { $0 + $1.bytes }
        while total + photo > maximumBytes, !entries.isEmpty {
            let oldest = entries.removeFirst()
            let code = clinux_unlink(oldest.path)
            if code < 0 && code != -ENOENT { try check(code, oldest.path) }
            total -= oldest.bytes
        }
        bytes = total
    }

    /// All photos in the cameras' folders. What an earlier run left unfinished is taken away.
    private func photos() -> [Entry] {
        let manager = FileManager.default
        var entries: [Entry] = []
        for camera in cameras {
            let folder = "\(directory)/\(camera)"
            for name in (try? manager.contentsOfDirectory(atPath: folder)) ?? [] {
                // Only what bears the name of one of our photos: the folder may be somebody's, too.
                guard PhotoName.isOurs(name, camera: camera) else { continue }
                let path = "\(folder)/\(name)"
                if name.hasSuffix(Self.unfinished) { _ = clinux_unlink(path) }
                var bytes: Int64 = 0
                var made: Int64 = 0
                guard name.hasSuffix(".jpg"), clinux_stat(path, &bytes, &made) == 0 else { continue }
                entries.append(Entry(path: path, bytes: Int(bytes), made: made))
            }
        }
        return entries
    }
}
