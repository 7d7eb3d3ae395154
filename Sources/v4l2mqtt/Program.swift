internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import CLinux
internal import Ctl
internal import Glibc

/// The program: its table of commands. Each command has a file of its own.
@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "v4l2mqtt",
        abstract:
            "Puts a Linux camera on an MQTT bus: zoom, pinch and capture for any number of controllers.",
        discussion: """
            Start with "v4l2mqtt demo": it brings its own broker and a simulated camera. For your own broker, write a \
            configuration ("v4l2mqtt check --sample" prints one), check it with "v4l2mqtt check --config FILE", and serve it with \
            "v4l2mqtt run --config FILE".

            Exit codes: 0 clean stop, 64 wrong usage or configuration, 69 no broker (with --require-broker), 70 a \
            defect, 74 the state file can't be written, 78 the state is of an earlier version that was not stopped \
            cleanly.
            """,
        version: programVersion,
        subcommands: [
            RunCommand.self, DemoCommand.self, CheckCommand.self, DevicesCommand.self, CtlCommand.self,
            ConsoleCommand.self,
        ])

    static func main() {
        clinux_hold_standard_descriptors()
        let words = NegativeNumbers.escaped(Array(CommandLine.arguments.dropFirst()))
        if CompletedProgram.isWanted(words) { CompletedProgram.main(words) } else { main(words) }
    }

    /// Replaces this process by a new run of the program with the same arguments, environment and process id.
    ///
    /// It is the file at the path by which the process was started, so after an upgrade it is the new one. If
    /// that can't be run, it is the file that runs now, even if it was deleted.
    ///
    /// The signals that ``AgentService`` receives stay blocked: one that arrives meanwhile waits for the new
    /// run. Unblocked, it would end the process.
    static func restart() -> Never {
        setenv(restartVariable, "\(getpid())", 1)
        replaceProcess()
    }

    /// Runs the program again in this process, with the environment as it is now.
    static func replaceProcess() -> Never {
        let arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        if let path = clinux_program_path() { clinux_replace_process(path, arguments) }
        let code = -clinux_replace_process("/proc/self/exe", arguments)
        printError("the program can't be started again: \(String(cString: strerror(code)))")
        Glibc.exit(ExitStatus.defect.rawValue)
    }

    /// The variable that tells a run that the one before has replaced itself by it. Its value is the process
    /// id, which stays the same: to another process that inherits it, it says nothing. (Names that begin with
    /// `V4L2MQTT_` are keys.)
    private static let restartVariable = "RESTARTED_V4L2MQTT"

    /// Whether ``restart()`` began this run. To be called before there are threads, once: it forgets it.
    static func takeRestart() -> Bool {
        defer { unsetenv(restartVariable) }
        return getenv(restartVariable).map { String(cString: $0) } == "\(getpid())"
    }
}
