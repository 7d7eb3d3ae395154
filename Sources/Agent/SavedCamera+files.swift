internal import Contract
internal import Core
internal import Glibc

extension SavedCamera {
    /// Drops the last photo and the last recording if their files don't exist any more.
    mutating func dropMissingFiles() {
        if let photo = self[Node.Capture.Saved.self].lastPhoto, isMissing(photo.path) {
            self[Node.Capture.Saved.self].lastPhoto = nil
        }
        if let path = self[Node.Recording.Saved.self].last?.path, isMissing(path) {
            self[Node.Recording.Saved.self].last = nil
        }
    }

    /// Whether a file is known not to exist. Other errors, such as missing permissions, leave that open.
    private func isMissing(_ path: String) -> Bool {
        access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }
}
