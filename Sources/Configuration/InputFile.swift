internal import Glibc

/// A file that a key names and that must be readable.
struct InputFile {
    let key: Key<String?>
    let camera: Int?
    let path: String
    /// Where the path was said.
    let origin: Origin

    /// That the file can't be read, with the system's words; nil when it can.
    func problem() -> ConfigurationError? {
        switch FileReading.read(path, limit: 1) {
        case .success: nil
        case .failure(let failure): error("can't read \(path): \(failure)")
        }
    }

    /// The file as a password: text without the newline that editors put at its end.
    func secret() -> Result<Secret, ConfigurationError> {
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

    /// What fits into an MQTT packet's field.
    private static let maximumPassword = 65_535

    private func error(_ message: String) -> ConfigurationError {
        ConfigurationError(origin, key.path(camera: camera), message)
    }
}

enum FileReading {
    /// Why a file can't be read, in the system's words.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: strerror(code)) }
    }

    /// The first `limit` bytes of a file.
    static func read(_ path: String, limit: Int) -> Result<[UInt8], Failure> {
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
