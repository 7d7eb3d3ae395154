internal import LoopThread

/// Calls ``Connection/connect()`` on a thread of its own, because name lookup and connecting block. The
/// thread exists during an attempt only.
final class Connector {
    private let worker: SerialWorker<Void>
    private let connection: Connection

    init(_ connection: Connection, on loop: EventLoop) throws(LoopError) {
        self.connection = connection
        worker = try SerialWorker(name: "mqtt-connect", on: loop, idleTime: .zero) {}
    }

    /// Starts an attempt. The connection belongs to the connector until the attempt is finished.
    ///
    /// - Parameter finished: called on the loop, with the reason for a failure.
    func connect(finished: @escaping (_ failure: String?) -> Void) {
        do throws(LoopError) {
            try worker.run({ [connection] _ in connection.connect() }, then: finished)
        } catch {
            finished("the system refuses a further thread: \(error)")
        }
    }

    /// Ends without waiting for an attempt: a name lookup may block for a long time.
    func abandon() { worker.close() }
}
