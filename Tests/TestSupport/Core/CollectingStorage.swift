package import CameraCore
package import Messages

/// Keeps the last state that a camera saved. A test may hold the callbacks, or have them fail.
package final class CollectingStorage: CameraStorage {
    /// The state that a run after a crash would find.
    package private(set) var last: SavedCamera
    /// How often a state was saved.
    package private(set) var saves = 0
    /// How many of them count as stored only when they outlive a power cut.
    package private(set) var syncedSaves = 0
    /// Callbacks wait for ``complete()``: the disk is slow.
    package var isHeld = false
    /// Why states can't be stored; nil: they can.
    package var error: CommandError?
    private var waiting: [(state: SavedCamera, then: (CommandError?) -> Void)] = []

    /// - Parameter saved: the state of the run before, whose numbers this run reserves.
    package init(_ saved: SavedCamera) {
        last = saved
        last.reserveNumbers()
    }

    package func save(
        _ state: SavedCamera, of camera: String, isSynced: Bool, then: @escaping (CommandError?) -> Void
    ) {
        saves += 1
        if isSynced { syncedSaves += 1 }
        waiting.append((state, then))
        if !isHeld { complete() }
    }

    /// Stores the states that wait, and calls back.
    package func complete() {
        while !waiting.isEmpty {
            let (state, then) = waiting.removeFirst()
            if error == nil { last = state }
            then(error)
        }
    }
}
