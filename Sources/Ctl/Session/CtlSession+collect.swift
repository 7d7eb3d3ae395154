internal import Base
internal import Bus
package import Contract
package import Fleet

/// Prints an error of `ctl` itself; with `--json`, also like a reply.
package func printFailure(_ error: CommandError, _ options: CtlOptions) {
    if options.json { printLine(error.line) }
    printError(PrintableLine(error.message))
}

extension CtlSession {
    /// Reads a fleet.
    ///
    /// - Parameter timeout: until when the broker has to answer.
    /// - Returns: nil: there is no connection.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package static func read(
        _ needs: FleetNeeds, _ options: CtlOptions, within timeout: Duration
    ) throws -> CtlFleet? {
        let surroundings = try BusSurroundings(
            options, filters: options.topics.refreshAnswers)
        var needs = needs
        (needs.agent, needs.camera) = (options.agent, options.camera)
        let session = CtlSession(options, surroundings, needs)
        do throws(Ending) { try session.settle(within: timeout) } catch { return nil }
        return session.fleet
    }
}
