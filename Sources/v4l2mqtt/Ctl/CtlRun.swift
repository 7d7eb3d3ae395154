internal import ArgumentParser
internal import BrokerOptions
internal import Bus
internal import CLinux
internal import Contract
internal import Ctl

extension BusOptions {
    /// Performs an operation with the chosen camera. Returns if the camera carried it out.
    ///
    /// - Parameter time: when the agent carries it out; nil: at once.
    /// - Throws: the exit code, after printing why.
    func run(_ operation: CtlOperation, _ time: TimeOptions? = nil) throws {
        try run { try CtlSession.run(operation, time.map($0.with) ?? $0) }
    }

    /// Runs an operation with these options. Returns if its exit code is 0.
    ///
    /// - Throws: the exit code. A client that can't be created, for instance because of an invalid
    ///   certificate, is reported and ends with 1.
    func run(_ body: (CtlOptions) throws -> Int32) throws {
        let options = try ctlOptions()
        // An assertion of libmosquitto, after what no broker may send.
        clinux_exit_on_abort("the broker broke the protocol\n", ExitStatus.unavailable.rawValue)
        let code: Int32
        do {
            code = try body(options)
        } catch let error as BusError {
            printFailure(CommandError(.unavailable, error.description), options)
            throw ExitCode.failure
        } catch let error as CommandError {
            printFailure(error, options)
            throw ExitCode.failure
        }
        if code != 0 { throw ExitCode(code) }
    }
}

extension CtlOptions {
    /// The same options for a command with a time.
    func with(_ time: TimeOptions) -> CtlOptions {
        var options = self
        (options.time, options.usesAnyClock) = (time.time, time.anyClock)
        options.commandID = time.id
        return options
    }
}
