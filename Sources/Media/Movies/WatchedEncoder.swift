internal import Base

/// A hardware encoder on a thread of its own: a driver that doesn't answer within a second is an error, and
/// delays the recording no longer.
///
/// A thread that hangs in the driver is left alone. It releases the encoder when the driver lets it go;
/// until then no further one is started for that encoder (``EncoderHistory``).
final class WatchedEncoder {
    /// How long the encoder may take for a call.
    static let timeout = Duration.seconds(1)

    private enum Task: Sendable {
        case frame(EncoderFrame)
        case end
    }

    private struct State: Sendable {
        var task: Task?
        var result: Result<[EncodedPacket], MovieError>?
        /// No further task comes.
        var isReleased = false
    }

    let name: String
    let history: EncoderHistory
    private let number: Int
    private let state = Monitor(State())
    private let timeout: Duration

    /// Opens the encoder.
    init(_ candidate: HardwareEncoders.Candidate, _ format: MovieFormat) throws(MovieError) {
        (name, history, timeout) = (candidate.name, candidate.history, candidate.timeout)
        number = history.addThread()
        let (state, history, number) = (state, history, number)
        do throws(LoopError) {
            let thread = try Thread(name: "encoder", priority: .normal) {
                Self.run(state) { () throws(MovieError) in try candidate.open(format) }
                history.threadEnded(number)
            }
            thread.detach()
        } catch {
            history.threadEnded(number)
            throw .codec("the system refuses a thread for the encoder \(name): \(error)")
        }
        _ = try wait()
    }

    deinit {
        history.threadReleased(number)
        state.change { state, _ in state.isReleased = true }
    }

    func encode(_ frame: EncoderFrame) throws(MovieError) -> [EncodedPacket] {
        state.change { state, _ in state.task = .frame(frame) }
        return try wait()
    }

    func end() throws(MovieError) -> [EncodedPacket] {
        state.change { state, _ in state.task = .end }
        return try wait()
    }

    private func wait() throws(MovieError) -> [EncodedPacket] {
        let due = Monitor<State>.now() + UInt64(timeout / .nanoseconds(1))
        let result = state.wait {
            state, now -> Monitor<State>.Decision<Result<[EncodedPacket], MovieError>?> in
            if let result = state.result.take() { return .answer(result) }
            return now >= due ? .answer(nil) : .wait(until: due)
        }
        guard let result else {
            history.noteFailure()
            throw .codec("the encoder \(name) doesn't answer")
        }
        return try result.get()
    }

    // MARK: On the encoder's thread

    private static func run(
        _ state: Monitor<State>, _ open: () throws(MovieError) -> any HardwareEncoder
    ) {
        let opened = Result { () throws(MovieError) in try open() }
        state.change { state, _ in state.result = opened.map { _ in [] } }
        guard case .success(let encoder) = opened else { return }
        while let task = next(state) {
            let result = Result { () throws(MovieError) in
                switch task {
                case .frame(let frame): try encoder.encode(frame)
                case .end: try encoder.end()
                }
            }
            state.change { state, _ in state.result = result }
        }
    }

    private static func next(_ state: Monitor<State>) -> Task? {
        state.wait { state, _ in
            if let task = state.task.take() { return .answer(task) }
            return state.isReleased ? .answer(nil) : .wait(until: nil)
        }
    }
}
