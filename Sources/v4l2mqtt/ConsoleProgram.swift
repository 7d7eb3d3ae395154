internal import Glibc

/// The program `v4l2mqtt-console`.
enum ConsoleProgram {
    static let name = "v4l2mqtt-console"

    /// The one in the folder of this program: both are of the same version then. Nil: there is none.
    static var besideThis: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = text.lastIndex(of: "/") else { return nil }
        let program = "\(text[...slash])\(name)"
        return access(program, X_OK) == 0 ? program : nil
    }
}
