package import Contract

/// The port to what keeps the state of cameras over restarts.
package protocol CameraStorage: AnyObject {
    /// The answers of all cameras that wait until a state is stored.
    var waitingAnswers: WaitingAnswers { get }

    /// Stores a camera's state.
    ///
    /// - Parameters:
    ///   - stored: called once, on the loop: nil when the state outlives the process from now on (and a
    ///     power cut, if the agent is configured so); `storage_full` when it can't be stored, and is stored
    ///     later if possible.
    ///   - synced: called at most once, on the loop, when the state outlives a power cut; not if a later one
    ///     does before.
    func save(
        _ state: SavedCamera, of camera: String, stored: @escaping (CommandError?) -> Void,
        synced: @escaping () -> Void)
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
