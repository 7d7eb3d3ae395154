internal import Base
import Bus
internal import Contract
internal import Glibc

/// Runs a ``GroupMachine`` with a broker, and prints its results.
package final class GroupController<Machine: GroupMachine> {
    private let observer: BusObserver<Machine>
    private let stateFile: RolloutFile?
    /// Whether signals interrupt the machine, and do not end the program.
    private let catchesSignals: Bool
    private var exitCode: Int32 = 0

    /// - Parameters:
    ///   - stateFile: where a rollout keeps its state; nil: the machine keeps none.
    ///   - catchesSignals: whether signals interrupt the machine, and do not end the program.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    init(
        _ machine: Machine, _ broker: BusSettings, filters: [BusFilter], stateFile: RolloutFile? = nil,
        catchesSignals: Bool = false
    ) throws {
        (self.stateFile, self.catchesSignals) = (stateFile, catchesSignals)
        observer = try BusObserver(machine, broker, filters: filters)
    }

    /// Runs the machine until its end.
    ///
    /// - Returns: the exit code.
    package func run() throws -> Int32 {
        observer.perform = { [weak self] in self?.perform($0) }
        var signals: Signals?
        if catchesSignals {
            signals = try Signals([SIGTERM, SIGINT], on: observer.loop) { [weak self] _ in
                self?.observer.update { $0.interrupt(at: $1) }
            }
        }
        observer.run()
        return withExtendedLifetime(signals) { exitCode }
    }

    private func perform(_ action: GroupAction) {
        switch action {
        case .publish(let topic, let payload, let isRetained):
            if isRetained {
                observer.retain(topic, payload)
            } else {
                observer.publish(topic, payload, BusProperties())
            }
        case .printLine(let line): Base.printLine(line)
        case .printError(let line): Base.printError(line)
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
    /// - Parameter printsReport: false: the caller prints ``report``.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package convenience init(
        _ operation: CtlOperation, _ group: String, _ options: CtlOptions, printsReport: Bool = true
    ) throws {
        try self.init(
            GroupCommand(operation, group, options, printsReport: printsReport, at: .now), options.broker,
            filters: GroupCommand.filters(operation, options), catchesSignals: operation.waitsForRecordings)
    }

    /// What came of the command; nil: it has not ended, or there was an error before anything was sent.
    var report: GroupReport? { observer.machine.report }
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
