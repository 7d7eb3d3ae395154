internal import Glibc

/// A folder that is removed, with all that is in it, when its owner is released.
///
/// It starts no process, not even to remove files: a child holds every lock of this process until it runs
/// another program.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() {
        var template = Array("/tmp/v4l2mqtt-tests-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { preconditionFailure("no temporary folder: error \(errno)") }
        path = made
    }

    deinit { removeAll(path) }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { path + "/" + name }

    /// The names in the folder, sorted.
    package var names: [String] { entries(path) }

    /// The names in a subfolder, sorted. Empty if there is no such folder.
    package func names(in subfolder: String) -> [String] { entries(file(subfolder)) }

    /// Writes a file, and returns its path.
    @discardableResult package func write(_ text: String, to name: String) -> String {
        let path = file(name)
        guard let stream = fopen(path, "we") else { preconditionFailure("\(path) can't be written") }
        fputs(text, stream)
        fclose(stream)
        return path
    }

    /// The permissions of a file or a folder, such as 0o640; nil: there is none. A symbolic link is not
    /// followed.
    package func permissions(of name: String) -> UInt32? {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Makes a symbolic link.
    package func link(_ name: String, to target: String) { symlink(target, file(name)) }

    /// A copy of the files of the folder and its subfolders, all of one moment: while other threads change
    /// them, it is made again.
    ///
    /// - Parameter isCopied: whether a file of this name is copied.
    package func copy(of isCopied: (String) -> Bool) -> TemporaryFolder {
        for _ in 0..<1_000 {
            let before = files(isCopied)
            let copy = TemporaryFolder()
            let isComplete = before.allSatisfy { copy.copy($0.name, from: self) }
            if isComplete && files(isCopied) == before { return copy }
            usleep(1_000)
        }
        preconditionFailure("\(path) never stays as it is")
    }

    /// What changes when a file is written, or another one takes its name.
    private struct File: Equatable {
        let name: String
        let inode: ino_t
        let size: off_t
        let seconds, nanoseconds: Int
    }

    private func files(_ isListed: (String) -> Bool) -> [File] {
        let all = names.flatMap { name in [name] + names(in: name).map { "\(name)/\($0)" } }
        return all.filter(isListed).compactMap { name in
            var found = stat()
            guard stat(file(name), &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
            return File(
                name: name, inode: found.st_ino, size: found.st_size, seconds: found.st_mtim.tv_sec,
                nanoseconds: found.st_mtim.tv_nsec)
        }
    }

    /// Copies a file of another folder. Returns whether it was there.
    private func copy(_ name: String, from other: TemporaryFolder) -> Bool {
        guard let source = fopen(other.file(name), "re") else { return false }
        defer { fclose(source) }
        if let slash = name.lastIndex(of: "/") { mkdir(file(String(name[..<slash])), 0o755) }
        guard let target = fopen(file(name), "we") else { preconditionFailure("\(name) can't be written") }
        defer { fclose(target) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&bytes, 1, bytes.count, source), count > 0 {
            fwrite(bytes, 1, count, target)
        }
        return true
    }
}

/// Permissions without those that the umask of this process takes away.
package func lessUmask(_ permissions: UInt32) -> UInt32 {
    // umask(2) can't be read without a change of it, which other threads would notice.
    guard let file = fopen("/proc/self/status", "re") else { preconditionFailure("no /proc") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split { $0 == ":" || $0.isWhitespace }
        if words.first == "Umask", let umask = words.last.flatMap({ UInt32($0, radix: 8) }) {
            return permissions & ~umask
        }
    }
    preconditionFailure("/proc/self/status has no umask")
}

/// Removes a file, or a folder with all that is in it. Links are removed, not followed.
package func removeAll(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
        unlink(path)
        return
    }
    for name in entries(path) { removeAll(path + "/" + name) }
    rmdir(path)
}

private func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
}
