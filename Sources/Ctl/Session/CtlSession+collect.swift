internal import Base
package import Bus
package import Contract

/// Prints an error of `ctl` itself; with `--json`, also like a reply.
package func printFailure(_ error: CommandError, _ options: CtlOptions) {
    if options.json { printLine(error.line) }
    printError(PrintableLine(error.message))
}

extension CtlSession {
    /// Observes a broker until all retained messages have been received. Agents of which messages are missing
    /// are asked for them.
    ///
    /// - Parameters:
    ///   - nodes: those of the selected cameras to subscribe to.
    ///   - timeout: until when the broker has to answer the first subscriptions; nil: as in other commands.
    ///   - received: called with each message.
    /// - Returns: the fleet, and why it is not what the agents have retained; nil: as far as is known it is.
    /// - Throws: `CommandError` without a connection, `BusError` or `LoopError` if the client can't be
    ///   created.
    package static func collect(
        _ options: CtlOptions, nodes: [String], timeout: Duration? = nil,
        received: (BusMessage) -> Void = { _ in }
    ) throws -> (fleet: Fleet, incompleteNote: String?) {
        let surroundings = try BusSurroundings(
            options,
            filters: options.filters(cameraNodes: nodes) + options.refreshFilters
                + (options.group == nil ? [] : options.groupRefreshFilters),
            maxPacketSize: BusSettings.usualMaxPacketSize, catchesSignals: false)
        let session = CtlSession(
            options, surroundings,
            FleetObservation(
                options, timeout: timeout, asks: true, nodes: nodes,
                group: options.group.map { (name: $0, request: .whenIncomplete) }, at: surroundings.now),
            observes: true)
        do throws(Ending) {
            try session.settle(received: received)
        } catch {
            if case .failed(let error) = error { throw error }
        }
        return (session.fleet, session.incompleteNote)
    }
}
