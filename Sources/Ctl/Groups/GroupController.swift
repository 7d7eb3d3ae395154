internal import LoopThread
package import MQTTBus
internal import Messages
internal import Terminal

/// Runs a ``GroupMachine`` with a broker, and prints its results.
package final class GroupController<Machine: GroupMachine> {
    private let observer: BusObserver<Machine>
    private let stateFile: RolloutFile?
    private var exitCode: Int32 = 0

    /// - Parameter stateFile: where a rollout keeps its state; nil: the machine keeps none.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package init(
        _ machine: Machine, _ broker: BusSettings, filters: [BusFilter], stateFile: RolloutFile? = nil
    ) throws {
        self.stateFile = stateFile
        observer = try BusObserver(machine, broker, filters: filters)
    }

    /// Runs the machine until its end.
    ///
    /// - Returns: the exit code.
    package func run() -> Int32 {
        observer.perform = { [weak self] in self?.perform($0) }
        observer.run()
        return exitCode
    }

    private func perform(_ action: GroupAction) {
        switch action {
        case .publish(let topic, let payload, let isRetained):
            if isRetained {
                observer.retain(topic, payload)
            } else {
                observer.publish(topic, payload, BusProperties())
            }
        case .printLine(let line): Terminal.printLine(line)
        case .printError(let line): Terminal.printError(line)
        case .save(let bytes):
            let error = stateFile?.write(bytes)
            observer.update { $0.saved(error, at: $1) }
        case .exit(let code):
            exitCode = code
            observer.stop()
        }
    }
}

extension GroupController where Machine == GroupCommand {
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package convenience init(
        _ operation: CtlOperation, _ group: String, _ options: CtlOptions
    ) throws {
        try self.init(
            GroupCommand(operation, group, options, at: .now), options.broker,
            filters: GroupCommand.filters(options))
    }
}

extension GroupController where Machine == Rollout {
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package convenience init(
        _ plan: RolloutPlan, stateFile: RolloutFile, _ options: CtlOptions
    ) throws {
        try self.init(
            Rollout(plan, options, at: .now), options.broker, filters: Rollout.filters(plan, options),
            stateFile: stateFile)
    }
}
