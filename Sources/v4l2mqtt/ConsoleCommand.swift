internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import CLinux
internal import Glibc

/// `v4l2mqtt console`: runs a program of this project in the place of this one. That is a program of its own,
/// so that an agent does not contain it.
struct ConsoleCommand: ParsableCommand {
    private static let program = "v4l2mqtt-console"
    /// What is said where the program is not.
    static let missing: PrintableLine =
        "\(program) is not installed; the Debian package \(program) has it"

    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Serves the page on which people see and control the cameras (v4l2mqtt-console).",
        discussion: "All arguments are passed on; see \"v4l2mqtt-console --help\".")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of v4l2mqtt-console.")
    var arguments: [String] = []

    /// The program in the folder of this one: both are of the same version then. Nil: there is none.
    static var besideThis: String? {
        guard let this = Files.realPath("/proc/self/exe") else { return nil }
        let program = "\(Files.folder(of: this))/\(program)"
        return access(program, X_OK) == 0 ? program : nil
    }

    /// Runs the program beside this one, or else the one in the search path.
    ///
    /// - Throws: the exit code, if it can't be started.
    func run() throws {
        let words = ([Self.program] + arguments).map { strdup($0) } + [nil]
        let code: Int32
        if let path = Self.besideThis {
            code = -clinux_replace_process(path, words)
        } else {
            execvp(Self.program, words)
            code = errno
        }
        if code == ENOENT {
            printError(Self.missing)
        } else {
            printError("\(Self.program) can't be started: \(String(cString: strerror(code)))")
        }
        throw ExitStatus.unavailable
    }
}
