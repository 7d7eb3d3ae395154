package import Contract
package import Core

/// Keeps the last state that a camera saved. A test may hold the callbacks, or have them fail.
package final class CollectingStorage: CameraStorage {
    /// The state that a run after a crash would find.
    package private(set) var last: SavedCamera
    /// How often a state was saved.
    package private(set) var saves = 0
    /// How often one was to be synced.
    package private(set) var syncedSaves = 0
    /// Callbacks wait for ``complete()``: the disk is slow.
    package var isHeld = false
    /// As ``isHeld``, for states that are to be synced: the system takes writes, and the disk hangs.
    package var isSyncHeld = false
    package let waitingAnswers = WaitingAnswers()
    /// Why states can't be stored; nil: they can.
    package var error: CommandError?
    private var waiting: [(state: SavedCamera, then: (CommandError?) -> Void)] = []
    private var waitingSyncs: [(CommandError?) -> Void] = []

    /// - Parameter saved: the state of the run before, whose numbers this run reserves.
    package init(_ saved: SavedCamera) {
        last = saved
        last.reserveNumbers()
    }

    package func save(
        _ state: SavedCamera, of camera: String, isSynced: Bool, then: @escaping (CommandError?) -> Void
    ) {
        if isSynced {
            syncedSaves += 1
            waitingSyncs.append(then)
            if !isHeld && !isSyncHeld { completeSyncs() }
        } else {
            saves += 1
            waiting.append((state, then))
            if !isHeld { completeSaves() }
        }
    }

    /// Stores the states that wait, and calls back.
    package func complete() {
        completeSyncs()
        completeSaves()
    }

    private func completeSyncs() {
        while !waitingSyncs.isEmpty { waitingSyncs.removeFirst()(error) }
    }

    private func completeSaves() {
        while !waiting.isEmpty {
            let (state, then) = waiting.removeFirst()
            if error == nil { last = state }
            then(error)
        }
    }
}
