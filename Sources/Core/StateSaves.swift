internal import Contract

/// Stores a camera's state, and calls back those that wait for it.
final class StateSaves {
    /// States that are on the way to the disk at once. Of further ones only the newest is kept, until the
    /// disk has taken one: a disk may hang for minutes.
    private static let maxSubmitted = 16

    private let storage: any CameraStorage
    private let camera: String
    /// The numbers that the disk has reserved, and those that it was requested to.
    private var synced: Reserves
    private var requested: Reserves
    private var submitted = 0
    private var completed = 0
    /// The newest state, if it waits for an earlier one; its number follows the last one that was submitted.
    private var held: SavedCamera?
    /// Why the last state that was submitted isn't stored; nil: it is.
    private var error: CommandError?
    private var isAbandoned = false
    private var waiting: [(number: Int, then: (CommandError?) -> Void)] = []

    /// Whether the last report was a failure. The storage may have stored the state since.
    var hasFailed: Bool { error != nil }

    /// Called with each state that has reserved further numbers, once no power cut can bring back the numbers
    /// before.
    var reserved: (SavedCamera) -> Void = { _ in }

    /// - Parameter saved: the state with the numbers that this run has reserved.
    init(_ storage: any CameraStorage, camera: String, reserved saved: SavedCamera) {
        (self.storage, self.camera) = (storage, camera)
        (synced, requested) = (Reserves(saved), Reserves(saved))
    }

    func save(_ state: SavedCamera) {
        if submitted - completed < Self.maxSubmitted { submit(state) } else { held = state }
    }

    private func submit(_ state: SavedCamera) {
        submitted += 1
        let number = submitted
        let reserves = Reserves(state)
        if reserves.exceed(requested) {
            // Answers don't wait for that.
            requested = reserves
            storage.save(state, of: camera, isSynced: true) { [weak self] error in
                guard let self else { return }
                if let error {
                    // With the next answer, the state is submitted again.
                    (requested, self.error) = (synced, error)
                } else {
                    synced = reserves
                    reserved(state)
                }
            }
        }
        storage.save(state, of: camera, isSynced: false) { [weak self] in self?.completed(number, $0) }
    }

    /// Calls back once, when every state that was submitted is stored or can't be; immediately with an error
    /// if too many wait already.
    func whenSaved(_ then: @escaping (CommandError?) -> Void) {
        if isAbandoned { return then(.notStored) }
        guard completed != last else { return then(error) }
        guard storage.waitingAnswers.add() else { return then(.tooManyWait) }
        waiting.append((last, then))
    }

    /// The number of the newest state.
    private var last: Int { held == nil ? submitted : submitted + 1 }

    private func completed(_ number: Int, _ error: CommandError?) {
        (completed, self.error) = (max(completed, number), error)
        submitHeld()
        while let first = waiting.first, first.number <= completed { callFirst(error) }
    }

    private func submitHeld() {
        guard let next = held else { return }
        held = nil
        submit(next)
    }

    /// Calls back all that wait, as if their states couldn't be stored: the agent stops. The newest state is
    /// submitted, so that the last snapshot has it.
    func abandon() {
        isAbandoned = completed != last
        submitHeld()
        while !waiting.isEmpty { callFirst(.notStored) }
    }

    private func callFirst(_ error: CommandError?) {
        storage.waitingAnswers.remove()
        waiting.removeFirst().then(error)
    }
}

/// The numbers that a state reserves.
private struct Reserves {
    let revisions: Int
    let photos: Int
    let recordings: Int

    init(_ state: SavedCamera) {
        (revisions, photos, recordings) = (state.revReserve, state.photoReserve, state.recordingReserve)
    }

    func exceed(_ other: Reserves) -> Bool {
        revisions > other.revisions || photos > other.photos || recordings > other.recordings
    }
}

extension CommandError {
    /// The disk is too slow for a state to be stored before the agent ends.
    fileprivate static let notStored = CommandError(
        .storageFull, "The state isn't stored yet: the disk is slow, and the agent is stopping.")
    /// The disk hangs.
    fileprivate static let tooManyWait = CommandError(
        .storageFull, "The state isn't stored yet: the disk is slow, and \(WaitingAnswers.max) answers wait.")
}
