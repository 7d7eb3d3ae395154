internal import ArgumentParser
internal import CLinux
internal import Glibc
internal import Terminal

/// `v4l2mqtt console`: runs the program `v4l2mqtt-console` in the place of this one. It is a program of its
/// own, so that an agent does not contain it.
struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Serves the page on which people see and control the cameras (v4l2mqtt-console).",
        discussion: "All arguments are passed on; see \"v4l2mqtt-console --help\".")

    @Argument(parsing: .captureForPassthrough, help: "The arguments of v4l2mqtt-console.")
    var arguments: [String] = []

    func run() throws {
        let words = ([ConsoleProgram.name] + arguments).map { strdup($0) } + [nil]
        let code: Int32
        if let path = ConsoleProgram.besideThis {
            code = -clinux_replace_process(path, words)
        } else {
            execvp(ConsoleProgram.name, words)
            code = errno
        }
        printError("v4l2mqtt-console can't be started: \(String(cString: strerror(code)))")
        throw ExitStatus.unavailable
    }
}
