package import Contract

/// The port to what keeps the state of cameras over restarts.
package protocol CameraStorage: AnyObject {
    /// The answers of all cameras that wait until a state is stored.
    var waitingAnswers: WaitingAnswers { get }

    /// Stores a camera's state.
    ///
    /// - Parameters:
    ///   - isSynced: the state has to outlive a power cut, even if the agent isn't configured so.
    ///   - then: called once, on the loop, in the order of the calls with the same `isSynced`: nil when the
    ///     state outlives the process from now on (and a power cut); `storage_full` when it can't be stored,
    ///     and is stored later if possible.
    func save(
        _ state: SavedCamera, of camera: String, isSynced: Bool, then: @escaping (CommandError?) -> Void)
}

/// Counts the answers that wait for the disk. Their number is limited: a disk may hang for minutes.
package final class WaitingAnswers {
    /// About 1 MiB of answers.
    package static let max = 1_000

    private var count = 0

    package init() {}

    /// Counts one more. Returns false if it may not wait.
    func add() -> Bool {
        guard count < Self.max else { return false }
        count += 1
        return true
    }

    func remove() { count -= 1 }
}
