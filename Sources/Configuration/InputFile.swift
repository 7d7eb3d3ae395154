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

    /// The largest field of an MQTT packet (MQTT 5, section 1.5.6).
    private static let maximumPassword = 65_535

    /// Nil: the key doesn't name a file, or isn't set.
    init?(_ key: Key, _ name: String, in layers: Layers) {
        guard let use = key.fileUse, let path = layers[name] as? String else { return nil }
        (self.key, self.path, self.use, origin) = (name, path, use, layers.origin(name))
    }

    func error(_ message: String) -> ConfigurationError { ConfigurationError(origin, key, message) }

    /// Its beginning, or a password and what may follow it.
    func read() throws(FileError) -> [UInt8] {
        try Files.read(path, atMost: use == .password ? Self.maximumPassword + 2 : 1)
    }

    /// The file's text without the newline that editors append.
    func password(_ bytes: [UInt8]) throws(ConfigurationError) -> Secret {
        var bytes = bytes
        for end in "\n\r".utf8 where bytes.last == end { bytes.removeLast() }
        guard (1...Self.maximumPassword).contains(bytes.count), !bytes.contains(0),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw error("expected a password of 1 to \(Self.maximumPassword) bytes of text in \(path)") }
        return Secret(text)
    }

    /// A warning in the place of the error if systemd makes the file for a service only (systemd.exec(5),
    /// "Credentials"): another process can't check it. Nil: it isn't such a file.
    func credentialWarning(_ failure: FileError) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard path.hasPrefix("/run/credentials/"), parts.count == 5, !parts[3].isEmpty, !parts[4].isEmpty
        else { return nil }
        return error(
            "not checked: systemd makes \(path) for \(parts[3]) only, when it starts (LoadCredential=, usually from /etc/credstore/\(parts[4])); here: \(failure.reason)"
        ).description
    }

    /// A warning if the file is a secret that every user of the machine can read.
    func exposure() -> String? {
        guard use.isSecret, let mode = modeForEveryone(path) else { return nil }
        let digits = String(mode & 0o7777, radix: 8)
        return error(
            "every user of this machine can read \(path) (mode 0\(digits)); it should be 0600 or 0640"
        ).description
    }
}

/// The mode of a file that every user can read; nil if that isn't so, also because of its folders.
private func modeForEveryone(_ path: String) -> mode_t? {
    func read(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : 0
    }
    guard var place = Files.realPath(path), case let mode = read(place), mode & S_IROTH != 0 else {
        return nil
    }
    while let slash = place.lastIndex(of: "/"), slash > place.startIndex {
        place = String(place[..<slash])
        guard read(place) & S_IXOTH != 0 else { return nil }
    }
    return mode
}
