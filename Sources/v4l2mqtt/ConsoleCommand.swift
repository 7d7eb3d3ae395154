internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import Terminal

/// `v4l2mqtt console`: runs the program `v4l2mqtt-console` in the place of this one. It is a program of its own,
/// so that an agent does not contain it.
struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Serves the page on which people see and control the cameras (v4l2mqtt-console).",
        discussion: "All arguments are passed on; see \"v4l2mqtt-console --help\".")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of v4l2mqtt-console.")
    var arguments: [String] = []

    func run() throws {
        let words = ["v4l2mqtt-console"] + arguments
        let pointers = words.map { strdup($0) } + [nil]
        // The one beside this program first: both are of the same version then.
        var code: Int32 = ENOENT
        if let path = Self.programBesideThis { code = -clinux_replace_process(path, pointers) }
        if code == ENOENT { execvp("v4l2mqtt-console", pointers) }
        printError("v4l2mqtt-console can't be started: \(String(cString: strerror(code == ENOENT ? errno : code)))")
        throw ExitStatus.unavailable
    }

    private static var programBesideThis: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { return nil }
        let text = String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.lastIndex(of: "/").map { "\(text[...$0])v4l2mqtt-console" }
    }
}
