internal import Base
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
    /// The path of the key.
    let key: String
    let path: String
    /// Where the path was set.
    let origin: ValueOrigin
    let use: FileUse

    /// Nil: the key doesn't name a file, or isn't set.
    init?(_ value: KeyValue, in layers: Layers) {
        key = value.key.path(camera: value.camera)
        guard let use = value.key.fileUse, let path = layers[key] as? String else { return nil }
        (self.path, self.use, origin) = (path, use, value.origin)
    }

    /// The system's message if the file can't be read.
    func problem() -> ConfigurationError? {
        failure().map { error("can't read \(path): \($0.reason)") }
    }

    /// A warning in the place of ``problem()`` if systemd makes the file for a service only (systemd.exec(5),
    /// "Credentials"): another process can't check it. Nil: the file can be read, or isn't such a file.
    func credentialWarning() -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/run/credentials/"), parts.count == 5, !parts[3].isEmpty, !parts[4].isEmpty,
            let failure = failure()
        else { return nil }
        return origin.introduction(to: key)
            + "not checked: systemd makes \(path) for \(parts[3]) only, when it starts (LoadCredential=, usually from /etc/credstore/\(parts[4])); here: \(failure.reason)"
    }

    /// A warning if the file is a secret that every user of the machine can read.
    func exposure() -> String? {
        guard use.isSecret, let mode = FileReading.modeForEveryone(path) else { return nil }
        let digits = String(mode & 0o7777, radix: 8)
        return origin.introduction(to: key)
            + "every user of this machine can read \(path) (mode 0\(digits)); it should be 0600 or 0640"
    }

    /// The file's text without the newline that editors append.
    func password() -> Result<Secret, ConfigurationError> {
        let expected = "a password of 1 to \(Self.maximumPassword) bytes of text"
        var bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, atMost: Self.maximumPassword + 2)
        } catch {
            return .failure(self.error("can't read \(path): \(error.reason)"))
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard (1...Self.maximumPassword).contains(bytes.count), !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self)
        else { return .failure(error("expected \(expected) in \(path)")) }
        return .success(Secret(text))
    }

    /// Why the file can't be read; nil: it can.
    private func failure() -> FileError? {
        do throws(FileError) {
            _ = try Files.read(path, atMost: 1)
            return nil
        } catch {
            return error
        }
    }

    /// The largest field of an MQTT packet (MQTT 5, section 1.5.6).
    private static let maximumPassword = 65_535

    private func error(_ message: String) -> ConfigurationError {
        ConfigurationError(origin, key, message)
    }
}

private enum FileReading {
    /// The mode of a file that every user can read; nil if that isn't so, also because of its folders.
    static func modeForEveryone(_ path: String) -> mode_t? {
        guard var place = Files.realPath(path) else { return nil }
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
}
