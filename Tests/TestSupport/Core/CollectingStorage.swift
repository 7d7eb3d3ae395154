package import Contract
package import Core

/// Keeps the last state that a camera saved. A test may hold the callbacks, or have them fail.
package final class CollectingStorage: CameraStorage {
    /// The state that a run after a crash would find.
    package private(set) var last: SavedCamera
    /// How often a state was saved.
    package private(set) var saves = 0
    /// Callbacks wait for ``complete()``: the disk is slow.
    package var isHeld = false
    /// As ``isHeld``, for the syncs: the system takes writes, and the disk hangs.
    package var isSyncHeld = false
    package let waitingAnswers = WaitingAnswers()
    /// Why states can't be stored; nil: they can.
    package var error: CommandError?
    /// Why a state that the system has isn't on the disk; nil: it is.
    package var syncError: CommandError?
    private var waiting: [(state: SavedCamera, stored: (CommandError?) -> Void, synced: () -> Void)] = []
    private var waitingSyncs: [() -> Void] = []

    /// - Parameter saved: the state of the run before, with the numbers that this run begins with.
    package init(_ saved: SavedCamera) { last = saved }

    package func save(
        _ state: SavedCamera, of camera: String, stored: @escaping (CommandError?) -> Void,
        synced: @escaping () -> Void
    ) {
        saves += 1
        waiting.append((state, stored, synced))
        if !isHeld { complete(withSyncs: !isSyncHeld) }
    }

    /// Stores the states that wait, and calls back.
    package func complete() { complete(withSyncs: true) }

    private func complete(withSyncs: Bool) {
        while !waiting.isEmpty {
            let (state, stored, synced) = waiting.removeFirst()
            if error == nil {
                last = state
                waitingSyncs.append(synced)
            }
            stored(error)
        }
        guard withSyncs else { return }
        // Only the newest state is reported as synced.
        let synced = waitingSyncs.last
        waitingSyncs = []
        if syncError == nil { synced?() }
    }
}
