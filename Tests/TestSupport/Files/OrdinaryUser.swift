import Glibc

/// setfsuid(2): the user whose rights the calling thread has to files. Glibc's module lacks it.
@_silgen_name("setfsuid") private func setfsuid(_ user: uid_t) -> CInt

extension TemporaryFolder {
    /// Calls `body` while a subfolder, which is made if it is missing, can be changed but not read: its names
    /// can't be synced. The calling thread has the rights of an ordinary user, also if this process is root.
    package func withUnreadable<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        let (user, own) = (uid_t(65_534), geteuid())
        mkdir(file(name), 0o700)
        chmod(file(name), 0o300)
        defer { chmod(file(name), 0o700) }
        guard own == 0 else { return try body() }
        chmod(path, 0o711)
        chown(file(name), user, gid_t.max)
        _ = setfsuid(user)
        defer { _ = setfsuid(own) }
        return try body()
    }
}
