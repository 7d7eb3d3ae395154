internal import Synchronization

/// The failures of a hardware encoder, as all recordings of the process know them.
///
/// One that has failed isn't used for ``pause``: a driver that fails once often fails again, and then each
/// file of a recording would begin with the same second without a picture. While a thread hangs in the
/// driver the encoder isn't used either, however long that takes: so such threads don't accumulate.
final class EncoderHistory: Sendable {
    /// How long an encoder isn't used after a failure.
    static let pause = Duration.seconds(600)

    private struct State {
        var failed: ContinuousClock.Instant?
        /// Threads that haven't ended, by number: since when they are no longer needed; nil: they are.
        var threads: [Int: ContinuousClock.Instant?] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: another clock, for tests.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Whether the encoder is tried for a recording.
    var isUsable: Bool {
        let now = now()
        return state.withLock { state in
            if let failed = state.failed, failed.duration(to: now) < Self.pause { return false }
            return state.threads.values.allSatisfy { released in
                released.map { $0.duration(to: now) < WatchedEncoder.timeout } ?? true
            }
        }
    }

    /// Threads that haven't ended.
    var threadCount: Int { state.withLock { $0.threads.count } }

    /// The encoder has failed after it was opened, or didn't answer.
    func noteFailure() {
        let now = now()
        state.withLock { $0.failed = now }
    }

    /// A number for a further thread.
    func addThread() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.threads[state.lastNumber] = .some(nil)
            return state.lastNumber
        }
    }

    /// The thread is no longer needed: it ends as soon as the driver has answered.
    func threadReleased(_ number: Int) {
        let now = now()
        state.withLock { state in
            if state.threads[number] != nil { state.threads[number] = .some(now) }
        }
    }

    func threadEnded(_ number: Int) { _ = state.withLock { $0.threads.removeValue(forKey: number) } }
}
