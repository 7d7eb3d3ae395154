internal import CLinux
internal import Cameras
internal import Configuration
internal import Glibc
internal import Settings

/// Has libcamera's V4L2 layer loaded before this program: the program runs itself again with `LD_PRELOAD`.
enum LibcameraPreload {
    /// Why the layer can't be used.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The variable that tells a run that the one before has set `LD_PRELOAD` for it. Its value is the
    /// process id, which stays the same.
    private static let attempt = "PRELOADED_V4L2MQTT"
    private static let preload = "LD_PRELOAD"

    /// Where Debian 12 and later versions have the layer.
    private static var usualPlaces: [String] {
        #if arch(x86_64)
            let folder = "/usr/lib/x86_64-linux-gnu"
        #elseif arch(arm64)
            let folder = "/usr/lib/aarch64-linux-gnu"
        #else
            let folder = "/usr/lib"
        #endif
        return ["\(folder)/v4l2-compat.so", "/usr/libexec/libcamera/v4l2-compat.so"]
    }

    /// The file of the layer; nil if it isn't used.
    static func file(for use: LibcameraUse) throws(Failure) -> String? {
        switch use {
        case .no: return nil
        case .file(let path):
            guard access(path, R_OK) == 0 else {
                throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
            }
            return path
        case .installed:
            guard let path = usualPlaces.first(where: { access($0, R_OK) == 0 }) else {
                throw Failure(
                    description:
                        "libcamera's V4L2 layer is not installed: there is no \(usualPlaces.joined(separator: " and no ")). Install the package libcamera-v4l2, or set the path of v4l2-compat.so."
                )
            }
            return path
        }
    }

    /// Returns if the layer is loaded, or isn't used. Otherwise the program runs again, with it.
    ///
    /// - Parameter isRestarted: whether the run before has replaced itself by this one.
    static func enter(_ use: LibcameraUse, isRestarted: Bool = false) throws(Failure) {
        let wasTried = getenv(attempt).map { String(cString: $0) } == "\(getpid())"
        unsetenv(attempt)
        guard let file = try file(for: use) else { return }
        let libraries = getenv(preload).map { String(cString: $0) } ?? ""
        // Programs that this one starts have no use for it.
        if wasTried { setPreload(libraries.split(separator: ":").filter { $0 != file }) }
        if LibcameraLayer.isLoaded { return }
        if wasTried { throw Failure(description: reason(against: file)) }
        setPreload(libraries.split(separator: ":") + [file[...]])
        setenv(attempt, "\(getpid())", 1)
        // Of what it writes to standard error, errors are enough.
        setenv("LIBCAMERA_LOG_LEVELS", "*:ERROR", 0)
        setenv("LIBCAMERA_LOG_NO_COLOR", "1", 0)
        if isRestarted { Program.restart() }
        Program.replaceProcess()
    }

    private static func setPreload(_ libraries: [Substring]) {
        if libraries.isEmpty { return _ = unsetenv(preload) }
        setenv(preload, libraries.joined(separator: ":"), 1)
    }

    private static func reason(against file: String) -> String {
        var words = [CChar](repeating: 0, count: 512)
        if clinux_try_library(file, &words, words.count) < 0 {
            return String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        if !file.hasSuffix("/v4l2-compat.so") { return "\(file): the file's name is not v4l2-compat.so" }
        return "\(file): the dynamic linker did not load it; it does not do so for programs with capabilities"
    }
}
