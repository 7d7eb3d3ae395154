internal import Base
internal import Bus
internal import Contract
internal import Glibc

/// Runs a ``CtlMachine`` with a broker, and prints its results.
package final class CtlRunner<Machine: CtlMachine> {
    private let observer: BusObserver<Machine>
    private let options: CtlOptions
    private let copy = LocalCopy()
    private let stateFile: RolloutFile?
    private let prints: CtlOutput
    /// Whether signals interrupt the machine, and do not end the program.
    private let catchesSignals: Bool
    /// Nil: it has not ended.
    private var exitCode: Int32?

    /// - Parameters:
    ///   - stateFile: where a rollout keeps its state; nil: the machine keeps none.
    ///   - catchesSignals: whether signals interrupt the machine, and do not end the program.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    private init(
        _ machine: Machine, _ options: CtlOptions, filters: [BusFilter], maxPacketSize: UInt32? = nil,
        stateFile: RolloutFile? = nil, prints: CtlOutput = .all, catchesSignals: Bool = false
    ) throws {
        (self.options, self.stateFile) = (options, stateFile)
        (self.prints, self.catchesSignals) = (prints, catchesSignals)
        var broker = options.broker
        if let maxPacketSize { broker.maxPacketSize = maxPacketSize }
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
        return withExtendedLifetime(signals) { exitCode ?? 0 }
    }

    private func perform(_ action: CtlAction) {
        if exitCode != nil { return }
        switch action {
        case .publish(let topic, let payload, _, isRetained: true): observer.retain(topic, payload)
        case .publish(let topic, let payload, let id, _):
            let properties = id.map {
                BusProperties(responseTopic: options.responseTopic, correlation: Array($0.utf8))
            }
            observer.publish(topic, payload, properties ?? BusProperties())
        case .printLine(let line): if prints != .nothing { Base.printLine(line) }
        case .printError(let line): if prints == .all { Base.printError(line) }
        case .printPhoto(let photo): printBytes(photo)
        case .writePhoto(let photo, let path):
            write(photo, to: path)?.ending(options).forEach(perform)
        case .copy(let step):
            let result = copy.perform(step)
            observer.update { $0.copied(result, at: $1) }
        case .save(let bytes):
            stateFile?.write(bytes)?.ending(options).forEach(perform)
        case .exit(let code):
            exitCode = code
            observer.stop()
        }
    }

    /// Replaces a regular file as a whole or not at all. Other files, such as pipes, are written in place.
    private func write(_ photo: [UInt8], to path: String) -> CommandError? {
        var status = stat()
        let isThere = stat(path, &status) == 0
        do throws(FileError) {
            if isThere && status.st_mode & S_IFMT != S_IFREG {
                try Files.write(photo, into: path)
            } else {
                // A symbolic link stays, and so does the mode, less the umask.
                try Files.replace(
                    Files.realPath(path) ?? path, with: photo, suffix: ".\(getpid()).new",
                    mode: isThere ? status.st_mode & 0o777 : 0o666)
            }
            return nil
        } catch {
            return CommandError(writing: path, error)
        }
    }
}

/// What is printed. Of the cameras of a group, errors are printed at the end, with their names.
enum CtlOutput {
    case all
    /// What the operation is for, and no errors.
    case results
    case nothing
}

extension CtlRunner where Machine == Conversation {
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package convenience init(_ operation: CtlOperation, _ options: CtlOptions) throws {
        try self.init(operation, options, prints: .all)
    }

    convenience init(
        _ operation: CtlOperation, _ options: CtlOptions, prints: CtlOutput
    ) throws {
        // A recording that is interrupted is stopped, and its file is waited for.
        try self.init(
            Conversation(operation, options, at: .now), options,
            filters: Conversation.filters(operation, options), maxPacketSize: operation.maxPacketSize,
            prints: prints, catchesSignals: operation.waitsForRecordings)
    }

    /// What came of the operation.
    var result: MemberResult {
        observer.machine.result ?? .silent(reason: "no answer was received")
    }

    /// The copies that are complete.
    var written: [WrittenCopy] { observer.machine.written }
}

extension CtlRunner where Machine == GroupCommand {
    /// - Parameter printsReport: false: the caller prints ``report``.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package convenience init(
        _ operation: CtlOperation, _ group: String, _ options: CtlOptions, printsReport: Bool = true
    ) throws {
        try self.init(
            GroupCommand(operation, group, options, printsReport: printsReport, at: .now), options,
            filters: GroupCommand.filters(operation, options),
            catchesSignals: operation.waitsForRecordings)
    }

    /// What came of the command; nil: it has not ended, or there was an error before anything was sent.
    var report: GroupReport? { observer.machine.report }
}

extension CtlRunner where Machine == Rollout {
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package convenience init(
        _ plan: RolloutPlan, stateFile: RolloutFile, _ options: CtlOptions
    ) throws {
        try self.init(
            Rollout(plan, options, at: .now), options, filters: Rollout.filters(plan, options),
            stateFile: stateFile)
    }
}
