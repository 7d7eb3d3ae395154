internal import LoopThread

/// The thread on which a ``Connection`` looks up the host and connects, because both block.
final class Connector {
    private let worker: Worker<Void>
    private let results: Inbox<String?>

    init(_ connection: Connection) throws(LoopError) {
        let results = try Inbox<String?>()
        self.results = results
        worker = try Worker(name: "mqtt-connect") { jobs in
            while jobs.next() != nil { results.send(connection.connect()) }
        }
    }

    /// - Parameter finished: called on the loop after each attempt, with the reason for a failure.
    func attach(to loop: EventLoop, finished: @escaping (_ failure: String?) -> Void) {
        results.attach(to: loop, receive: finished)
    }

    /// Starts an attempt. The connection belongs to the connector until the attempt is finished.
    func connect() { worker.submit(()) }

    /// Ends the thread without waiting for it: a name lookup may block for a long time.
    func abandon(on loop: EventLoop) {
        results.detach(from: loop)
        worker.abandon()
    }
}
