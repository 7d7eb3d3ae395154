internal import ArgumentParser
internal import Base
internal import BrokerOptions
internal import Bus
internal import Glibc
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

            Exit codes: 0 clean stop, 64 wrong usage, 69 the address can't be used or the broker does not support MQTT 5, 74 \
            the folder for tokens can't be used.
            """,
        version: programVersion,
        subcommands: [ServeCommand.self, MetricsCommand.self, TokenCommand.self, TokensCommand.self],
        defaultSubcommand: ServeCommand.self)

    /// Writes into the log what has changed at the connection to the broker. With a broker that does not
    /// support MQTT 5 there is nothing to serve: it ends the program.
    @Sendable static func note(_ event: BusEvent) {
        if let line = event.logLine { printError("\(line)") }
        guard event.isRefusalOfV5 else { return }
        printError("v4l2mqtt-console needs a broker with MQTT 5, such as mosquitto 1.6 or newer")
        Glibc.exit(ExitStatus.unavailable.rawValue)
    }
}

extension ExitStatus {
    /// Does what a command does. Prints what went wrong, and ends with its exit code.
    static func after(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ListenError {
            printError("--listen: \(error)")
            throw unavailable
        } catch  where error is StorageError || error is AccessError || error is BusError {
            printError("\(error)")
            throw error is StorageError ? storage : usage
        }
    }
}

extension BrokerOptions {
    /// - Throws: `ValidationError` for an option that asks for MQTT 3.1.1.
    func requireV5() throws {
        guard isV5 else { throw ValidationError("--protocol: v4l2mqtt-console needs MQTT 5.") }
    }
}
