internal import Base
package import Bus
package import Contract
internal import Glibc

/// Prints an error of `ctl` itself; with `--json`, also like a reply.
package func printFailure(_ error: CommandError, _ options: CtlOptions) {
    if options.json { printLine(error.line) }
    printError(PrintableLine(error.message))
}

extension FleetObservation {
    /// - Parameter nodes: the nodes of the selected cameras to subscribe to.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    static func observer(
        _ options: CtlOptions, nodes: [String], timeout: Duration? = nil, asks: Bool = false,
        needsCameraInfo: Bool = false, groupRequest: GroupRequest = .whenIncomplete
    ) throws -> BusObserver<FleetObservation> {
        try BusObserver(
            FleetObservation(
                options, timeout: timeout, asks: asks, needsCameraInfo: needsCameraInfo,
                nodes: needsCameraInfo ? ["info"] : nodes,
                group: options.group.map { (name: $0, request: groupRequest) }, at: .now),
            options.broker,
            filters: options.filters(cameraNodes: nodes) + (asks ? options.refreshFilters : [])
                + (asks && options.group != nil ? options.groupRefreshFilters : []))
    }

    /// Observes a broker until all retained messages have been received. Agents of which messages are missing
    /// are asked for them.
    ///
    /// - Parameters:
    ///   - groupRequest: when the cameras of the group are asked, if the options name one.
    ///   - received: called with each message.
    /// - Returns: the observation, with the fleet and what is missing.
    /// - Throws: `CommandError` without a connection, `BusError` or `LoopError` if the client can't be
    ///   created.
    package static func collect(
        _ options: CtlOptions, nodes: [String], timeout: Duration? = nil, needsCameraInfo: Bool = false,
        groupRequest: GroupRequest = .whenIncomplete,
        received: @escaping (BusMessage) -> Void = { _ in }
    ) throws -> FleetObservation {
        let observer = try observer(
            options, nodes: nodes, timeout: timeout, asks: true, needsCameraInfo: needsCameraInfo,
            groupRequest: groupRequest)
        var failure: CommandError?
        observer.perform = { [weak observer, loop = observer.loop] action in
            switch action {
            case .ask(let topic, let payload): observer?.publish(topic, payload, BusProperties())
            case .received(let message): received(message)
            case .settled: loop.stop()
            case .failed(let error):
                failure = error
                loop.stop()
            case .connected, .disconnected: break
            }
        }
        observer.run()
        if let failure { throw failure }
        return observer.machine
    }

    /// Prints a line for each change until a signal, or until the reader of a pipe is gone.
    ///
    /// - Returns: the exit code.
    package static func printLines(_ options: CtlOptions) throws -> Int32 {
        var lines = WatchLines(options)
        let observer = try observer(options, nodes: lines.nodes)
        let loop = observer.loop
        let signals = try Signals([SIGTERM, SIGINT], on: loop) { [loop] _ in loop.stop() }
        // Without a message there is no write that fails: the end of a pipe's reader is observed.
        loop.watch(STDOUT_FILENO, for: { [] }) { _ in endByBrokenPipe() }
        var failure: CommandError?
        observer.perform = { [weak observer] action in
            switch action {
            case .received(let message):
                if let observer, let line = lines.line(for: message, observer.machine.fleet) {
                    printLine(line)
                }
            case .disconnected(let reason): printError(PrintableLine(reason))
            case .failed(let error):
                failure = error
                loop.stop()
            case .connected, .settled, .ask: break
            }
        }
        observer.run()
        return withExtendedLifetime(signals) {
            guard let failure else { return 0 }
            printFailure(failure, options)
            return 1
        }
    }
}
