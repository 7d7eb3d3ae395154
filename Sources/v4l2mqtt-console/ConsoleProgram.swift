internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import Server

/// The console: its table of commands.
@main
struct ConsoleProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "v4l2mqtt-console",
        abstract: "Serves the page on which people see and control the cameras of an MQTT broker.",
        discussion: """
            "v4l2mqtt-console" alone serves the page at http://localhost:8177/ and connects to the broker of this machine. \
            For other machines, make a token for each device ("v4l2mqtt-console token kitchen-tablet"), and listen on \
            another address.

            Exit codes: 0 clean stop, 64 wrong usage, 69 the address can't be used, 74 the folder for tokens can't be used.
            """,
        version: programVersion, subcommands: [ServeCommand.self, TokenCommand.self, TokensCommand.self],
        defaultSubcommand: ServeCommand.self)
}

extension ExitStatus {
    /// Does what a command does. Prints what went wrong, and ends with its exit code.
    static func after(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch  where error is StorageError || error is AccessError || error is BusError {
            printError("\(error)")
            throw error is StorageError ? storage : usage
        }
    }
}
