package import Base
package import Bus
package import Contract

/// Something that happens to a run of `ctl`.
package enum BusInput: Sendable {
    case connection(BusEvent)
    case message(BusMessage)
    /// The broker has acknowledged, or refused, everything that was published.
    case drained
    /// The broker refuses a message that was published. Only brokers with MQTT 5 report it.
    case refused(topic: String, reason: String)
    /// The user interrupts the program, where the signals are caught.
    case interrupt
    /// Another signal that is caught.
    case signal(Int32)
    /// What was typed on the terminal, where that is read.
    case keys(String)
}

/// A message that a run publishes.
package struct SentMessage: Sendable, Equatable {
    package var topic: String
    package var payload: [UInt8]
    /// The correlation data of a message with the response topic; nil: it has neither. The cameras of a group
    /// answer on their own topics, which name them.
    package var correlation: String?
    package var isRetained = false
}

/// What a run of `ctl` reaches outside of itself: the bus, the clock, the output and local files. Tests have
/// one that plays a script in virtual time.
package protocol Surroundings: AnyObject {
    var now: ContinuousClock.Instant { get }

    /// Waits until something happens.
    ///
    /// - Returns: nil: the deadline has passed.
    func next(before deadline: ContinuousClock.Instant?) throws(Ending) -> BusInput?
    func publish(_ message: SentMessage)
    /// Begins subscriptions. When the broker has answered them, ``BusEvent/subscribed`` follows.
    func subscribe(_ filters: [BusFilter])
    func unsubscribe(_ filters: [BusFilter])

    func printLine(_ line: PrintableLine)
    func printError(_ line: PrintableLine)
    /// Writes a photo to standard output.
    func printPhoto(_ photo: [UInt8])
    /// Writes a photo to a file.
    func write(_ photo: [UInt8], to path: String) throws(Ending)
    /// Opens the local file of a copy; see ``LocalCopy``.
    func openCopy(_ path: String, replaces: Bool, bytes: Int) throws(Ending) -> any CopyFile
}

/// The local file of a copy. Until it is complete it has the name with `.part` at its end.
package protocol CopyFile: AnyObject {
    /// The bytes that an interrupted copy has left.
    var bytes: Int { get }

    /// Empties it.
    func restart() throws(Ending)
    func append(_ bytes: [UInt8]) throws(Ending)
    /// Gives the file its name, if its hash is this one.
    ///
    /// - Returns: false: the hash is another one. The file is as it was.
    func finish(sha256: String) throws(Ending) -> Bool
}

/// Why a run ends.
package enum Ending: Error {
    /// An error that `ctl` itself found.
    case failed(CommandError)
    /// The final answer to a command that was not carried out.
    case refused(Reply)
    /// What there was to say is printed.
    case exit(Int32)

    static var brokerIsSilent: Self { .failed(.unavailable, "The broker doesn't answer.") }

    static func failed(_ code: CommandError.Code, _ message: String) -> Self {
        .failed(CommandError(code, message))
    }
}
