internal import Glibc
internal import Settings

/// What a file is for that a key names.
enum FileUse: Sendable {
    case readable, password, key

    /// Whether other users of the machine should not be able to read it.
    var isSecret: Bool { self != .readable }
}

/// A file that a key names and that must be readable.
struct InputFile {
    let key: KeyDescription
    let camera: Int?
    let path: String
    /// Where the path was set.
    let origin: ValueOrigin
    let use: FileUse

    /// Nil: the key doesn't name a file.
    init?(_ key: KeyDescription, camera: Int?, _ node: YAMLNode) {
        guard let use = key.fileUse, let path = try? ValueType<String>.path.read(node) else { return nil }
        (self.key, self.camera, self.path, self.use) = (key, camera, path, use)
        origin = node.origin
    }

    /// The system's message if the file can't be read.
    func problem() -> ConfigurationError? {
        switch FileReading.read(path, limit: 1) {
        case .success: nil
        case .failure(let failure): error("can't read \(path): \(failure)")
        }
    }

    /// A warning in the place of ``problem()`` if systemd makes the file for a service only (systemd.exec(5),
    /// "Credentials"): another process can't check it. Nil: the file can be read, or isn't such a file.
    func credentialWarning() -> ConfigurationWarning? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/run/credentials/"), parts.count == 5, !parts[3].isEmpty, !parts[4].isEmpty,
            case .failure(let failure) = FileReading.read(path, limit: 1)
        else { return nil }
        return ConfigurationWarning(
            origin, key.path(camera: camera),
            "not checked: systemd makes \(path) for \(parts[3]) only, when it starts (LoadCredential=, usually from /etc/credstore/\(parts[4])); here: \(failure)"
        )
    }

    /// A warning if the file is a secret that every user of the machine can read.
    func exposure() -> ConfigurationWarning? {
        guard use.isSecret, let mode = FileReading.modeForEveryone(path) else { return nil }
        let digits = String(mode & 0o7777, radix: 8)
        return ConfigurationWarning(
            origin, key.path(camera: camera),
            "every user of this machine can read \(path) (mode 0\(digits)); it should be 0600 or 0640")
    }

    /// The file's text without the newline that editors append.
    func password() -> Result<Secret, ConfigurationError> {
        let expected = "a password of 1 to \(Self.maximumPassword) bytes of text"
        switch FileReading.read(path, limit: Self.maximumPassword + 2) {
        case .failure(let failure):
            return .failure(error("can't read \(path): \(failure)"))
        case .success(var bytes):
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            guard (1...Self.maximumPassword).contains(bytes.count), !bytes.contains(0),
                let text = String(validating: bytes, as: UTF8.self)
            else { return .failure(error("expected \(expected) in \(path)")) }
            return .success(Secret(text))
        }
    }

    /// The largest field of an MQTT packet (MQTT 5, section 1.5.6).
    private static let maximumPassword = 65_535

    private func error(_ message: String) -> ConfigurationError {
        ConfigurationError(origin, key.path(camera: camera), message)
    }
}

package enum FileReading {
    /// The system's reason why a file can't be read.
    package struct Failure: Error, CustomStringConvertible {
        /// `errno`.
        package let code: Int32
        package var description: String { String(cString: strerror(code)) }
    }

    /// The path with all links resolved; nil if there is no such file.
    package static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The mode of a file that every user can read; nil if that isn't so, also because of its folders.
    static func modeForEveryone(_ path: String) -> mode_t? {
        guard var place = realPath(path) else { return nil }
        guard let mode = mode(of: place), mode & S_IROTH != 0 else { return nil }
        while let slash = place.lastIndex(of: "/"), slash > place.startIndex {
            place = String(place[..<slash])
            guard let mode = Self.mode(of: place), mode & S_IXOTH != 0 else { return nil }
        }
        return mode
    }

    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }

    /// The first `limit` bytes of a file.
    package static func read(_ path: String, limit: Int) -> Result<[UInt8], Failure> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(Failure(code: errno)) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 65_536))
        while bytes.count < limit {
            let got = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
            if got < 0 {
                let code = errno
                if code == EINTR { continue }
                return .failure(Failure(code: code))
            }
            guard got > 0 else { break }
            bytes += chunk.prefix(got)
        }
        return .success(bytes)
    }
}
