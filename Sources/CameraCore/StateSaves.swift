internal import Messages

/// Stores a camera's state, and calls back those that wait for it.
final class StateSaves {
    private let storage: any CameraStorage
    private let camera: String
    private var submitted = 0
    private var completed = 0
    /// Why the last state that was submitted isn't stored; nil: it is.
    private var error: CommandError?
    private var isAbandoned = false
    private var waiting: [(number: Int, then: (CommandError?) -> Void)] = []

    /// Whether the last report was a failure. The storage may have stored the state since.
    var hasFailed: Bool { error != nil }

    init(_ storage: any CameraStorage, camera: String) { (self.storage, self.camera) = (storage, camera) }

    /// - Parameters:
    ///   - isSynced: the state counts as stored when it outlives a power cut too.
    ///   - stored: called when the state is stored; not when it can't be.
    func save(_ state: SavedCamera, isSynced: Bool = false, stored: @escaping () -> Void) {
        submitted += 1
        let number = submitted
        storage.save(state, of: camera, isSynced: isSynced) { [weak self] error in
            if error == nil { stored() }
            self?.completed(number, error)
        }
    }

    /// Calls back once, when every state that was submitted is stored or can't be.
    func whenSaved(_ then: @escaping (CommandError?) -> Void) {
        if isAbandoned { return then(.notStored) }
        if completed == submitted { then(error) } else { waiting.append((submitted, then)) }
    }

    private func completed(_ number: Int, _ error: CommandError?) {
        (completed, self.error) = (max(completed, number), error)
        while let first = waiting.first, first.number <= completed {
            waiting.removeFirst()
            first.then(error)
        }
    }

    /// Calls back all that wait, as if their states couldn't be stored: the agent stops.
    func abandon() {
        isAbandoned = completed != submitted
        while !waiting.isEmpty { waiting.removeFirst().then(.notStored) }
    }
}

extension CommandError {
    /// The disk is too slow for a state to be stored before the agent ends.
    fileprivate static let notStored = CommandError(
        .storageFull, "The state isn't stored yet: the disk is slow, and the agent is stopping.")
}
