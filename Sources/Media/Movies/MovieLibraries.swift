internal import Base
internal import CAV

/// The libraries that write movies, by their file names. They are part of the program only while a movie is
/// written or read: most agents seldom make one, and they would be most of its memory and of its start.
package struct MovieLibraries: Sendable {
    var format: String
    var codec: String
    var util: String

    /// Those that we were built for.
    static let installed = MovieLibraries(
        format: String(cString: cav_libraries.format), codec: String(cString: cav_libraries.codec),
        util: String(cString: cav_libraries.util))

    /// The libraries, loaded. They are unloaded after the last of these, of the encoders and of the muxers.
    final class Loaded {
        fileprivate init() {}
        deinit { cav_unload() }
    }

    /// Loads them, unless they are.
    ///
    /// - Throws: ``MovieError/missing(_:)``.
    func load() throws(MovieError) -> Loaded {
        var reason = cav_message()
        let result = format.withCString { format in
            codec.withCString { codec in
                util.withCString { util in
                    cav_load(cav_libraries(format: format, codec: codec, util: util), &reason)
                }
            }
        }
        if result == 0 { return Loaded() }
        throw .missing(
            "movies need libavformat and libavcodec: \(String(ofC: reason.text)); install the package \(Self.package)"
        )
    }

    /// Keeps the libraries loaded until the process ends, if they are loaded or will be. Call it before that:
    /// a recording's thread that unloads them while the process runs their exit handlers would crash it.
    package static func keepUntilExit() { cav_keep_until_exit() }

    /// Debian's package; it brings the others.
    private static var package: String {
        let name = Self.installed.format
        return "libavformat\(name.split(separator: ".").last ?? "")"
    }
}
