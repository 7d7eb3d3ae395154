package import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import CLinux
internal import Contract
internal import Glibc

/// The controller on the command line.
package struct CtlCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "ctl",
        abstract: "Controls cameras on the bus, and watches them.",
        discussion: """
            A single agent with a single camera is found automatically; otherwise name them with --agent and \
            --camera, or all cameras of a group with --group. The exit code is 0 if the camera, or each camera \
            of the group, executed the command, 1 if one refused, is offline or did not answer.
            """,
        subcommands: [
            Zoom.self, Pinch.self, Capture.self, Record.self, Preset.self, Controls.self, Privacy.self,
            Lease.self, Media.self, Cancel.self, Desired.self, List.self, Watch.self, Forget.self,
        ])

    package init() {}
}

/// A command of `ctl`.
protocol CtlSubcommand: ParsableCommand {
    var options: BusOptions { get }

    /// - Returns: the exit code.
    func run(_ options: CtlOptions) throws -> Int32
}

/// A command for one camera or for the cameras of a group: the declaration of its options, and what follows
/// from them.
protocol CameraCommand: CtlSubcommand {
    /// What it does.
    ///
    /// - Throws: `ValidationError` where options contradict each other.
    var operation: CtlOperation { get throws }
}

/// A command that can be carried out at a time.
protocol TimedCommand: CameraCommand {
    var time: TimeOptions { get }
}

extension CtlSubcommand {
    fileprivate var allOptions: CtlOptions { CtlOptions(options, (self as? any TimedCommand)?.time) }

    /// Returns if the exit code is 0.
    ///
    /// - Throws: the exit code. A client that can't be created, for instance because of an invalid
    ///   certificate, is reported and ends with 1.
    func run() throws {
        // An assertion of libmosquitto, after what no broker may send.
        clinux_exit_on_abort("the broker broke the protocol\n", ExitStatus.unavailable.rawValue)
        let options = allOptions
        let error: CommandError
        do {
            let code = try run(options)
            if code == 0 { return }
            throw ExitCode(code)
        } catch let failure as BusError {
            error = CommandError(.unavailable, failure.description)
        } catch let failure as CommandError {
            error = failure
        }
        if options.json { printLine(error.line) }
        printError(PrintableLine(error.message))
        throw ExitCode.failure
    }
}

extension CameraCommand {
    func run(_ options: CtlOptions) throws -> Int32 {
        let operation = try operation.withCheckedTarget()
        let surroundings = try BusSurroundings(
            options, filters: options.commandFilters, maxPacketSize: operation.maxPacketSize,
            signals: operation.waitsForRecordings ? [SIGTERM, SIGINT] : [])
        return CtlSession.run(operation, options, surroundings)
    }

    func validate() throws {
        let operation = try operation
        do throws(CommandError) { try operation.check(allOptions) } catch {
            throw ValidationError(error.text)
        }
    }
}
