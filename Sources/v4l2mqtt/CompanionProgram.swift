internal import Base
internal import CLinux
internal import Glibc

/// A program of this project beside this one. It is a program of its own, so that an agent does not contain
/// it.
struct CompanionProgram {
    let name: String

    /// Serves the page.
    static let console = CompanionProgram(name: "v4l2mqtt-console")
    /// Serves metrics.
    static let exporter = CompanionProgram(name: "v4l2mqtt-exporter")

    /// The one in the folder of this program: both are of the same version then. Nil: there is none.
    var besideThis: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = text.lastIndex(of: "/") else { return nil }
        let program = "\(text[...slash])\(name)"
        return access(program, X_OK) == 0 ? program : nil
    }

    /// Runs it in the place of this program: the one beside this, or else the one in the search path.
    ///
    /// - Throws: the exit code, if it can't be started.
    func replaceThis(_ arguments: [String]) throws -> Never {
        let words = ([name] + arguments).map { strdup($0) } + [nil]
        let code: Int32
        if let path = besideThis {
            code = -clinux_replace_process(path, words)
        } else {
            execvp(name, words)
            code = errno
        }
        printError("\(name) can't be started: \(String(cString: strerror(code)))")
        throw ExitStatus.unavailable
    }
}
