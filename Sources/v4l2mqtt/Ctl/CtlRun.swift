internal import ArgumentParser
internal import Ctl
internal import MQTTBus
internal import Messages

extension BusOptions {
    /// Performs an operation with the chosen camera. Returns if the camera carried it out.
    ///
    /// - Parameter time: when the agent carries it out; nil: at once.
    /// - Throws: the exit code, after printing why.
    func run(_ operation: CtlOperation, _ time: TimeOptions? = nil) throws {
        try run {
            var options = $0
            (options.time, options.usesAnyClock) = (time?.time, time?.anyClock ?? false)
            return try Controller(operation, options).run()
        }
    }

    /// Runs an operation with these options. Returns if its exit code is 0.
    ///
    /// - Throws: the exit code. A client that can't be created, for instance because of an invalid
    ///   certificate, is reported and ends with 1.
    func run(_ body: (CtlOptions) throws -> Int32) throws {
        let options = try ctlOptions()
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
