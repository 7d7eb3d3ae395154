internal import Base
internal import Bus
internal import Contract
internal import FoundationEssentials
internal import Glibc

/// Runs a ``Conversation`` with a broker and prints its results.
package final class Controller {
    private let observer: BusObserver<Conversation>
    private let operation: CtlOperation
    private let responseTopic: String
    private let copy = LocalCopy()
    private let prints: Output
    private var exitCode: Int32 = 0

    /// What is printed. Of the cameras of a group, errors are printed at the end, with their names.
    package enum Output {
        case all
        /// What the operation is for, and no errors.
        case results
        case nothing
    }

    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    package init(_ operation: CtlOperation, _ options: CtlOptions, prints: Output = .all) throws {
        (self.operation, self.prints) = (operation, prints)
        responseTopic = options.responseTopic
        var broker = options.broker
        broker.maxPacketSize = operation.maxPacketSize
        observer = try BusObserver(
            Conversation(operation, options, at: .now), broker,
            filters: Conversation.filters(operation, options))
    }

    /// Runs the conversation until its end.
    ///
    /// - Returns: the exit code.
    package func run() throws -> Int32 {
        observer.perform = { [weak self] in self?.perform($0) }
        var signals: Signals?
        if case .record = operation {
            // A recording that is interrupted is stopped, and its file is waited for.
            signals = try Signals([SIGTERM, SIGINT], on: observer.loop) { [weak self] _ in
                self?.observer.update { $0.interrupt(at: $1) }
            }
        }
        observer.run()
        return withExtendedLifetime(signals) { exitCode }
    }

    /// What came of the operation.
    var result: MemberResult {
        observer.machine.result ?? .silent(reason: "no answer was received")
    }

    /// The copies that are complete.
    var written: [WrittenCopy] { observer.machine.written }

    private func perform(_ action: Conversation.Action) {
        switch action {
        case .publish(let topic, let payload, let id):
            observer.publish(
                topic, payload, BusProperties(responseTopic: responseTopic, correlation: Array(id.utf8)))
        case .printLine(let line): if prints != .nothing { Base.printLine(line) }
        case .printError(let line): if prints == .all { Base.printError(line) }
        case .printPhoto(let photo): printBytes(photo)
        case .writePhoto(let photo, let path):
            let error = write(photo, to: path)
            observer.update { conversation, _ in conversation.photoWritten(error) }
        case .copy(let step):
            let result = copy.perform(step)
            observer.update { $0.copied(result, at: $1) }
        case .exit(let code):
            exitCode = code
            observer.stop()
        }
    }

    /// Writes a regular file as a whole or not at all. Other files, such as pipes, are written in place.
    private func write(_ photo: [UInt8], to path: String) -> CommandError? {
        var status = stat()
        let isOther = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        do {
            try Data(photo).write(to: URL(filePath: path), options: isOther ? [] : .atomic)
            return nil
        } catch {
            let cause = (error as? CocoaError)?.underlying as? POSIXError
            let reason = cause.map { String(cString: strerror($0.code.rawValue)) } ?? "\(error)"
            return CommandError(
                cause?.code == .ENOSPC ? .storageFull : .device, "\(path) can't be written: \(reason)")
        }
    }
}
